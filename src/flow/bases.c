#include "flow/bases.h"

#include "flow/flow_private.h"

enum { BASE_LIMIT = 6, SEARCH_LIMIT = 1000, FIRST_SLOTS = 16 };

gm_base_search gm_bases_search(gm_flow *flow) {
    return (gm_base_search){flow, ++flow->hidden->base_searches, SEARCH_LIMIT};
}

bool gm_bases_go_on(gm_base_search *search, uint32_t at, uint32_t count, uint32_t depth) {
    if (at >= count || depth >= BASE_LIMIT || search->left == 0) {
        return false;
    }
    search->left--;
    return true;
}

static gm_base_slot *slot_of(const struct gm_flow_private *hidden, const gm_node *class_def) {
    uint32_t at = gm_hash_pointer(class_def) & (hidden->base_capacity - 1);
    while (hidden->bases[at].node != NULL && hidden->bases[at].node != class_def) {
        at = (at + 1) & (hidden->base_capacity - 1);
    }
    return &hidden->bases[at];
}

static void grow(gm_arena *arena, struct gm_flow_private *hidden) {
    gm_base_slot *old = hidden->bases;
    uint32_t old_capacity = hidden->base_capacity;
    hidden->base_capacity = old_capacity == 0 ? FIRST_SLOTS : old_capacity * 2;
    hidden->bases = GM_NEW_ARRAY(arena, gm_base_slot, hidden->base_capacity);
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].node != NULL) {
            *slot_of(hidden, old[i].node) = old[i];
        }
    }
}

bool gm_bases_enter(gm_base_search *search, const gm_node *class_def, uint32_t depth) {
    struct gm_flow_private *hidden = search->flow->hidden;
    if (hidden->base_count >= hidden->base_capacity / 2) {
        grow(search->flow->arena, hidden);
    }
    gm_base_slot *slot = slot_of(hidden, class_def);
    if (slot->node != NULL && slot->search == search->number && slot->depth <= depth) {
        return false;
    }
    hidden->base_count += slot->node == NULL;
    *slot = (gm_base_slot){class_def, search->number, depth};
    return true;
}
