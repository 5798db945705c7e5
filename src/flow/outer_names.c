#include "flow/outer_names.h"

enum { FEW_NAMES = 32 };

static bool knows(const gm_outer_names *names, const gm_symbol *symbol) {
    if (names->symbols.count > FEW_NAMES) {
        return gm_table_find(&names->known, gm_table_pointer(symbol->name)) != GM_TABLE_NONE;
    }
    for (uint32_t i = 0; i < names->symbols.count; i++) {
        if (names->symbols.items[i]->name == symbol->name) {
            return true;
        }
    }
    return false;
}

void gm_outer_names_add(gm_arena *arena, gm_outer_names *names, gm_symbol *symbol) {
    if (knows(names, symbol)) {
        return;
    }
    gm_vec_push(arena, &names->symbols, symbol);
    uint32_t count = names->symbols.count;
    for (uint32_t i = count == FEW_NAMES + 1 ? 0 : count - 1; count > FEW_NAMES && i < count; i++) {
        gm_table_put(&names->known, arena, gm_table_pointer(names->symbols.items[i]->name), i);
    }
}
