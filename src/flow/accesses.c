/* The accesses of each variable of a function in order of their steps: what a statement knows of one variable is found by halving, however
 * many statements stand in front of it and behind it. */
#include "base/search.h"
#include "flow/flow_private.h"

/* Whether a path that comes by knows afterwards if the variable is bound. */
static bool is_decisive(const gm_access *access) {
    return !access->maybe || access->kind == GM_ACCESS_DELETE;
}

/* How many accesses each variable has, then where the list of each begins, then each access at its place. */
static gm_accesses *list_accesses(const gm_function *function) {
    gm_arena *arena = function->flow->arena;
    const gm_cfg *cfg = function->cfg;
    uint32_t variables = function->scope->symbols.count;
    gm_accesses *all = GM_NEW(arena, gm_accesses);
    all->items = GM_NEW_ARRAY(arena, gm_accesses_item, cfg->accesses.count);
    all->first_of = GM_NEW_ARRAY(arena, uint32_t, variables + 2);
    for (uint32_t i = 0; i < cfg->accesses.count; i++) {
        all->first_of[cfg->accesses.items[i].symbol->index + 2]++;
    }
    for (uint32_t i = 2; i < variables + 2; i++) {
        all->first_of[i] += all->first_of[i - 1];
    }
    for (uint32_t i = 0; i < cfg->steps.count; i++) {
        const gm_step *step = &cfg->steps.items[i];
        for (uint32_t k = step->first_access; k < step->first_access + step->access_count; k++) {
            all->items[all->first_of[cfg->accesses.items[k].symbol->index + 1]++] = (gm_accesses_item){i, UINT32_MAX,
                                                                                                       &cfg->accesses.items[k]};
        }
    }
    return all;
}

static void find_decisive(const gm_function *function, gm_accesses *all) {
    for (uint32_t variable = 0; variable < function->scope->symbols.count; variable++) {
        uint32_t last = UINT32_MAX;
        for (uint32_t i = all->first_of[variable]; i < all->first_of[variable + 1]; i++) {
            last = is_decisive(all->items[i].access) ? i : last;
            all->items[i].decisive = last;
        }
    }
}

const gm_accesses *gm_accesses_of(gm_function *function) {
    if (function->accesses == NULL) {
        function->accesses = list_accesses(function);
        find_decisive(function, function->accesses);
    }
    return function->accesses;
}

uint32_t gm_accesses_from(const gm_accesses *all, uint32_t variable, uint32_t step) {
    uint32_t low = all->first_of[variable];
    for (uint32_t high = all->first_of[variable + 1]; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (all->items[middle].step < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
