/* Typed maps in an arena, by open addressing: a slot holds its key and what belongs to it. Beside GM_VEC.
 *
 *     typedef struct age_slot {
 *         const gm_node *node;
 *         uint32_t age;
 *     } age_slot;
 *     typedef GM_MAP(age_slot) age_map;
 *     GM_MAP_FUNCTIONS(age, age_map, age_slot, const gm_node *, node, gm_hash_pointer, 16)
 *
 *     age_at(arena, &map, node)->age = 3;               the slot of a key, made when new: all zero but its key
 *     const age_slot *slot = age_find(&map, node);      NULL: there is none
 *
 * All zero is an empty map. A key is a pointer or a number, and never zero; there is no order among keys, and none goes. At most half of the slots
 * are used. Slots move when a map grows, which `at` alone does. The functions are static and small: a compiler sees key and hash, as in a table
 * that is written by hand. Who can choose the keys, such as the author of a file by the texts in it, is no match for gm_hash_near: keys of that
 * kind belong in table.h. */
#ifndef GM_BASE_MAP_H
#define GM_BASE_MAP_H

#include <assert.h>

#include "base/arena.h"
#include "base/near.h"

#define GM_MAP(slot_type)  \
    struct {               \
        slot_type *slots;  \
        uint32_t count;    \
        uint32_t capacity; \
    }

#if defined(__GNUC__)
#define GM_MAP_FUNCTION static inline __attribute__((unused))
#else
#define GM_MAP_FUNCTION static inline
#endif

/* Define PREFIX_find, PREFIX_at and PREFIX_reserve, which gives an empty map room for so many keys. `key` is the field of a slot that has the key,
 * `hash` gives 32 bits of one, and `first`, a power of two, is the number of slots that a map begins with. */
#define GM_MAP_FUNCTIONS(prefix, map_type, slot_type, key_type, key, hash, first)                \
    GM_MAP_FUNCTION slot_type *prefix##_probe(const map_type *map, key_type wanted) {            \
        uint32_t at = hash(wanted) & (map->capacity - 1);                                        \
        while (map->slots[at].key != 0 && map->slots[at].key != wanted) {                        \
            at = (at + 1) & (map->capacity - 1);                                                 \
        }                                                                                        \
        return &map->slots[at];                                                                  \
    }                                                                                            \
    GM_MAP_FUNCTION slot_type *prefix##_find(const map_type *map, key_type wanted) {             \
        uint32_t mask = map->capacity - 1;                                                       \
        if (map->capacity == 0) {                                                                \
            return NULL;                                                                         \
        }                                                                                        \
        for (uint32_t at = hash(wanted) & mask; map->slots[at].key != 0; at = (at + 1) & mask) { \
            if (map->slots[at].key == wanted) {                                                  \
                return &map->slots[at];                                                          \
            }                                                                                    \
        }                                                                                        \
        return NULL;                                                                             \
    }                                                                                            \
    GM_MAP_FUNCTION void prefix##_grow(gm_arena *arena, map_type *map) {                         \
        assert((map->capacity & (map->capacity - 1)) == 0);                                      \
        const map_type old = *map;                                                               \
        map->capacity = old.capacity == 0 ? (first) : old.capacity * 2;                          \
        map->slots = GM_NEW_ARRAY(arena, slot_type, map->capacity);                              \
        for (uint32_t i = 0; i < old.capacity; i++) {                                            \
            if (old.slots[i].key != 0) {                                                         \
                *prefix##_probe(map, old.slots[i].key) = old.slots[i];                           \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    GM_MAP_FUNCTION void prefix##_reserve(gm_arena *arena, map_type *map, uint32_t count) {      \
        assert(map->capacity == 0);                                                              \
        for (map->capacity = (first); map->capacity / 2 <= count; map->capacity *= 2) {          \
        }                                                                                        \
        map->slots = GM_NEW_ARRAY(arena, slot_type, map->capacity);                              \
    }                                                                                            \
    GM_MAP_FUNCTION slot_type *prefix##_at(gm_arena *arena, map_type *map, key_type wanted) {    \
        assert(wanted != 0);                                                                     \
        if (map->count >= map->capacity / 2) {                                                   \
            prefix##_grow(arena, map);                                                           \
        }                                                                                        \
        slot_type *slot = prefix##_probe(map, wanted);                                           \
        if (slot->key == 0) {                                                                    \
            slot->key = wanted;                                                                  \
            map->count++;                                                                        \
        }                                                                                        \
        return slot;                                                                             \
    }

#endif
