/* Live variables, backwards over the graph. */
#include "flow/flow_private.h"

struct gm_liveness {
    gm_set_word *in; /* a set for each block: live where it begins */
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

/* A deletion needs the variable to be bound: it counts as a use. */
static void undo_access(gm_set_word *set, const gm_access *access) {
    if (access->kind == GM_ACCESS_WRITE && !access->maybe) {
        gm_set_remove(set, access->symbol->index);
    } else if (access->kind != GM_ACCESS_WRITE) {
        gm_set_add(set, access->symbol->index);
    }
}

static void add_always(const gm_function *function, gm_set_word *set) {
    for (uint32_t i = 0; i < function->scope->symbols.count; i++) {
        if (gm_always_live(function, function->scope->symbols.items[i])) {
            gm_set_add(set, i);
        }
    }
}

/* What is live where a block ends: at its successors, and wherever an exception may lead. */
static void live_out(const gm_function *function, uint32_t index, gm_set_word *set) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->successors[block->first_successor + i]];
        add_all(set, live_in(function, edge->to), function->liveness->words);
    }
    if (block->handler != GM_CFG_NONE) {
        add_all(set, live_in(function, (uint32_t)block->handler), function->liveness->words);
    }
    add_always(function, set);
}

/* From the end of a block back to just before its step number `first`. */
static void pass_back(const gm_function *function, uint32_t index, uint32_t first, gm_set_word *set) {
    const gm_cfg *cfg = function->cfg;
    const gm_block *block = &cfg->blocks.items[index];
    for (uint32_t i = block->first_step + block->step_count; i > first; i--) {
        const gm_step *step = &cfg->steps.items[i - 1];
        for (uint32_t k = step->access_count; k > 0; k--) {
            undo_access(set, &cfg->accesses.items[step->first_access + k - 1]);
        }
        if (block->handler != GM_CFG_NONE) {
            add_all(set, live_in(function, (uint32_t)block->handler), function->liveness->words);
        }
        add_always(function, set);
    }
}

static bool update_block(gm_function *function, uint32_t index, gm_set_word *scratch) {
    uint32_t words = function->liveness->words;
    gm_set_word *in = live_in(function, index);
    bool changed = false;
    for (uint32_t i = 0; i < words; i++) {
        scratch[i] = 0;
    }
    live_out(function, index, scratch);
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
    gm_set_word *scratch = GM_NEW_ARRAY(function->flow->arena, gm_set_word, function->liveness->words);
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

static void live_at(gm_function *function, uint32_t block, uint32_t step, gm_set_word *set) {
    live_out(function, block, set);
    pass_back(function, block, step, set);
}

static gm_set_word *find_live(gm_function *function, const gm_node *statement, bool behind) {
    const gm_cfg *cfg = function->cfg;
    gm_set_word *set = gm_set_new(function);
    bool found = false;
    find_liveness(function);
    add_always(function, set);
    for (const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement); slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (cfg->blocks.items[slot->block].order < 0) {
            continue;
        }
        found = true;
        if (!behind) {
            live_at(function, slot->block, slot->step, set);
        } else if (slot->ends) {
            live_at(function, slot->end_block, slot->end_step, set);
        }
    }
    if (!found) {
        add_locals(function, set);
    }
    return set;
}

gm_symbol_list gm_live_before(gm_function *function, const gm_node *statement) {
    return gm_set_list(function, find_live(function, statement, false));
}

bool gm_is_live_after(gm_function *function, const gm_node *statement, const gm_symbol *symbol) {
    return gm_set_has(find_live(function, statement, true), symbol->index);
}
