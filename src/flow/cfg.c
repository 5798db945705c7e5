#include "flow/cfg.h"

#include "flow/cfg_private.h"

/* ---- Places of statements ---- */

/* Further places of a statement follow by `next`. */
GM_MAP_FUNCTIONS(places, gm_cfg_places, gm_cfg_slot, const gm_node *, node, gm_hash_pointer, 32)

const gm_cfg_slot *gm_cfg_find_slot(const gm_cfg *cfg, const gm_node *statement) {
    return places_find(&cfg->places, statement);
}

const gm_cfg_slot *gm_cfg_next_slot(const gm_cfg *cfg, const gm_cfg_slot *slot) {
    return slot->next < 0 ? NULL : &cfg->more_places.items[slot->next];
}

void gm_cfg_add_place(gm_arena *arena, gm_cfg *cfg, const gm_node *statement, uint32_t block) {
    uint32_t known = cfg->places.count;
    gm_cfg_slot *slot = places_at(arena, &cfg->places, statement);
    gm_cfg_slot added = {.node = statement, .block = block, .step = cfg->steps.count, .next = -1};
    added.first_new_block = cfg->blocks.count;
    if (cfg->places.count > known) {
        *slot = added;
        return;
    }
    added.next = slot->next;
    slot->next = (int32_t)cfg->more_places.count;
    gm_vec_push(arena, &cfg->more_places, added);
}

void gm_cfg_end_place(gm_cfg *cfg, const gm_node *statement, uint32_t block, bool ends) {
    gm_cfg_slot *slot = places_find(&cfg->places, statement);
    slot = slot->next < 0 ? slot : &cfg->more_places.items[slot->next];
    slot->ends = ends;
    slot->end_block = block;
    slot->end_step = cfg->steps.count;
    slot->last_new_block = cfg->blocks.count;
}

bool gm_cfg_place(const gm_cfg *cfg, const gm_node *statement, uint32_t *block, uint32_t *step) {
    const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement);
    if (slot == NULL) {
        return false;
    }
    *block = slot->block;
    *step = slot->step;
    return true;
}

/* ---- Successors and predecessors ---- */

/* Sort edge indexes by one end, by counting. */
static uint32_t *sort_edges(gm_arena *arena, gm_cfg *cfg, bool by_source) {
    uint32_t *sorted = GM_NEW_ARRAY(arena, uint32_t, cfg->edges.count);
    for (uint32_t i = 0; i < cfg->edges.count; i++) {
        const gm_edge *edge = &cfg->edges.items[i];
        gm_block *block = &cfg->blocks.items[by_source ? edge->from : edge->to];
        *(by_source ? &block->successor_count : &block->predecessor_count) += 1;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < cfg->blocks.count; i++) {
        gm_block *block = &cfg->blocks.items[i];
        uint32_t *first = by_source ? &block->first_successor : &block->first_predecessor;
        uint32_t *count = by_source ? &block->successor_count : &block->predecessor_count;
        *first = next;
        next += *count;
        *count = 0;
    }
    for (uint32_t i = 0; i < cfg->edges.count; i++) {
        const gm_edge *edge = &cfg->edges.items[i];
        gm_block *block = &cfg->blocks.items[by_source ? edge->from : edge->to];
        uint32_t first = by_source ? block->first_successor : block->first_predecessor;
        uint32_t *count = by_source ? &block->successor_count : &block->predecessor_count;
        sorted[first + (*count)++] = i;
    }
    return sorted;
}

/* Everything that control may do at the end of a block or, by an exception, in it: successor number `i`, or GM_CFG_NONE. */
static int32_t way_out(const gm_cfg *cfg, uint32_t block, uint32_t i) {
    const gm_block *from = &cfg->blocks.items[block];
    if (i < from->successor_count) {
        return (int32_t)cfg->edges.items[cfg->successors[from->first_successor + i]].to;
    }
    if (i > from->successor_count || block == GM_CFG_RETURN || block == GM_CFG_RAISE) {
        return GM_CFG_NONE;
    }
    return from->handler == GM_CFG_NONE ? GM_CFG_RAISE : from->handler;
}

/* ---- Order ---- */

typedef struct visit_state {
    uint32_t block;
    uint32_t next;
} visit_state;

/* Reverse post order by a depth-first walk with an explicit stack. */
static void find_order(gm_arena *arena, gm_cfg *cfg) {
    GM_VEC(visit_state) stack = {0};
    uint32_t count = cfg->blocks.count;
    uint32_t *post = GM_NEW_ARRAY(arena, uint32_t, count);
    bool *seen = GM_NEW_ARRAY(arena, bool, count);
    uint32_t done = 0;
    gm_vec_push(arena, &stack, ((visit_state){GM_CFG_ENTRY, 0}));
    seen[GM_CFG_ENTRY] = true;
    while (stack.count > 0) {
        visit_state *top = &stack.items[stack.count - 1];
        int32_t next = way_out(cfg, top->block, top->next++);
        if (next == GM_CFG_NONE) {
            post[done++] = top->block;
            stack.count--;
        } else if (!seen[next]) {
            seen[next] = true;
            gm_vec_push(arena, &stack, ((visit_state){(uint32_t)next, 0}));
        }
    }
    cfg->order = GM_NEW_ARRAY(arena, uint32_t, done);
    cfg->reachable_count = done;
    for (uint32_t i = 0; i < count; i++) {
        cfg->blocks.items[i].order = -1;
    }
    for (uint32_t i = 0; i < done; i++) {
        cfg->order[i] = post[done - 1 - i];
        cfg->blocks.items[cfg->order[i]].order = (int32_t)i;
    }
}

void gm_cfg_finish(gm_arena *arena, gm_cfg *cfg) {
    cfg->successors = sort_edges(arena, cfg, true);
    cfg->predecessors = sort_edges(arena, cfg, false);
    find_order(arena, cfg);
}

/* ---- Invariants ---- */

static const char *verify_block(const gm_cfg *cfg, uint32_t index) {
    const gm_block *block = &cfg->blocks.items[index];
    if (block->first_step + block->step_count > cfg->steps.count) {
        return "a block has steps that do not exist";
    }
    if (block->handler != GM_CFG_NONE && (uint32_t)block->handler >= cfg->blocks.count) {
        return "a handler does not exist";
    }
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->successors[block->first_successor + i]];
        if (edge->from != index || edge->to >= cfg->blocks.count) {
            return "an edge is not one of its block";
        }
        if (block->order >= 0 && cfg->blocks.items[edge->to].order < 0) {
            return "a successor of a reachable block is unreachable";
        }
    }
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        if (cfg->edges.items[cfg->predecessors[block->first_predecessor + i]].to != index) {
            return "a predecessor is not one of its block";
        }
    }
    bool end = index == GM_CFG_RETURN || index == GM_CFG_RAISE;
    if (end && (block->successor_count > 0 || block->step_count > 0)) {
        return "an end of the graph is not empty";
    }
    return NULL;
}

/* Every step belongs to one block, and accesses are in the order of the steps. */
static const char *verify_steps(const gm_cfg *cfg) {
    uint32_t owned = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < cfg->blocks.count; i++) {
        owned += cfg->blocks.items[i].step_count;
    }
    for (uint32_t i = 0; i < cfg->steps.count; i++) {
        const gm_step *step = &cfg->steps.items[i];
        if (step->first_access != next) {
            return "the accesses of the steps have gaps";
        }
        next += step->access_count;
    }
    return owned != cfg->steps.count ? "a step belongs to no block or to two" : NULL;
}

const char *gm_cfg_verify(const gm_cfg *cfg) {
    const char *problem = verify_steps(cfg);
    for (uint32_t i = 0; problem == NULL && i < cfg->blocks.count; i++) {
        problem = verify_block(cfg, i);
    }
    for (uint32_t i = 0; problem == NULL && i < cfg->reachable_count; i++) {
        problem = cfg->blocks.items[cfg->order[i]].order != (int32_t)i ? "the order is not one of the blocks" : NULL;
    }
    return problem;
}
