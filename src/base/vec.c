#include "base/vec.h"

void *gm_vec_grow(gm_arena *arena, void *items, uint32_t *capacity, size_t item_size) {
    if (*capacity > UINT32_MAX / 2) {
        gm_arena_fail(arena);
    }
    uint32_t grown = *capacity == 0 ? 8 : *capacity * 2;
    void *moved = gm_arena_grow(arena, items, (size_t)*capacity * item_size, (size_t)grown * item_size);
    *capacity = grown;
    return moved;
}
