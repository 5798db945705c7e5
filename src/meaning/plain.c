/* What the tape has to know of a type before there is a value: plain types, and names of constructors. */
#include <string.h>

#include "meaning/read.h"

/* A type is plain when its values look like themselves in JSON. Recursive types are taken to be so until a part is found that is not. */

static bool plain_values(const gm_meaning_type *type) {
    for (uint32_t i = 0; i < type->values.count; i++) {
        if (type->values.items[i].kind > GM_VALUE_string || type->values.items[i].name.bytes != NULL) {
            return false;
        }
    }
    return true;
}

/* Patterns and multiples are for the builder to check. */
static bool is_checked_later(const gm_meaning_type *type) {
    for (uint32_t i = 0; i < type->bounds.count; i++) {
        if (gm_text_is(type->bounds.items[i].name, "pattern") || gm_text_is(type->bounds.items[i].name, "multiple_of")) {
            return true;
        }
    }
    return false;
}

static bool plain_parts(const gm_meaning *meaning, const gm_meaning_type *type, const uint8_t *plain) {
    switch (type->form) {
    case GM_MEANING_any:
    case GM_MEANING_none:
    case GM_MEANING_bool:
    case GM_MEANING_int:
    case GM_MEANING_float:
    case GM_MEANING_str: return true;
    case GM_MEANING_literal: return plain_values(type);
    case GM_MEANING_annotated: return plain[type->items.items[0]] && !is_checked_later(type);
    case GM_MEANING_list:
    case GM_MEANING_alias: return plain[type->items.items[0]];
    case GM_MEANING_dict: return gm_meaning_resolve(meaning, type->items.items[0])->form == GM_MEANING_str && plain[type->items.items[1]];
    case GM_MEANING_union:
        for (uint32_t i = 0; i < type->items.count; i++) {
            if (!plain[type->items.items[i]]) {
                return false;
            }
        }
        return true;
    default: return false;
    }
}

uint8_t *gm_read_plain_types(gm_arena *arena, const gm_meaning *meaning) {
    uint8_t *plain = gm_arena_alloc(arena, meaning->types.count);
    memset(plain, 1, meaning->types.count);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < meaning->types.count; i++) {
            if (plain[i] && !plain_parts(meaning, &meaning->types.items[i], plain)) {
                plain[i] = 0;
                changed = true;
            }
        }
    }
    return plain;
}

bool gm_read_is_constructor(const void *meaning, const char *name, size_t length) {
    const gm_meaning *known = meaning;
    size_t dot = length;
    while (dot > 0 && name[dot - 1] != '.') {
        dot--;
    }
    for (uint32_t i = 0; i < known->types.count; i++) {
        const gm_meaning_type *type = &known->types.items[i];
        const char *bracket = type->form == GM_MEANING_record ? memchr(type->name.bytes, '[', type->name.length) : NULL;
        size_t size = bracket != NULL ? (size_t)(bracket - type->name.bytes) : type->name.length;
        if (type->form == GM_MEANING_record && size == length - dot && memcmp(type->name.bytes, name + dot, size) == 0) {
            return true;
        }
    }
    return false;
}
