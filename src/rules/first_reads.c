#include "rules/first_reads.h"

#include "analysis/sides.h"

static bool is_kept(const gm_plan *plan, const gm_node *node) {
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        if (plan->captures.items[i].node == node) {
            return true;
        }
    }
    return node->kind == GM_KIND_Constant;
}

/* The expression that an f-string computes first; NULL if it computes none. */
static const gm_node *first_in_text(const gm_node *node) {
    const gm_list *parts = node->kind == GM_KIND_JoinedStr ? &gm_as_JoinedStr(node)->values : NULL;
    for (uint32_t i = 0; parts != NULL && i < parts->count; i++) {
        if (parts->items[i]->kind == GM_KIND_FormattedValue) {
            return gm_as_FormattedValue(parts->items[i])->value;
        }
    }
    return NULL;
}

/* Whether a call reads a name in any case, and nothing before it but values that are kept, too: then an unbound variable raises in the same
 * place. */
static bool is_read_first(const gm_Call *call, const gm_plan *plan, const gm_node *read) {
    for (uint32_t i = 0; i < call->args.count; i++) {
        const gm_node *arg = call->args.items[i];
        if (arg == read || first_in_text(arg) == read) {
            return read->kind == GM_KIND_Name;
        }
        if (!is_kept(plan, arg)) {
            return false;
        }
    }
    return false;
}

gm_refusal gm_reads_bound(gm_analysis *analysis, const gm_site *site, const gm_Call *call, const gm_plan *plan) {
    gm_refusal refusal = {NULL, NULL};
    gm_symbol_list bound = {NULL, 0};
    bool certain = call != NULL && gm_sides_try(site) == NULL; /* a handler might tell which of two exceptions comes first */
    for (uint32_t i = 0; refusal.reason == NULL && i < plan->captures.count; i++) {
        const gm_node *read = plan->captures.items[i].node;
        gm_symbol_list names = gm_sides_names(analysis, site->function, read);
        if (certain && names.count == 1 && is_read_first(call, plan, read)) {
            gm_symbols_add(analysis->arena, &bound, names.items[0]);
        }
        refusal = gm_sides_bound(analysis, site->function, site->statement, &names, &bound);
    }
    return refusal;
}
