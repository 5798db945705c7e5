#include "flow/bases.h"

#include "flow/flow_private.h"

enum { BASE_LIMIT = 6, SEARCH_LIMIT = 1000 };

GM_MAP_FUNCTIONS(bases, gm_base_map, gm_base_slot, const gm_node *, node, gm_hash_pointer, 16)

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

bool gm_bases_enter(gm_base_search *search, const gm_node *class_def, uint32_t depth) {
    gm_base_slot *slot = bases_at(search->flow->arena, &search->flow->hidden->bases, class_def);
    if (slot->search == search->number && slot->depth <= depth) {
        return false;
    }
    slot->search = search->number;
    slot->depth = depth;
    return true;
}
