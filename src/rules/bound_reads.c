#include "rules/bound_reads.h"

#include "analysis/sides.h"

typedef struct {
    const gm_node *read;
    bool found;
} read_search;

/* Whether a comparison, a conditional or a function around an expression may leave the expression out. */
static bool may_skip(const gm_node *node) {
    return gm_is_conditional(node) || node->kind == GM_KIND_Compare || node->kind == GM_KIND_Lambda;
}

static bool find_read(const gm_node *node, void *context) {
    read_search *search = context;
    search->found = search->found || node == search->read;
    return !search->found && (may_skip(node) || gm_node_children(node, find_read, context));
}

/* Whether a statement evaluates an expression in any case: an unbound variable in it ends the trace, and eager Python raises in the order of
 * the statement. */
static bool is_read_always(gm_analysis *analysis, const gm_node *statement, const gm_node *read) {
    read_search search = {read, false};
    gm_work_below(analysis->arena, statement);
    gm_node_children(statement, find_read, &search);
    return search.found;
}

/* Whether a handler may get an exception of the statement, and tell which of two exceptions comes first. */
static bool is_handled(const gm_site *site) {
    for (const gm_place *place = site->place; place != NULL; place = place->outer) {
        const gm_node *owner = place->owner;
        bool plain = owner->kind == GM_KIND_Try && place->list == &gm_as_Try(owner)->body && gm_as_Try(owner)->handlers.count > 0;
        if (plain || owner->kind == GM_KIND_TryStar) {
            return true;
        }
    }
    return false;
}

gm_refusal gm_reads_bound(gm_analysis *analysis, const gm_site *site, const gm_Call *call, const gm_plan *plan) {
    gm_refusal refusal = {NULL, NULL};
    gm_symbol_list bound = {NULL, 0};
    bool assigns = site->node->kind == GM_KIND_Assign || site->node->kind == GM_KIND_AugAssign;
    const gm_node *statement = call != NULL ? &call->base : assigns ? site->node : NULL;
    bool certain = statement != NULL && !is_handled(site);
    for (uint32_t i = 0; refusal.reason == NULL && i < plan->captures.count; i++) {
        const gm_node *read = plan->captures.items[i].node;
        gm_symbol_list names = gm_sides_names(analysis, site->function, read);
        refusal = gm_sides_bound(analysis, site->function, site->statement, &names, &bound);
        if (refusal.reason != NULL && certain && is_read_always(analysis, statement, read)) {
            refusal = (gm_refusal){NULL, NULL};
            for (uint32_t j = 0; j < names.count; j++) {
                gm_symbols_add(analysis->arena, &bound, names.items[j]);
            }
        }
    }
    return refusal;
}
