/* Typed growing arrays in an arena.
 *
 *     GM_VEC(uint32_t) starts = {0};
 *     gm_vec_push(arena, &starts, offset);
 */
#ifndef GM_BASE_VEC_H
#define GM_BASE_VEC_H

#include "base/arena.h"

#define GM_VEC(type)       \
    struct {               \
        type *items;       \
        uint32_t count;    \
        uint32_t capacity; \
    }

/* Room for one more item of `item_size` bytes; returns the items, which may have moved. */
void *gm_vec_grow(gm_arena *arena, void *items, uint32_t *capacity, size_t item_size);

#define gm_vec_push(arena, vec, value)                                                                 \
    do {                                                                                               \
        if ((vec)->count == (vec)->capacity) {                                                         \
            (vec)->items = gm_vec_grow((arena), (vec)->items, &(vec)->capacity, sizeof *(vec)->items); \
        }                                                                                              \
        (vec)->items[(vec)->count++] = (value);                                                        \
    } while (0)

#endif
