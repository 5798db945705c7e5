/* Live variables, backwards over the graph. */
#include "flow/flow_private.h"

struct gm_liveness {
    gm_sets sets;
    gm_set *in;    /* of each block: live where it begins */
    gm_set always; /* read by whoever runs after any statement */
    bool *due;     /* blocks behind which something has changed since they were looked at */
    bool *catches; /* blocks that an exception may lead to */
};

static gm_set find_always(const gm_function *function, const gm_sets *sets) {
    gm_set set = 0;
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if (gm_always_live(function, function->scope->symbols.items[i])) {
            set = gm_set_add(sets, set, i);
        }
    }
    return set;
}

/* What is live in front of every statement of a block: what always is, and what is where an exception leads, which may come at any. */
static gm_set kept_in(const gm_function *function, const gm_block *block) {
    const struct gm_liveness *facts = function->liveness;
    return block->handler == GM_CFG_NONE ? facts->always : gm_set_join(&facts->sets, facts->always, facts->in[block->handler]);
}

/* A deletion needs the variable to be bound: it counts as a use. */
static gm_set undo_access(const gm_sets *sets, gm_set set, gm_set kept, const gm_access *access) {
    uint32_t index = access->symbol->index;
    if (access->kind != GM_ACCESS_WRITE) {
        return gm_set_add(sets, set, index);
    }
    return access->maybe || gm_set_has(sets, kept, index) ? set : gm_set_remove(sets, set, index);
}

/* What is live where a block ends: at its successors, and wherever an exception may lead. */
static gm_set live_out(const gm_function *function, const gm_block *block, gm_set kept) {
    const gm_cfg *cfg = function->cfg;
    gm_set set = 0;
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->successors[block->first_successor + i]];
        set = gm_set_join(&function->liveness->sets, set, function->liveness->in[edge->to]);
    }
    return gm_set_join(&function->liveness->sets, set, kept);
}

/* From the end of a block back to just before its step number `first`. What is kept is in the set from the beginning and stays. */
static gm_set pass_back(const gm_function *function, uint32_t index, uint32_t first) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    gm_set kept = kept_in(function, block);
    gm_work(function->flow->arena, block->successor_count + 3U + block->step_count);
    gm_set set = live_out(function, block, kept);
    for (uint32_t i = block->first_step + block->step_count; i > first; i--) {
        const gm_step *step = &cfg->steps.items[i - 1];
        gm_work(function->flow->arena, step->access_count);
        for (uint32_t k = step->access_count; k > 0; k--) {
            set = undo_access(&function->liveness->sets, set, kept, &cfg->accesses.items[step->first_access + k - 1]);
        }
    }
    return set;
}

/* The blocks in front of one that has changed. Those whose exceptions it catches are listed nowhere: find_liveness looks at all. */
static void make_due(const gm_function *function, uint32_t index) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        function->liveness->due[cfg->edges.items[cfg->predecessors[block->first_predecessor + i]].from] = true;
    }
}

static bool update_block(const gm_function *function, uint32_t index) {
    gm_set *in = &function->liveness->in[index];
    gm_set set = pass_back(function, index, function->cfg->blocks.items[index].first_step);
    set = gm_set_join(&function->liveness->sets, *in, set);
    bool changed = set != *in;
    *in = set;
    return changed;
}

static void start_liveness(gm_function *function) {
    const gm_cfg *cfg = function->cfg;
    gm_arena *arena = function->flow->arena;
    struct gm_liveness *facts = GM_NEW(arena, struct gm_liveness);
    facts->sets = gm_sets_of(arena, function->scope->symbols.count);
    facts->in = GM_NEW_ARRAY(arena, gm_set, cfg->blocks.count);
    facts->due = GM_NEW_ARRAY(arena, bool, cfg->blocks.count);
    facts->catches = GM_NEW_ARRAY(arena, bool, cfg->blocks.count);
    facts->always = find_always(function, &facts->sets);
    for (uint32_t i = 0; i < cfg->blocks.count; i++) {
        facts->due[i] = true;
        if (cfg->blocks.items[i].handler != GM_CFG_NONE) {
            facts->catches[cfg->blocks.items[i].handler] = true;
        }
    }
    function->liveness = facts;
}

static void find_liveness(gm_function *function) {
    const gm_cfg *cfg = function->cfg;
    if (function->liveness != NULL) {
        return;
    }
    start_liveness(function);
    struct gm_liveness *facts = function->liveness;
    bool again = true;
    for (bool all = false; again;) {
        bool next_all = false;
        again = false;
        for (uint32_t i = cfg->reachable_count; i > 0; i--) {
            uint32_t index = cfg->order[i - 1];
            if (!all && !facts->due[index]) {
                continue;
            }
            facts->due[index] = false;
            if (update_block(function, index)) {
                make_due(function, index);
                next_all = next_all || facts->catches[index];
                again = true;
            }
        }
        all = next_all;
    }
}

static gm_set all_locals(const gm_function *function) {
    gm_set set = 0;
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if (gm_symbol_is_local(function->scope->symbols.items[i])) {
            set = gm_set_add(&function->liveness->sets, set, i);
        }
    }
    return set;
}

/* ---- At a statement ---- */

static bool is_kept(const gm_function *function, const gm_block *block, uint32_t variable) {
    const struct gm_liveness *facts = function->liveness;
    return gm_set_has(&facts->sets, facts->always, variable) ||
           (block->handler != GM_CFG_NONE && gm_set_has(&facts->sets, facts->in[block->handler], variable));
}

/* Whether a variable is live in front of a step: the first access from there on decides, and without one what is behind the block. */
static bool is_live_at(gm_function *function, uint32_t index, uint32_t step, uint32_t variable) {
    const gm_cfg *cfg = function->cfg;
    const gm_accesses *all = gm_accesses_of(function);
    const gm_block *block = &cfg->blocks.items[index];
    bool live = is_kept(function, block, variable);
    uint32_t end = block->first_step + block->step_count;
    uint32_t last = gm_accesses_from(all, variable, end);
    for (uint32_t i = gm_accesses_from(all, variable, step); !live && i < last; i++) {
        const gm_access *access = all->items[i].access;
        if (access->kind != GM_ACCESS_WRITE || !access->maybe) {
            return access->kind != GM_ACCESS_WRITE;
        }
    }
    for (uint32_t i = 0; !live && i < block->successor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->successors[block->first_successor + i]];
        live = gm_set_has(&function->liveness->sets, function->liveness->in[edge->to], variable);
    }
    return live;
}

/* Of two places of a `finally` each counts by itself. */
static gm_set find_live(gm_function *function, const gm_node *statement) {
    const gm_cfg *cfg = function->cfg;
    bool found = false;
    find_liveness(function);
    gm_set set = function->liveness->always;
    for (const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement); slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (cfg->blocks.items[slot->block].order >= 0) {
            found = true;
            set = gm_set_join(&function->liveness->sets, set, pass_back(function, slot->block, slot->step));
        }
    }
    return found ? set : gm_set_join(&function->liveness->sets, set, all_locals(function));
}

gm_symbol_list gm_live_before(gm_function *function, const gm_node *statement) {
    gm_set live = find_live(function, statement);
    return gm_set_list(function, &function->liveness->sets, live);
}

bool gm_is_live_after(gm_function *function, const gm_node *statement, const gm_symbol *symbol) {
    const gm_cfg *cfg = function->cfg;
    bool found = false;
    find_liveness(function);
    bool live = gm_set_has(&function->liveness->sets, function->liveness->always, symbol->index);
    for (const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement); slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (cfg->blocks.items[slot->block].order >= 0) {
            found = true;
            live = live || (slot->ends && is_live_at(function, slot->end_block, slot->end_step, symbol->index));
        }
    }
    return live || (!found && gm_symbol_is_local(symbol));
}
