/* Live variables, backwards over the graph. */
#include "flow/flow_private.h"

struct gm_liveness {
    gm_set_word *in;     /* a set for each block: live where it begins */
    gm_set_word *always; /* read by whoever runs after any statement */
    gm_set_word *keep;   /* scratch: what no statement of the block in hand makes dead */
    uint32_t words;
};

static gm_set_word *live_in(const gm_function *function, uint32_t block) {
    return function->liveness->in + (size_t)block * function->liveness->words;
}

static void add_all(gm_set_word *set, const gm_set_word *other, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        set[i] |= other[i];
    }
}

static void find_always(const gm_function *function, gm_set_word *set) {
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if (gm_always_live(function, function->scope->symbols.items[i])) {
            gm_set_add(set, i);
        }
    }
}

/* What is live in front of every statement of a block: what always is, and what is where an exception leads, which may come at any. */
static const gm_set_word *kept_in(const gm_function *function, const gm_block *block) {
    const struct gm_liveness *facts = function->liveness;
    if (block->handler == GM_CFG_NONE) {
        return facts->always;
    }
    const gm_set_word *handler = live_in(function, (uint32_t)block->handler);
    for (uint32_t i = 0; i < facts->words; i++) {
        facts->keep[i] = facts->always[i] | handler[i];
    }
    return facts->keep;
}

/* A deletion needs the variable to be bound: it counts as a use. */
static void undo_access(gm_set_word *set, const gm_set_word *kept, const gm_access *access) {
    uint32_t index = access->symbol->index;
    if (access->kind != GM_ACCESS_WRITE) {
        gm_set_add(set, index);
    } else if (!access->maybe && !gm_set_has(kept, index)) {
        gm_set_remove(set, index);
    }
}

/* What is live where a block ends: at its successors, and wherever an exception may lead. */
static void live_out(const gm_function *function, uint32_t index, const gm_set_word *kept, gm_set_word *set) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->successors[block->first_successor + i]];
        add_all(set, live_in(function, edge->to), function->liveness->words);
    }
    add_all(set, kept, function->liveness->words);
}

/* From the end of a block back to just before its step number `first`. What is kept is in the set from the beginning and stays. */
static void pass_back(const gm_function *function, uint32_t index, uint32_t first, gm_set_word *set) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    const gm_set_word *kept = kept_in(function, block);
    gm_work(function->flow->arena, (block->successor_count + 3U) * (uint64_t)function->liveness->words + block->step_count);
    live_out(function, index, kept, set);
    for (uint32_t i = block->first_step + block->step_count; i > first; i--) {
        const gm_step *step = &cfg->steps.items[i - 1];
        gm_work(function->flow->arena, step->access_count);
        for (uint32_t k = step->access_count; k > 0; k--) {
            undo_access(set, kept, &cfg->accesses.items[step->first_access + k - 1]);
        }
    }
}

static bool update_block(gm_function *function, uint32_t index, gm_set_word *scratch) {
    uint32_t words = function->liveness->words;
    gm_set_word *in = live_in(function, index);
    bool changed = false;
    for (uint32_t i = 0; i < words; i++) {
        scratch[i] = 0;
    }
    pass_back(function, index, function->cfg->blocks.items[index].first_step, scratch);
    for (uint32_t i = 0; i < words; i++) {
        changed |= in[i] != scratch[i];
        in[i] = scratch[i];
    }
    return changed;
}

static void find_liveness(gm_function *function) {
    const gm_cfg *cfg = function->cfg;
    if (function->liveness != NULL) {
        return;
    }
    function->liveness = GM_NEW(function->flow->arena, struct gm_liveness);
    function->liveness->words = gm_set_words(function);
    size_t size = (size_t)cfg->blocks.count * function->liveness->words;
    function->liveness->in = GM_NEW_ARRAY(function->flow->arena, gm_set_word, size);
    function->liveness->always = gm_set_new(function);
    function->liveness->keep = gm_set_new(function);
    find_always(function, function->liveness->always);
    gm_set_word *scratch = gm_set_new(function);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = cfg->reachable_count; i > 0; i--) {
            changed |= update_block(function, cfg->order[i - 1], scratch);
        }
    }
}

static void add_locals(const gm_function *function, gm_set_word *set) {
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if (gm_symbol_is_local(function->scope->symbols.items[i])) {
            gm_set_add(set, i);
        }
    }
}

/* ---- At a statement ---- */

static bool is_kept(const gm_function *function, const gm_block *block, uint32_t variable) {
    return gm_set_has(function->liveness->always, variable) ||
           (block->handler != GM_CFG_NONE && gm_set_has(live_in(function, (uint32_t)block->handler), variable));
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
        live = gm_set_has(live_in(function, cfg->edges.items[cfg->successors[block->first_successor + i]].to), variable);
    }
    return live;
}

static gm_set_word *find_live(gm_function *function, const gm_node *statement) {
    const gm_cfg *cfg = function->cfg;
    gm_set_word *set = gm_set_new(function);
    bool found = false;
    find_liveness(function);
    add_all(set, function->liveness->always, function->liveness->words);
    for (const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement); slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (cfg->blocks.items[slot->block].order >= 0) {
            gm_set_word *here = found ? gm_set_new(function) : set; /* of two places of a `finally` each counts by itself */
            found = true;
            pass_back(function, slot->block, slot->step, here);
            add_all(set, here, function->liveness->words);
        }
    }
    if (!found) {
        add_locals(function, set);
    }
    return set;
}

gm_symbol_list gm_live_before(gm_function *function, const gm_node *statement) {
    return gm_set_list(function, find_live(function, statement));
}

bool gm_is_live_after(gm_function *function, const gm_node *statement, const gm_symbol *symbol) {
    const gm_cfg *cfg = function->cfg;
    bool found = false;
    find_liveness(function);
    bool live = gm_set_has(function->liveness->always, symbol->index);
    for (const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement); slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (cfg->blocks.items[slot->block].order >= 0) {
            found = true;
            live = live || (slot->ends && is_live_at(function, slot->end_block, slot->end_step, symbol->index));
        }
    }
    return live || (!found && gm_symbol_is_local(symbol));
}
