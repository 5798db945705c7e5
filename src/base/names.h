/* Interned names: equal text means the same pointer. A table and its names live in one arena. */
#ifndef GM_BASE_NAMES_H
#define GM_BASE_NAMES_H

#include <string.h>

#include "base/arena.h"

typedef struct gm_name {
    uint32_t hash;
    uint32_t length; /* bytes, without the NUL */
    uint32_t index;  /* 0, 1, 2, ... in order of first appearance */
    char text[];     /* UTF-8, NUL-terminated */
} gm_name;

/* The hash of the name stands here, too: names are far apart, and a search looks at those alone that have the hash. */
typedef struct gm_name_slot {
    gm_name *name; /* NULL: it is free */
    uint32_t hash;
} gm_name_slot;

typedef struct gm_names {
    gm_arena *arena;
    gm_name_slot *slots; /* open addressing, capacity a power of two */
    uint32_t capacity;
    uint32_t count;
    uint64_t seed; /* of seed.h */
} gm_names;

void gm_names_init(gm_names *names, gm_arena *arena);

/* Make room in an empty table for about `count` names; more find room, too. */
void gm_names_reserve(gm_names *names, size_t count);

/* The name with this text, made when new. */
const gm_name *gm_names_intern(gm_names *names, const char *text, size_t length);

/* The name with this text, or NULL when nobody interned it. */
const gm_name *gm_names_find(const gm_names *names, const char *text, size_t length);

/* Whether a name (which may be NULL) reads `text`. */
static inline bool gm_name_is(const gm_name *name, const char *text) {
    return name != NULL && name->text[0] == text[0] && strcmp(name->text, text) == 0;
}

/* Whether a text is one of a list that ends in NULL; whether it ends in another. */
bool gm_text_in(const char *text, const char *const *list);
bool gm_text_ends_with(const char *text, const char *tail);

#endif
