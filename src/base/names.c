#include "base/names.h"

#include <string.h>

#include "base/seed.h"

enum { FIRST_CAPACITY = 16, LARGEST_RESERVED = 1 << 16 };

/* Up to eight bytes as a number. */
static uint64_t load(const char *text, size_t length) {
    uint64_t word = 0;
    if (length >= 8) {
        memcpy(&word, text, 8);
    } else if (length >= 4) {
        uint32_t halves[2];
        memcpy(&halves[0], text, 4);
        memcpy(&halves[1], text + length - 4, 4);
        word = (uint64_t)halves[1] << 32 | halves[0];
    } else if (length > 0) {
        word = (uint64_t)(unsigned char)text[0] << 16 | (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)text[length - 1];
    }
    return word;
}

/* Keyed, see seed.h: whoever writes the source chooses the names. */
static uint32_t hash_of(uint64_t seed, const char *text, size_t length) {
    uint64_t hash = seed ^ length;
    for (; length > 8; text += 8, length -= 8) {
        hash = gm_seed_fold(hash ^ load(text, 8), seed);
    }
    hash = gm_seed_fold(hash ^ load(text, length), seed);
    return (uint32_t)(hash >> 32 ^ hash);
}

void gm_names_init(gm_names *names, gm_arena *arena) {
    *names = (gm_names){.arena = arena, .seed = gm_seed()};
}

void gm_names_reserve(gm_names *names, size_t count) {
    names->capacity = FIRST_CAPACITY;
    while (names->capacity / 2 < count && names->capacity < LARGEST_RESERVED) {
        names->capacity *= 2;
    }
    names->slots = GM_NEW_ARRAY(names->arena, gm_name_slot, names->capacity);
}

static uint32_t next(const gm_names *names, uint32_t at) {
    return (at + 1) & (names->capacity - 1);
}

/* The slot that has the name, or a free one. */
static gm_name_slot *slot_of(const gm_names *names, const char *text, size_t length, uint32_t hash) {
    for (uint32_t at = hash & (names->capacity - 1);; at = next(names, at)) {
        gm_name_slot *slot = &names->slots[at];
        if (slot->name == NULL || (slot->hash == hash && slot->name->length == length && memcmp(slot->name->text, text, length) == 0)) {
            return slot;
        }
    }
}

static void grow(gm_names *names) {
    gm_names bigger = *names;
    bigger.capacity = names->capacity == 0 ? FIRST_CAPACITY : names->capacity * 2;
    bigger.slots = GM_NEW_ARRAY(names->arena, gm_name_slot, bigger.capacity);
    for (uint32_t i = 0; i < names->capacity; i++) {
        uint32_t at = names->slots[i].hash & (bigger.capacity - 1);
        while (names->slots[i].name != NULL && bigger.slots[at].name != NULL) {
            at = next(&bigger, at);
        }
        if (names->slots[i].name != NULL) {
            bigger.slots[at] = names->slots[i];
        }
    }
    *names = bigger;
}

const gm_name *gm_names_intern(gm_names *names, const char *text, size_t length) {
    if (names->count >= names->capacity / 2) {
        grow(names);
    }
    uint32_t hash = hash_of(names->seed, text, length);
    gm_name_slot *slot = slot_of(names, text, length, hash);
    if (slot->name == NULL) {
        gm_name *name = gm_arena_alloc(names->arena, sizeof(gm_name) + length + 1);
        name->hash = hash;
        name->length = (uint32_t)length;
        name->index = names->count++;
        memcpy(name->text, text, length);
        name->text[length] = '\0';
        *slot = (gm_name_slot){name, hash};
    }
    return slot->name;
}

const gm_name *gm_names_find(const gm_names *names, const char *text, size_t length) {
    return names->capacity == 0 ? NULL : slot_of(names, text, length, hash_of(names->seed, text, length))->name;
}

bool gm_text_in(const char *text, const char *const *list) {
    for (; *list != NULL; list++) {
        if (text[0] == (*list)[0] && strcmp(text, *list) == 0) {
            return true;
        }
    }
    return false;
}

bool gm_text_ends_with(const char *text, const char *tail) {
    size_t length = strlen(text);
    size_t end = strlen(tail);
    return length >= end && strcmp(text + length - end, tail) == 0;
}
