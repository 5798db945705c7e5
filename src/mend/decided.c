/* Decisions in copied source: text in front of and behind each. */
#include <stdlib.h>
#include <string.h>

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
    return (int)b->behind - (int)a->behind;
}

static const char *call_of(gm_emitter *emitter, const gm_finding *decision) {
    const char *site = gm_emit_site_text(emitter->analysis, decision->rule, decision->node);
    gm_buffer text;
    gm_buffer_init(&text, emitter->analysis->arena);
    gm_buffer_add_text(&text, "_gm.taken(");
    gm_buffer_add_json(&text, site, strlen(site));
    gm_buffer_add_text(&text, ", (");
    return gm_buffer_text(&text);
}

void gm_emit_decisions(gm_emitter *emitter, const gm_findings *decisions) {
    gm_insertion *insertions = GM_NEW_ARRAY(emitter->analysis->arena, gm_insertion, 2 * decisions->count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < decisions->count; i++) {
        const gm_node *node = decisions->items[i].node;
        if (!is_cut(emitter, node)) {
            insertions[count++] = (gm_insertion){node->start, false, call_of(emitter, &decisions->items[i])};
            insertions[count++] = (gm_insertion){node->end, true, "))"};
        }
    }
    qsort(insertions, count, sizeof *insertions, compare);
    emitter->out.insertions = insertions;
    emitter->out.insertion_count = count;
}
