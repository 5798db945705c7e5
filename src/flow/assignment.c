/* Definite assignment, forwards over the graph: which variables hold a value on every path, and on some path. */
#include "flow/flow_private.h"

typedef struct bound_sets {
    gm_set must;
    gm_set may;
} bound_sets;

struct gm_assignment {
    gm_sets sets;
    bound_sets *at;  /* of each block, where it begins */
    gm_set unstable; /* rebound or deleted by nested functions at any time */
    bool *entered;   /* blocks that a path has come to */
    bool *due;       /* those that have changed since they were looked at */
};

/* A read that succeeded shows that the variable was bound. */
static void apply(const gm_sets *sets, bound_sets *state, const gm_access *access) {
    uint32_t index = access->symbol->index;
    if (access->kind == GM_ACCESS_WRITE) {
        state->may = gm_set_add(sets, state->may, index);
    }
    if (!access->maybe && access->kind != GM_ACCESS_DELETE) {
        state->must = gm_set_add(sets, state->must, index);
    }
    if (access->kind == GM_ACCESS_DELETE) {
        state->must = gm_set_remove(sets, state->must, index);
        if (!access->maybe) {
            state->may = gm_set_remove(sets, state->may, index);
        }
    }
}

/* Brings a state to the beginning of a block; whether that changed it. */
static bool enter(gm_function *function, uint32_t block, bound_sets from) {
    struct gm_assignment *facts = function->assignment;
    bound_sets old = facts->at[block];
    bool changed = !facts->entered[block];
    if (!changed) {
        from.must = gm_set_meet(&facts->sets, old.must, from.must);
        from.may = gm_set_join(&facts->sets, old.may, from.may);
        changed = from.must != old.must || from.may != old.may;
    }
    facts->at[block] = from;
    facts->entered[block] = true;
    facts->due[block] = facts->due[block] || changed;
    return changed;
}

/* From the beginning of a block to its end. */
static void pass(const gm_function *function, const gm_block *block, bound_sets *state) {
    const gm_cfg *cfg = function->cfg;
    for (uint32_t i = block->first_step; i < block->first_step + block->step_count; i++) {
        const gm_step *step = &cfg->steps.items[i];
        for (uint32_t k = 0; k < step->access_count; k++) {
            apply(&function->assignment->sets, state, &cfg->accesses.items[step->first_access + k]);
        }
    }
}

/* What holds at every moment of a block, and at some moment, from the state in which it begins: an exception may come at any of them,
 * the middle of steps included. A variable is bound all the while unless it is deleted; what is written has been bound. */
static void pass_any_moment(const gm_function *function, const gm_block *block, bound_sets *state) {
    const gm_cfg *cfg = function->cfg;
    const gm_sets *sets = &function->assignment->sets;
    for (uint32_t i = block->first_step; i < block->first_step + block->step_count; i++) {
        const gm_step *step = &cfg->steps.items[i];
        for (uint32_t k = 0; k < step->access_count; k++) {
            const gm_access *access = &cfg->accesses.items[step->first_access + k];
            if (access->kind == GM_ACCESS_WRITE) {
                state->may = gm_set_add(sets, state->may, access->symbol->index);
            } else if (access->kind == GM_ACCESS_DELETE) {
                state->must = gm_set_remove(sets, state->must, access->symbol->index);
            }
        }
    }
}

/* What a test that came out as `truth` has bound: `(m := f()) > 0` behind `and` has been evaluated where the whole is true. */
static void add_decided(gm_function *function, gm_set *must, const gm_node *test, bool truth) {
    while (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        test = gm_as_UnaryOp(test)->operand;
        truth = !truth;
    }
    if (test->kind == GM_KIND_BoolOp && (gm_as_BoolOp(test)->op == GM_OP_And) == truth) {
        const gm_list *values = &gm_as_BoolOp(test)->values;
        gm_work(function->flow->arena, values->count);
        for (uint32_t i = 0; i < values->count; i++) {
            add_decided(function, must, values->items[i], truth);
        }
    } else if (test->kind == GM_KIND_NamedExpr) {
        const gm_symbol *symbol = gm_scopes_symbol(function->flow->scopes, gm_as_NamedExpr(test)->target);
        if (symbol != NULL && symbol->scope == function->scope) {
            *must = gm_set_add(&function->assignment->sets, *must, symbol->index);
        }
        add_decided(function, must, gm_as_NamedExpr(test)->value, truth);
    } else if (test->kind == GM_KIND_Compare) {
        add_decided(function, must, gm_as_Compare(test)->left, truth);
        add_decided(function, must, gm_as_Compare(test)->comparators.items[0], truth);
    }
}

/* Along an edge out of a block, from the state at its end. */
static bool follow(gm_function *function, const gm_block *block, const gm_edge *edge, bound_sets state) {
    const gm_cfg *cfg = function->cfg;
    const gm_step *last = block->step_count > 0 ? &cfg->steps.items[block->first_step + block->step_count - 1] : NULL;
    if (last != NULL && last->kind == GM_STEP_TEST && (edge->kind == GM_EDGE_TRUE || edge->kind == GM_EDGE_FALSE)) {
        add_decided(function, &state.must, last->node, edge->kind == GM_EDGE_TRUE);
    }
    return enter(function, edge->to, state);
}

static bool update_block(gm_function *function, uint32_t index) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    gm_work(function->flow->arena, block->successor_count * 4U + 8U + block->step_count * 4U);
    function->assignment->due[index] = false;
    bound_sets state = function->assignment->at[index];
    bool changed = false;
    if (block->handler != GM_CFG_NONE) {
        bound_sets any = state;
        pass_any_moment(function, block, &any);
        changed = enter(function, (uint32_t)block->handler, any);
    }
    pass(function, block, &state);
    for (uint32_t i = 0; i < block->successor_count; i++) {
        changed |= follow(function, block, &cfg->edges.items[cfg->successors[block->first_successor + i]], state);
    }
    return changed;
}

static gm_set find_unstable(const gm_function *function, const gm_sets *sets) {
    gm_set unstable = 0;
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if ((function->scope->symbols.items[i]->flags & GM_SYMBOL_OUTSIDE) != 0) {
            unstable = gm_set_add(sets, unstable, i);
        }
    }
    return unstable;
}

static void find_assignment(gm_function *function) {
    gm_arena *arena = function->flow->arena;
    const gm_cfg *cfg = function->cfg;
    if (function->assignment != NULL) {
        return;
    }
    struct gm_assignment *facts = GM_NEW(arena, struct gm_assignment);
    facts->sets = gm_sets_of(arena, function->scope->symbols.count);
    facts->at = GM_NEW_ARRAY(arena, bound_sets, cfg->blocks.count);
    facts->entered = GM_NEW_ARRAY(arena, bool, cfg->blocks.count);
    facts->due = GM_NEW_ARRAY(arena, bool, cfg->blocks.count);
    facts->unstable = find_unstable(function, &facts->sets);
    function->assignment = facts;
    enter(function, GM_CFG_ENTRY, (bound_sets){0, 0});
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < cfg->reachable_count; i++) {
            if (facts->due[cfg->order[i]]) {
                changed |= update_block(function, cfg->order[i]);
            }
        }
    }
}

/* ---- At a statement ---- */

/* Whether a variable is bound in front of a step, surely and possibly: the last access of the block in front of it that decides, and without
 * one what holds where the block begins. */
static void bound_at(gm_function *function, uint32_t block, uint32_t step, uint32_t variable, bool *must, bool *may) {
    const gm_accesses *all = gm_accesses_of(function);
    const gm_sets *sets = &function->assignment->sets;
    uint32_t first = gm_accesses_from(all, variable, function->cfg->blocks.items[block].first_step);
    uint32_t end = gm_accesses_from(all, variable, step);
    uint32_t decisive = end > first ? all->items[end - 1].decisive : UINT32_MAX;
    bool decided = decisive != UINT32_MAX && decisive >= first;
    bool bound = decided ? all->items[decisive].access->kind != GM_ACCESS_DELETE
                         : gm_set_has(sets, function->assignment->at[block].must, variable);
    bool known = false;
    for (uint32_t i = end; !bound && !known && i > first; i--) {
        const gm_access *access = all->items[i - 1].access;
        known = access->kind == GM_ACCESS_WRITE || (access->kind == GM_ACCESS_DELETE && !access->maybe);
        *may |= access->kind == GM_ACCESS_WRITE;
    }
    *may |= bound || (!known && gm_set_has(sets, function->assignment->at[block].may, variable));
    *must &= bound;
}

gm_bound gm_bound_before(gm_function *function, const gm_node *statement, const gm_symbol *symbol) {
    const gm_cfg *cfg = function->cfg;
    bool must = true;
    bool may = false;
    bool found = false;
    find_assignment(function);
    for (const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement); slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (!function->assignment->entered[slot->block]) {
            continue;
        }
        found = true;
        bound_at(function, slot->block, slot->step, symbol->index, &must, &may);
    }
    if (found && gm_set_has(&function->assignment->sets, function->assignment->unstable, symbol->index)) {
        return GM_BOUND_MAYBE;
    }
    return !found || must ? GM_BOUND_ALWAYS : may ? GM_BOUND_MAYBE : GM_BOUND_NEVER;
}
