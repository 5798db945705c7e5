/* Decisions in copied source: text in front of and behind each. */
#include <stdlib.h>
#include <string.h>

#include "mend/runtime_private.h"
#include "rules/tests.h"

/* A conditional expression that is mended and begins or ends a decision takes the place of the bytes that the text would go with. */
static bool is_cut(const gm_emitter *emitter, const gm_node *decision) {
    if (decision->kind == GM_KIND_NamedExpr) {
        return is_cut(emitter, gm_as_NamedExpr(decision)->value);
    }
    return decision->kind == GM_KIND_IfExp && gm_analysis_plan(emitter->analysis, decision) != NULL;
}

static int compare(const void *left, const void *right) {
    const gm_insertion *a = left;
    const gm_insertion *b = right;
    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return (int)b->behind - (int)a->behind;
}

/* The decision as a call that gives a tensor where the expression itself asks for a Python value: `torch.equal(a, b)`, `0 < a < 1`. NULL
 * where it does not, or not on one line. */
static const char *tensor_text(gm_emitter *emitter, const gm_plan *plan) {
    if (gm_test_form_of(emitter->analysis->flow, plan->node) == GM_TEST_PLAIN) {
        return NULL;
    }
    gm_writer kept = emitter->out;
    gm_writer_init(&emitter->out, emitter->analysis->arena, kept.tree);
    gm_emit_test(emitter, plan, plan->node);
    const char *text = gm_buffer_text(&emitter->out.text);
    emitter->out = kept;
    return strchr(text, '\n') == NULL ? text : NULL;
}

/* `_gm.taken(SITE, (` and `))`, or `_gm.taken(SITE, (TENSOR if _gm.on(SITE) else (` and `)))`. */
static void add_call(gm_emitter *emitter, gm_insertion *pair, const gm_finding *decision) {
    const gm_plan plan = {.rule = decision->rule, .node = decision->node, .function = decision->function};
    const char *tensor = decision->refusal.reason == NULL ? tensor_text(emitter, &plan) : NULL;
    gm_writer kept = emitter->out;
    gm_writer_init(&emitter->out, emitter->analysis->arena, kept.tree);
    gm_write(&emitter->out, "_gm.taken(");
    gm_emit_site(emitter, &plan);
    gm_write(&emitter->out, ", (");
    if (tensor != NULL) {
        gm_write(&emitter->out, tensor);
        gm_write(&emitter->out, " if _gm.on(");
        gm_emit_site(emitter, &plan);
        gm_write(&emitter->out, ") else (");
    }
    pair[0] = (gm_insertion){decision->node->start, false, gm_buffer_text(&emitter->out.text)};
    pair[1] = (gm_insertion){decision->node->end, true, tensor != NULL ? ")))" : "))"};
    emitter->out = kept;
}

void gm_emit_decisions(gm_emitter *emitter, const gm_findings *decisions) {
    gm_insertion *insertions = GM_NEW_ARRAY(emitter->analysis->arena, gm_insertion, 2 * decisions->count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < decisions->count; i++) {
        if (!is_cut(emitter, decisions->items[i].node)) {
            add_call(emitter, &insertions[count], &decisions->items[i]);
            count += 2;
        }
    }
    qsort(insertions, count, sizeof *insertions, compare);
    emitter->out.insertions = insertions;
    emitter->out.insertion_count = count;
}
