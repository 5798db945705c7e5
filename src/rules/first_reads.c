#include "rules/first_reads.h"

#include "analysis/sides.h"

typedef struct {
    const gm_node *read;
    bool found;
} read_search;

/* Whether Python may leave out parts of an expression, or evaluates them later. */
static bool is_conditional(const gm_node *node) {
    switch (node->kind) {
    case GM_KIND_IfExp:
    case GM_KIND_BoolOp:
    case GM_KIND_Compare:
    case GM_KIND_Lambda:
    case GM_KIND_GeneratorExp:
    case GM_KIND_ListComp:
    case GM_KIND_SetComp:
    case GM_KIND_DictComp: return true;
    default: return false;
    }
}

static bool find_read(const gm_node *node, void *context) {
    read_search *search = context;
    search->found = search->found || node == search->read;
    return !search->found && (is_conditional(node) || gm_node_children(node, find_read, context));
}

/* Whether a statement evaluates an expression in any case: an unbound variable in it ends the trace, and eager Python raises in the order of
 * the statement. */
static bool is_read_always(gm_analysis *analysis, const gm_Call *call, const gm_node *read) {
    read_search search = {read, false};
    gm_work_below(analysis->arena, &call->base);
    gm_node_children(&call->base, find_read, &search);
    return search.found;
}

gm_refusal gm_reads_bound(gm_analysis *analysis, const gm_site *site, const gm_Call *call, const gm_plan *plan) {
    gm_refusal refusal = {NULL, NULL};
    gm_symbol_list bound = {NULL, 0};
    bool certain = call != NULL && gm_sides_try(site) == NULL; /* a handler might tell which of two exceptions comes first */
    for (uint32_t i = 0; refusal.reason == NULL && i < plan->captures.count; i++) {
        const gm_node *read = plan->captures.items[i].node;
        gm_symbol_list names = gm_sides_names(analysis, site->function, read);
        if (certain && is_read_always(analysis, call, read)) {
            for (uint32_t j = 0; j < names.count; j++) {
                gm_symbols_add(analysis->arena, &bound, names.items[j]);
            }
        }
        refusal = gm_sides_bound(analysis, site->function, site->statement, &names, &bound);
    }
    return refusal;
}
