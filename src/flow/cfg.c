#include "flow/cfg.h"

#include "flow/cfg_private.h"
#include "flow/flow_private.h"

/* Dominators of larger graphs are not verified: that takes time by the square. */
enum { FIRST_PLACES = 32, VERIFY_LIMIT = 2000 };

/* ---- Places of statements ---- */

/* The table is at most half full; `count` slots are used. Further places of a statement follow by `next`. */
static uint32_t slot_index(const gm_cfg *cfg, const gm_node *node) {
    uint32_t at = gm_hash_node(node) & (cfg->place_capacity - 1);
    while (cfg->places[at].node != NULL && cfg->places[at].node != node) {
        at = (at + 1) & (cfg->place_capacity - 1);
    }
    return at;
}

const gm_cfg_slot *gm_cfg_find_slot(const gm_cfg *cfg, const gm_node *statement) {
    if (cfg->place_capacity == 0) {
        return NULL;
    }
    const gm_cfg_slot *slot = &cfg->places[slot_index(cfg, statement)];
    return slot->node == NULL ? NULL : slot;
}

const gm_cfg_slot *gm_cfg_next_slot(const gm_cfg *cfg, const gm_cfg_slot *slot) {
    return slot->next < 0 ? NULL : &cfg->more_places.items[slot->next];
}

static void grow_places(gm_arena *arena, gm_cfg *cfg) {
    gm_cfg_slot *old = cfg->places;
    uint32_t old_capacity = cfg->place_capacity;
    cfg->place_capacity = old_capacity == 0 ? FIRST_PLACES : old_capacity * 2;
    cfg->places = GM_NEW_ARRAY(arena, gm_cfg_slot, cfg->place_capacity);
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].node != NULL) {
            cfg->places[slot_index(cfg, old[i].node)] = old[i];
        }
    }
}

void gm_cfg_add_place(gm_arena *arena, gm_cfg *cfg, const gm_node *statement, uint32_t block) {
    if (cfg->place_count >= cfg->place_capacity / 2) {
        grow_places(arena, cfg);
    }
    gm_cfg_slot *slot = &cfg->places[slot_index(cfg, statement)];
    gm_cfg_slot added = {.node = statement, .block = block, .step = cfg->steps.count, .next = -1};
    added.first_new_block = cfg->blocks.count;
    if (slot->node == NULL) {
        *slot = added;
        cfg->place_count++;
        return;
    }
    added.next = slot->next;
    slot->next = (int32_t)cfg->more_places.count;
    gm_vec_push(arena, &cfg->more_places, added);
}

void gm_cfg_end_place(gm_cfg *cfg, const gm_node *statement, uint32_t block, bool ends) {
    gm_cfg_slot *slot = &cfg->places[slot_index(cfg, statement)];
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

/* ---- Order and dominators ---- */

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
        cfg->blocks.items[i].dominator = GM_CFG_NONE;
    }
    for (uint32_t i = 0; i < done; i++) {
        cfg->order[i] = post[done - 1 - i];
        cfg->blocks.items[cfg->order[i]].order = (int32_t)i;
    }
}

/* The nearest common dominator of two blocks, by walking up from the later one. */
static uint32_t meet(const gm_cfg *cfg, uint32_t left, uint32_t right) {
    while (left != right) {
        const gm_block *blocks = cfg->blocks.items;
        if (blocks[left].order > blocks[right].order) {
            left = (uint32_t)blocks[left].dominator;
        } else {
            right = (uint32_t)blocks[right].dominator;
        }
    }
    return left;
}

static bool offer_dominator(gm_cfg *cfg, uint32_t block, uint32_t candidate) {
    gm_block *target = &cfg->blocks.items[block];
    if (block == GM_CFG_ENTRY) {
        return false;
    }
    uint32_t joined = target->dominator == GM_CFG_NONE ? candidate : meet(cfg, (uint32_t)target->dominator, candidate);
    bool changed = target->dominator != (int32_t)joined;
    target->dominator = (int32_t)joined;
    return changed;
}

/* Where an exception in a block goes. */
static int32_t way_of_exceptions(const gm_cfg *cfg, uint32_t block) {
    return way_out(cfg, block, cfg->blocks.items[block].successor_count);
}

/* Whether a block adds nothing to the dominator of the handler of its exceptions: its own dominator, which comes earlier in the order, has the
 * same handler. Without this every block of a long body would walk all the way up to the first one. */
static bool adds_nothing(const gm_cfg *cfg, uint32_t block) {
    int32_t dominator = cfg->blocks.items[block].dominator;
    return dominator != GM_CFG_NONE && way_of_exceptions(cfg, (uint32_t)dominator) == way_of_exceptions(cfg, block);
}

static bool offer_to_successors(gm_cfg *cfg, uint32_t block) {
    bool changed = false;
    uint32_t count = cfg->blocks.items[block].successor_count;
    for (uint32_t k = 0;; k++) {
        int32_t next = way_out(cfg, block, k);
        if (next == GM_CFG_NONE) {
            return changed;
        }
        if (k < count || !adds_nothing(cfg, block)) {
            changed |= offer_dominator(cfg, (uint32_t)next, block);
        }
    }
}

static void find_dominators(gm_cfg *cfg) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < cfg->reachable_count; i++) {
            changed |= offer_to_successors(cfg, cfg->order[i]);
        }
    }
}

void gm_cfg_finish(gm_arena *arena, gm_cfg *cfg) {
    cfg->successors = sort_edges(arena, cfg, true);
    cfg->predecessors = sort_edges(arena, cfg, false);
    find_order(arena, cfg);
    find_dominators(cfg);
}

bool gm_cfg_dominates(const gm_cfg *cfg, uint32_t over, uint32_t block) {
    int32_t at = (int32_t)block;
    while (at != GM_CFG_NONE && at != (int32_t)over) {
        at = cfg->blocks.items[at].dominator;
    }
    return at == (int32_t)over;
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
    if (block->order > 0 && block->dominator == GM_CFG_NONE) {
        return "a reachable block has no dominator";
    }
    return NULL;
}

/* What dominates a block dominates everything from which control comes to it. */
static const char *verify_dominators(const gm_cfg *cfg, uint32_t index) {
    bool asked = cfg->blocks.items[index].order >= 0 && cfg->blocks.count <= VERIFY_LIMIT;
    for (uint32_t i = 0; asked; i++) {
        int32_t next = way_out(cfg, index, i);
        if (next == GM_CFG_NONE) {
            break;
        }
        int32_t dominator = cfg->blocks.items[next].dominator;
        if (next != GM_CFG_ENTRY && (dominator == GM_CFG_NONE || !gm_cfg_dominates(cfg, (uint32_t)dominator, index))) {
            return "a dominator can be passed by";
        }
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
        problem = problem == NULL ? verify_dominators(cfg, i) : problem;
    }
    for (uint32_t i = 0; problem == NULL && i < cfg->reachable_count; i++) {
        problem = cfg->blocks.items[cfg->order[i]].order != (int32_t)i ? "the order is not one of the blocks" : NULL;
    }
    return problem;
}
