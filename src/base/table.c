#include "base/table.h"

#include "base/seed.h"

enum { FIRST_SLOTS = 16 };

static gm_table_slot *slot_of(const gm_table *table, uint64_t key) {
    uint32_t at = (uint32_t)gm_seed_mix(key ^ gm_seed()) & (table->capacity - 1);
    while (table->slots[at].index != 0 && table->slots[at].key != key) {
        at = (at + 1) & (table->capacity - 1);
    }
    return &table->slots[at];
}

static void grow(gm_table *table, gm_arena *arena) {
    gm_table old = *table;
    table->capacity = old.capacity == 0 ? FIRST_SLOTS : old.capacity * 2;
    table->slots = GM_NEW_ARRAY(arena, gm_table_slot, table->capacity);
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].index != 0) {
            *slot_of(table, old.slots[i].key) = old.slots[i];
        }
    }
}

uint32_t gm_table_find(const gm_table *table, uint64_t key) {
    return table->capacity == 0 ? GM_TABLE_NONE : slot_of(table, key)->index - 1; /* of a free slot, that is GM_TABLE_NONE */
}

void gm_table_put(gm_table *table, gm_arena *arena, uint64_t key, uint32_t index) {
    if (table->count >= table->capacity / 2) {
        grow(table, arena);
    }
    gm_table_slot *slot = slot_of(table, key);
    table->count += slot->index == 0;
    *slot = (gm_table_slot){key, index + 1};
}
