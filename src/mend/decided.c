/* Decisions in copied source: text in front of and behind each. */
#include <stdlib.h>
#include <string.h>

#include "analysis/outside_calls.h"
#include "analysis/tests.h"
#include "mend/runtime_private.h"

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
    if (a->behind != b->behind) {
        return a->behind ? -1 : 1;
    }
    return a->other > b->other ? -1 : a->other < b->other;
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

static void set_pair(gm_insertion *pair, const gm_node *node, const char *front, const char *behind) {
    pair[0] = (gm_insertion){.offset = node->start, .other = node->end, .text = front};
    pair[1] = (gm_insertion){.offset = node->end, .behind = true, .other = node->start, .text = behind};
}

/* Whether a chain of comparisons is asserted, by itself or as a part of what is: Python jumps where one of them decides, and the
 * assertion never sees a tensor. */
static bool is_asserted_chain(gm_emitter *emitter, const gm_node *decision) {
    if (decision->kind != GM_KIND_Compare || gm_as_Compare(decision)->ops.count < 2) {
        return false;
    }
    const gm_node *parent = gm_flow_parent(emitter->analysis->flow, decision);
    while (parent != NULL && parent->kind == GM_KIND_BoolOp) {
        parent = gm_flow_parent(emitter->analysis->flow, parent);
    }
    return parent != NULL && parent->kind == GM_KIND_Assert;
}

/* `_gm.taken(SITE, (` and `))`, or `_gm.taken(SITE, (TENSOR if _gm.on(SITE) else (` and `)))`. */
static void add_call(gm_emitter *emitter, gm_insertion *pair, const gm_finding *decision) {
    const gm_plan plan = {.rule = decision->rule, .node = decision->node, .function = decision->function};
    const char *tensor = decision->refusal.reason == NULL ? tensor_text(emitter, &plan) : NULL;
    gm_writer kept = emitter->out;
    gm_writer_init(&emitter->out, emitter->analysis->arena, kept.tree);
    bool apart = is_asserted_chain(emitter, decision->node);
    gm_write(&emitter->out, apart ? "(True if _gm.taken(" : "_gm.taken(");
    gm_emit_site(emitter, &plan);
    gm_write(&emitter->out, ", (");
    if (tensor != NULL) {
        gm_write(&emitter->out, tensor);
        gm_write(&emitter->out, " if _gm.on(");
        gm_emit_site(emitter, &plan);
        gm_write(&emitter->out, ") else (");
    }
    const char *behind = tensor != NULL ? ")))" : "))";
    behind = apart ? gm_analysis_text(emitter->analysis, "%s else False)", behind) : behind;
    set_pair(pair, decision->node, gm_buffer_text(&emitter->out.text), behind);
    emitter->out = kept;
}

/* `_gm.outside(SITE, ` and `)` around the callee, or `, "PART")` behind it. */
static void add_outside(gm_emitter *emitter, gm_insertion *pair, const gm_finding *finding) {
    gm_analysis *analysis = emitter->analysis;
    const gm_plan plan = {.rule = finding->rule, .node = finding->node, .function = finding->function};
    const gm_node *call = gm_flow_parent(analysis->flow, finding->node);
    bool part = gm_outside_form_of(finding->function, call) == GM_OUTSIDE_PART;
    gm_writer kept = emitter->out;
    gm_writer_init(&emitter->out, analysis->arena, kept.tree);
    gm_write(&emitter->out, "_gm.outside(");
    gm_emit_site(emitter, &plan);
    gm_write(&emitter->out, ", ");
    const char *end = part ? gm_analysis_text(analysis, ", \"%s\")", gm_outside_part(analysis, call)) : ")";
    set_pair(pair, finding->node, gm_buffer_text(&emitter->out.text), end);
    pair[0].always = pair[1].always = true;
    emitter->out = kept;
}

void gm_emit_decisions(gm_emitter *emitter, const gm_findings *decisions) {
    gm_insertion *insertions = GM_NEW_ARRAY(emitter->analysis->arena, gm_insertion, 2 * decisions->count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < decisions->count; i++) {
        if (!is_cut(emitter, decisions->items[i].node)) {
            bool outside = decisions->items[i].rule == &gm_rule_outside_value;
            (outside ? add_outside : add_call)(emitter, &insertions[count], &decisions->items[i]);
            count += 2;
        }
    }
    qsort(insertions, count, sizeof *insertions, compare);
    emitter->out.insertions = insertions;
    emitter->out.insertion_count = count;
}
