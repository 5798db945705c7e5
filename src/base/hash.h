/* SipHash-2-4 with 128 bits and a fixed key: for tables and caches that have to tell contents apart, not against an adversary. */
#ifndef GM_BASE_HASH_H
#define GM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct gm_hash {
    uint64_t words[2];
} gm_hash;

/* Bytes are added piece by piece; `gm_hash_add` of a text and of its parts give the same. */
typedef struct gm_hasher {
    uint64_t v[4];
    unsigned char rest[8];
    uint64_t length;
} gm_hasher;

void gm_hasher_init(gm_hasher *hasher);
void gm_hasher_add(gm_hasher *hasher, const void *bytes, size_t size);
gm_hash gm_hasher_end(gm_hasher *hasher);

/* That of some bytes alone. */
gm_hash gm_hash_of(const void *bytes, size_t size);

/* A text with its end, so that two texts in a row are told apart from their joined text; NULL is told from "". */
void gm_hasher_add_text(gm_hasher *hasher, const char *text);

#endif
