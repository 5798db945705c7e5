/* A hash table from numbers of 64 bits, such as pointers and hashes of texts, to indexes. Places are drawn by lot in every process (seed.h), so
 * that nobody can choose keys that meet. */
#ifndef GM_BASE_TABLE_H
#define GM_BASE_TABLE_H

#include "base/arena.h"

typedef struct gm_table_slot {
    uint64_t key;
    uint32_t index; /* plus one; 0: free */
} gm_table_slot;

/* All zero is an empty table. */
typedef struct gm_table {
    gm_table_slot *slots;
    uint32_t capacity;
    uint32_t count;
} gm_table;

#define GM_TABLE_NONE UINT32_MAX

static inline uint64_t gm_table_pointer(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

/* The index of a key, or GM_TABLE_NONE. */
uint32_t gm_table_find(const gm_table *table, uint64_t key);

/* Keep an index for a key; the one that was there before goes. */
void gm_table_put(gm_table *table, gm_arena *arena, uint64_t key, uint32_t index);

#endif
