/* Definite assignment, forwards over the graph: which variables hold a value on every path, and on some path. */
#include "flow/flow_private.h"

typedef struct bound_sets {
    gm_set_word *must;
    gm_set_word *may;
} bound_sets;

struct gm_assignment {
    gm_set_word *must; /* a set for each block, where it begins */
    gm_set_word *may;
    gm_set_word *unstable; /* rebound or deleted by nested functions at any time */
    gm_set_word *edge;     /* what is bound along one edge, while that is followed */
    bool *entered;         /* blocks that a path has come to */
    uint32_t words;
};

static bound_sets sets_of(const gm_function *function, uint32_t block) {
    const struct gm_assignment *facts = function->assignment;
    size_t at = (size_t)block * facts->words;
    return (bound_sets){facts->must + at, facts->may + at};
}

/* A read that succeeded shows that the variable was bound. */
static void apply(bound_sets sets, const gm_access *access) {
    uint32_t index = access->symbol->index;
    if (access->kind == GM_ACCESS_WRITE) {
        gm_set_add(sets.may, index);
    }
    if (!access->maybe && access->kind != GM_ACCESS_DELETE) {
        gm_set_add(sets.must, index);
    }
    if (access->kind == GM_ACCESS_DELETE) {
        gm_set_remove(sets.must, index);
        if (!access->maybe) {
            gm_set_remove(sets.may, index);
        }
    }
}

/* Join the state `from` into a block; returns whether that changed it. */
static bool enter(gm_function *function, uint32_t block, bound_sets from) {
    struct gm_assignment *facts = function->assignment;
    bound_sets into = sets_of(function, block);
    bool changed = !facts->entered[block];
    for (uint32_t i = 0; i < facts->words; i++) {
        gm_set_word must = facts->entered[block] ? into.must[i] & from.must[i] : from.must[i];
        gm_set_word may = into.may[i] | from.may[i];
        changed |= must != into.must[i] || may != into.may[i];
        into.must[i] = must;
        into.may[i] = may;
    }
    facts->entered[block] = true;
    return changed;
}

static void copy(const gm_function *function, bound_sets to, bound_sets from) {
    for (uint32_t i = 0; i < function->assignment->words; i++) {
        to.must[i] = from.must[i];
        to.may[i] = from.may[i];
    }
}

/* From the beginning of a block to its end. */
static void pass(const gm_function *function, const gm_block *block, bound_sets state) {
    const gm_cfg *cfg = function->cfg;
    for (uint32_t i = block->first_step; i < block->first_step + block->step_count; i++) {
        const gm_step *step = &cfg->steps.items[i];
        for (uint32_t k = 0; k < step->access_count; k++) {
            apply(state, &cfg->accesses.items[step->first_access + k]);
        }
    }
}

/* What holds at every moment of a block, and at some moment, from the state in which it begins: an exception may come at any of them,
 * the middle of steps included. A variable is bound all the while unless it is deleted; what is written has been bound. */
static void pass_any_moment(const gm_function *function, const gm_block *block, bound_sets state) {
    const gm_cfg *cfg = function->cfg;
    for (uint32_t i = block->first_step; i < block->first_step + block->step_count; i++) {
        const gm_step *step = &cfg->steps.items[i];
        for (uint32_t k = 0; k < step->access_count; k++) {
            const gm_access *access = &cfg->accesses.items[step->first_access + k];
            if (access->kind == GM_ACCESS_WRITE) {
                gm_set_add(state.may, access->symbol->index);
            } else if (access->kind == GM_ACCESS_DELETE) {
                gm_set_remove(state.must, access->symbol->index);
            }
        }
    }
}

/* What a test that came out as `truth` has bound: `(m := f()) > 0` behind `and` has been evaluated where the whole is true. */
static void add_decided(gm_function *function, gm_set_word *must, const gm_node *test, bool truth) {
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
            gm_set_add(must, symbol->index);
        }
        add_decided(function, must, gm_as_NamedExpr(test)->value, truth);
    } else if (test->kind == GM_KIND_Compare) {
        add_decided(function, must, gm_as_Compare(test)->left, truth);
        add_decided(function, must, gm_as_Compare(test)->comparators.items[0], truth);
    }
}

/* Along an edge out of a block, from the state at its end. */
static bool follow(gm_function *function, const gm_block *block, const gm_edge *edge, bound_sets scratch) {
    const gm_cfg *cfg = function->cfg;
    const gm_step *last = block->step_count > 0 ? &cfg->steps.items[block->first_step + block->step_count - 1] : NULL;
    if (last == NULL || last->kind != GM_STEP_TEST || (edge->kind != GM_EDGE_TRUE && edge->kind != GM_EDGE_FALSE)) {
        return enter(function, edge->to, scratch);
    }
    for (uint32_t i = 0; i < function->assignment->words; i++) {
        function->assignment->edge[i] = scratch.must[i];
    }
    add_decided(function, function->assignment->edge, last->node, edge->kind == GM_EDGE_TRUE);
    return enter(function, edge->to, (bound_sets){function->assignment->edge, scratch.may});
}

static bool update_block(gm_function *function, uint32_t index, bound_sets scratch) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    if (!function->assignment->entered[index]) {
        return false;
    }
    gm_work(function->flow->arena, (block->successor_count * 4U + 8U) * (uint64_t)function->assignment->words + block->step_count * 4U);
    bool changed = false;
    if (block->handler != GM_CFG_NONE) {
        copy(function, scratch, sets_of(function, index));
        pass_any_moment(function, block, scratch);
        changed = enter(function, (uint32_t)block->handler, scratch);
    }
    copy(function, scratch, sets_of(function, index));
    pass(function, block, scratch);
    for (uint32_t i = 0; i < block->successor_count; i++) {
        changed |= follow(function, block, &cfg->edges.items[cfg->successors[block->first_successor + i]], scratch);
    }
    return changed;
}

static bound_sets new_sets(gm_function *function) {
    uint32_t words = gm_set_words(function);
    return (bound_sets){GM_NEW_ARRAY(function->flow->arena, gm_set_word, words), GM_NEW_ARRAY(function->flow->arena, gm_set_word, words)};
}

static void find_unstable(gm_function *function) {
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if ((function->scope->symbols.items[i]->flags & GM_SYMBOL_OUTSIDE) != 0) {
            gm_set_add(function->assignment->unstable, i);
        }
    }
}

static void find_assignment(gm_function *function) {
    gm_arena *arena = function->flow->arena;
    const gm_cfg *cfg = function->cfg;
    if (function->assignment != NULL) {
        return;
    }
    struct gm_assignment *facts = GM_NEW(arena, struct gm_assignment);
    facts->words = gm_set_words(function);
    facts->must = GM_NEW_ARRAY(arena, gm_set_word, (size_t)cfg->blocks.count * facts->words);
    facts->may = GM_NEW_ARRAY(arena, gm_set_word, (size_t)cfg->blocks.count * facts->words);
    facts->unstable = GM_NEW_ARRAY(arena, gm_set_word, facts->words);
    facts->edge = GM_NEW_ARRAY(arena, gm_set_word, facts->words);
    facts->entered = GM_NEW_ARRAY(arena, bool, cfg->blocks.count);
    function->assignment = facts;
    find_unstable(function);
    bound_sets scratch = new_sets(function);
    enter(function, GM_CFG_ENTRY, scratch);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < cfg->reachable_count; i++) {
            changed |= update_block(function, cfg->order[i], scratch);
        }
    }
}

/* ---- At a statement ---- */

/* Whether a variable is bound in front of a step, surely and possibly: the last access of the block in front of it that decides, and without
 * one what holds where the block begins. */
static void bound_at(gm_function *function, uint32_t block, uint32_t step, uint32_t variable, bool *must, bool *may) {
    const gm_accesses *all = gm_accesses_of(function);
    uint32_t first = gm_accesses_from(all, variable, function->cfg->blocks.items[block].first_step);
    uint32_t end = gm_accesses_from(all, variable, step);
    uint32_t decisive = end > first ? all->items[end - 1].decisive : UINT32_MAX;
    bool decided = decisive != UINT32_MAX && decisive >= first;
    bool bound = decided ? all->items[decisive].access->kind != GM_ACCESS_DELETE : gm_set_has(sets_of(function, block).must, variable);
    bool known = false;
    for (uint32_t i = end; !bound && !known && i > first; i--) {
        const gm_access *access = all->items[i - 1].access;
        known = access->kind == GM_ACCESS_WRITE || (access->kind == GM_ACCESS_DELETE && !access->maybe);
        *may |= access->kind == GM_ACCESS_WRITE;
    }
    *may |= bound || (!known && gm_set_has(sets_of(function, block).may, variable));
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
    if (found && gm_set_has(function->assignment->unstable, symbol->index)) {
        return GM_BOUND_MAYBE;
    }
    return !found || must ? GM_BOUND_ALWAYS : may ? GM_BOUND_MAYBE : GM_BOUND_NEVER;
}
