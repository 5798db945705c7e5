/* Statement ranges: what they contain, and which variables they read, bind and delete.
 *
 *     y = x + 1        inputs   x, flag: the range reads a value from in front of it
 *     if flag:         certain  y: bound on every path to the normal end
 *         z = y        writes   y, z
 *
 * Problem: a side of a branch becomes a function, so its parameters and results have to be known, as for a refactoring that extracts a method.
 *
 * Idea: two classic questions of data flow, asked about a part of the graph. Inputs are the variables that are live at the entry of the range when
 * nothing is live at its end: backwards, in[b] = reads before a write | (out[b] - writes), joined by union. Certain bindings go forwards and are
 * joined by intersection, as definite assignment of Java is. A block that no path has come to yet is the top of that lattice (`entered`), so a loop
 * does not lose what is bound in front of it. An exception may leave a block behind any step: its handler is joined at each.
 *
 * The cut: statements get steps in order of the text, so a range is an interval of steps, and the blocks made for its statements are an
 * interval of blocks (cfg_private.h). Edges out of these blocks bring nothing. Both fixed points are found in rounds over the blocks
 * in reverse post order, which takes two rounds more than loops nest.
 *
 * Sources: Aho, Lam, Sethi, Ullman, Compilers (2nd ed., 2006), 9.2.5 live variables, 9.3 foundations. Kam, Ullman, Global Data Flow Analysis and
 * Iterative Algorithms, J. ACM 23 (1976), for the number of rounds. The Java Language Specification, chapter 16, definite assignment. */
#include <assert.h>
#include <stdlib.h>

#include "flow/flow_private.h"
#include "flow/outer_names.h"
#include "flow/walk.h"

enum { SORT_WORK = 16 };

/* A range in the graph: its steps are [first_step, last_step), its blocks the one it begins in and those made for it. */
typedef struct extent {
    uint32_t first_step;
    uint32_t last_step;
    uint32_t entry;
    uint32_t first_block;
    uint32_t last_block;
    uint32_t end_block; /* control stands here, before `last_step`, when the range has ended normally */
    bool ends;
    bool known;
    uint64_t *order; /* its blocks: the place in reverse post order above, the index in the low half */
    uint32_t order_count;
} extent;

static uint32_t block_at(const extent *range, uint32_t place) {
    return (uint32_t)range->order[place];
}

static int compare_order(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t order_key(const gm_cfg *cfg, uint32_t block) {
    return (uint64_t)(uint32_t)cfg->blocks.items[block].order << 32 | block; /* unreachable blocks, with -1, come last */
}

/* Blocks are numbered as they are made, a join before the sides that lead to it: in that order a question of data flow would take as
 * many rounds as there are branches. */
static void find_order(gm_function *function, extent *range) {
    size_t count = (size_t)(range->last_block - range->first_block) + 1;
    range->order = GM_NEW_ARRAY(function->flow->arena, uint64_t, count);
    range->order[range->order_count++] = order_key(function->cfg, range->entry);
    for (uint32_t block = range->first_block; block < range->last_block; block++) {
        if (block != range->entry) {
            range->order[range->order_count++] = order_key(function->cfg, block);
        }
    }
    gm_work(function->flow->arena, count * SORT_WORK);
    qsort(range->order, range->order_count, sizeof *range->order, compare_order);
}

static extent extent_of(const gm_function *function, gm_node *const *statements, uint32_t count) {
    const gm_cfg_slot *first = gm_cfg_find_slot(function->cfg, statements[0]);
    const gm_cfg_slot *last = gm_cfg_find_slot(function->cfg, statements[count - 1]);
    if (first == NULL || last == NULL) {
        return (extent){.known = false};
    }
    return (extent){
        .first_step = first->step,
        .last_step = last->end_step,
        .entry = first->block,
        .first_block = first->first_new_block,
        .last_block = last->last_new_block,
        .end_block = last->end_block,
        .ends = last->ends,
        .known = true,
    };
}

static bool holds_block(const extent *range, uint32_t block) {
    return block == range->entry || (range->first_block <= block && block < range->last_block);
}

/* The steps of a block that lie in the range. */
static void clip(const gm_cfg *cfg, const extent *range, uint32_t block, uint32_t *first, uint32_t *last) {
    *first = cfg->blocks.items[block].first_step;
    *last = *first + cfg->blocks.items[block].step_count;
    *first = *first < range->first_step ? range->first_step : *first;
    *last = *last > range->last_step ? range->last_step : *last;
    *last = *last < *first ? *first : *last;
}

/* ---- Inputs: live variables within the range ---- */

/* What is known of the variables in each block of a range. */
typedef struct local_sets {
    gm_sets sets;
    gm_set *at; /* of the entry block, then of each block of the range */
} local_sets;

static gm_set *local_set(const local_sets *local, const extent *range, uint32_t block) {
    return &local->at[block == range->entry ? 0 : (size_t)block - range->first_block + 1];
}

static local_sets new_local_sets(gm_function *function, const extent *range) {
    gm_arena *arena = function->flow->arena;
    size_t count = (size_t)(range->last_block - range->first_block) + 1;
    return (local_sets){gm_sets_of(arena, function->scope->symbols.count), GM_NEW_ARRAY(arena, gm_set, count)};
}

/* With what one exit of a block brings when it leads to a block of the range. */
static gm_set add_from(const local_sets *local, const extent *range, int32_t block, gm_set set) {
    if (block >= 0 && holds_block(range, (uint32_t)block) && (uint32_t)block != range->entry) {
        return gm_set_join(&local->sets, set, *local_set(local, range, (uint32_t)block));
    }
    return set;
}

static gm_set read_back(const gm_cfg *cfg, const gm_step *step, const gm_sets *sets, gm_set set) {
    for (uint32_t k = step->access_count; k > 0; k--) {
        const gm_access *access = &cfg->accesses.items[step->first_access + k - 1];
        if (access->kind == GM_ACCESS_WRITE && !access->maybe) {
            set = gm_set_remove(sets, set, access->symbol->index);
        } else if (access->kind != GM_ACCESS_WRITE) {
            set = gm_set_add(sets, set, access->symbol->index);
        }
    }
    return set;
}

/* Sets are joined at every exit of a block, and at every step where an exception leads into the range. */
static void count_work(const gm_function *function, const gm_block *block) {
    gm_work(function->flow->arena, (uint64_t)block->successor_count + 3U + block->step_count * 2U);
}

static bool update_inputs(const gm_function *function, const extent *range, const local_sets *local, uint32_t index) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    uint32_t first = 0;
    uint32_t last = 0;
    gm_set state = 0;
    count_work(function, block);
    for (uint32_t i = 0; i < block->successor_count; i++) {
        state = add_from(local, range, (int32_t)cfg->edges.items[cfg->successors[block->first_successor + i]].to, state);
    }
    state = add_from(local, range, block->handler, state);
    clip(cfg, range, index, &first, &last);
    for (uint32_t i = last; i > first; i--) {
        state = read_back(cfg, &cfg->steps.items[i - 1], &local->sets, state);
        state = add_from(local, range, block->handler, state);
    }
    gm_set *set = local_set(local, range, index);
    state = gm_set_join(&local->sets, *set, state);
    bool changed = *set != state;
    *set = state;
    return changed;
}

static gm_set find_inputs(gm_function *function, const extent *range) {
    local_sets local = new_local_sets(function, range);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = range->order_count; i > 0; i--) {
            changed |= update_inputs(function, range, &local, block_at(range, i - 1));
        }
    }
    return *local_set(&local, range, range->entry);
}

/* ---- Certain bindings: on every path to the normal end ---- */

static gm_set bind_forward(const gm_cfg *cfg, uint32_t first, uint32_t last, const gm_sets *sets, gm_set set) {
    for (uint32_t i = first; i < last; i++) {
        const gm_step *step = &cfg->steps.items[i];
        for (uint32_t k = 0; k < step->access_count; k++) {
            const gm_access *access = &cfg->accesses.items[step->first_access + k];
            if (access->kind == GM_ACCESS_WRITE && !access->maybe) {
                set = gm_set_add(sets, set, access->symbol->index);
            } else if (access->kind == GM_ACCESS_DELETE) {
                set = gm_set_remove(sets, set, access->symbol->index);
            }
        }
    }
    return set;
}

typedef struct must_flow {
    gm_function *function;
    const extent *range;
    local_sets local;
    bool *entered;
} must_flow;

static bool *entered_flag(const must_flow *flow, uint32_t block) {
    return &flow->entered[block == flow->range->entry ? 0 : block - flow->range->first_block + 1];
}

static bool enter(must_flow *flow, int32_t block, gm_set state) {
    if (block < 0 || !holds_block(flow->range, (uint32_t)block) || (uint32_t)block == flow->range->entry) {
        return false;
    }
    gm_set *set = local_set(&flow->local, flow->range, (uint32_t)block);
    bool *entered = entered_flag(flow, (uint32_t)block);
    state = *entered ? gm_set_meet(&flow->local.sets, *set, state) : state;
    bool changed = !*entered || state != *set;
    *set = state;
    *entered = true;
    return changed;
}

static bool update_certain(must_flow *flow, uint32_t index) {
    const gm_cfg *cfg = flow->function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    uint32_t first = 0;
    uint32_t last = 0;
    if (!*entered_flag(flow, index)) {
        return false;
    }
    count_work(flow->function, block);
    gm_set state = *local_set(&flow->local, flow->range, index);
    clip(cfg, flow->range, index, &first, &last);
    bool changed = enter(flow, block->handler, state);
    for (uint32_t i = first; i < last; i++) {
        state = bind_forward(cfg, i, i + 1, &flow->local.sets, state);
        changed |= enter(flow, block->handler, state);
    }
    for (uint32_t i = 0; i < block->successor_count; i++) {
        changed |= enter(flow, (int32_t)cfg->edges.items[cfg->successors[block->first_successor + i]].to, state);
    }
    return changed;
}

/* The set is empty when the range never ends normally. */
static gm_set find_certain(gm_function *function, const extent *range) {
    must_flow flow = {.function = function, .range = range, .local = new_local_sets(function, range)};
    flow.entered = GM_NEW_ARRAY(function->flow->arena, bool, (size_t)(range->last_block - range->first_block) + 1);
    *entered_flag(&flow, range->entry) = true;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < range->order_count; i++) {
            changed |= update_certain(&flow, block_at(range, i));
        }
    }
    if (!range->ends || !*entered_flag(&flow, range->end_block)) {
        return 0;
    }
    uint32_t first = 0;
    uint32_t last = 0;
    clip(function->cfg, range, range->end_block, &first, &last);
    return bind_forward(function->cfg, first, last, &flow.local.sets, *local_set(&flow.local, range, range->end_block));
}

/* ---- Traits ---- */

static const uint32_t kind_traits[GM_KIND_COUNT] = {
#define GM_REGION_TRAIT(kind, traits) [GM_KIND_##kind] = traits,
#include "flow/region_traits.def"
};

typedef struct scan {
    gm_function *function;
    uint32_t traits;
    uint32_t inner; /* bytes up to here belong to a nested function or class */
    gm_outer_names outer_writes;
} scan;

static bool is_inside(const gm_scope *scope, const gm_scope *outer) {
    while (scope != NULL && scope != outer) {
        scope = scope->parent;
    }
    return scope == outer;
}

static void note_special_name(scan *state, const gm_name *name) {
    static const struct {
        const char *text;
        uint32_t trait;
    } special[] = {
        {"super", GM_REGION_SUPER}, {"__class__", GM_REGION_SUPER}, {"locals", GM_REGION_LOCALS}, {"vars", GM_REGION_LOCALS},
        {"dir", GM_REGION_LOCALS},  {"eval", GM_REGION_LOCALS},     {"exec", GM_REGION_LOCALS},
    };
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        state->traits |= gm_name_is(name, special[i].text) ? special[i].trait : 0;
    }
}

static void note_write(scan *state, const gm_node *node) {
    gm_symbol *symbol = gm_scopes_symbol(state->function->flow->scopes, node);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(state->function->flow->scopes, symbol);
    if (symbol != NULL && (owner == NULL || !is_inside(owner->scope, state->function->scope))) {
        gm_outer_names_add(state->function->flow->arena, &state->outer_writes, symbol);
    }
}

static void note_names(scan *state, const gm_node *node) {
    if (node->kind == GM_KIND_Name && gm_as_Name(node)->ctx == GM_LOAD) {
        note_special_name(state, gm_as_Name(node)->id);
    } else if (node->kind != GM_KIND_arg) {
        note_write(state, node);
    }
}

static bool opens_frame(const gm_node *node) {
    return node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef || node->kind == GM_KIND_Lambda ||
           node->kind == GM_KIND_ClassDef;
}

/* Names count wherever they stand; what statements do counts only outside nested functions and classes. */
static bool scan_node(const gm_node *node, const gm_node *parent, void *context) {
    scan *state = context;
    (void)parent;
    note_names(state, node);
    if (node->start < state->inner) {
        return true;
    }
    state->traits |= kind_traits[node->kind];
    if (node->kind == GM_KIND_comprehension && gm_as_comprehension(node)->is_async) {
        state->traits |= GM_REGION_AWAIT;
    }
    if (opens_frame(node)) {
        state->inner = node->end;
    }
    return true;
}

/* ---- The whole ---- */

static gm_set add_writes(const gm_sets *sets, gm_set writes, const gm_access *accesses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        writes = accesses[i].kind == GM_ACCESS_WRITE ? gm_set_add(sets, writes, accesses[i].symbol->index) : writes;
    }
    return writes;
}

gm_region gm_region_of(gm_function *function, gm_node *const *statements, uint32_t count) {
    gm_region region = {0};
    if (count == 0) {
        return region;
    }
    scan state = {.function = function};
    gm_sets sets = gm_sets_of(function->flow->arena, function->scope->symbols.count);
    for (uint32_t i = 0; i < count; i++) {
        state.inner = 0;
        gm_walk(function->flow->arena, statements[i], scan_node, &state);
    }
    extent range = extent_of(function, statements, count);
    gm_set writes = 0;
    if (range.known) {
        assert(range.first_step <= range.last_step && range.first_block <= range.last_block); /* statements follow one another */
        const gm_cfg *cfg = function->cfg;
        find_order(function, &range);
        for (uint32_t i = range.first_step; i < range.last_step; i++) {
            const gm_step *step = &cfg->steps.items[i];
            gm_work(function->flow->arena, 1 + step->access_count);
            if (step->access_count > 0) {
                writes = add_writes(&sets, writes, cfg->accesses.items + step->first_access, step->access_count);
            }
        }
        region.inputs = gm_set_list(function, &sets, find_inputs(function, &range));
        region.certain = gm_set_list(function, &sets, find_certain(function, &range));
    }
    region.traits = state.traits;
    region.writes = gm_set_list(function, &sets, writes);
    region.outer_writes = (gm_symbol_list){state.outer_writes.symbols.items, state.outer_writes.symbols.count};
    return region;
}

gm_region gm_region_of_expression(gm_function *function, const gm_node *expression) {
    gm_arena *arena = function->flow->arena;
    scan state = {.function = function};
    gm_sets sets = gm_sets_of(arena, function->scope->symbols.count);
    gm_walk(arena, expression, scan_node, &state);
    gm_cfg scratch = {.scopes = function->flow->scopes, .scope = function->scope, .node = function->node};
    access_sink sink = {.arena = arena, .cfg = &scratch};
    gm_accesses_of_expression(&sink, expression);
    gm_set inputs = 0;
    gm_set certain = 0;
    for (uint32_t i = 0; i < scratch.accesses.count; i++) {
        const gm_access *access = &scratch.accesses.items[i];
        uint32_t index = access->symbol->index;
        if (access->kind != GM_ACCESS_WRITE && !gm_set_has(&sets, certain, index)) {
            inputs = gm_set_add(&sets, inputs, index);
        } else if (access->kind == GM_ACCESS_WRITE && !access->maybe) {
            certain = gm_set_add(&sets, certain, index);
        }
    }
    gm_set writes = add_writes(&sets, 0, scratch.accesses.items, scratch.accesses.count);
    return (gm_region){
        .traits = state.traits,
        .inputs = gm_set_list(function, &sets, inputs),
        .certain = gm_set_list(function, &sets, certain),
        .writes = gm_set_list(function, &sets, writes),
        .outer_writes = {state.outer_writes.symbols.items, state.outer_writes.symbols.count},
    };
}
