#include "base/hash.h"

#include <string.h>

/* The key of the published test vectors: bytes 0 to 15. */
static const uint64_t key[2] = {0x0706050403020100U, 0x0F0E0D0C0B0A0908U};

static inline uint64_t rotate(uint64_t word, int by) {
    return word << by | word >> (64 - by);
}

static inline void mix(uint64_t v[4]) {
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* One load where the bytes of a number lie in this order: byte by byte, a sanitizer checks each, and three times as much of a start goes into the
 * hash of the program's own file. */
static inline uint64_t load(const unsigned char *bytes) {
    uint64_t word = 0;
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, bytes, sizeof word);
#else
    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)bytes[i] << (8 * i);
    }
#endif
    return word;
}

static inline void take(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    mix(v);
    mix(v);
    v[0] ^= word;
}

void gm_hasher_init(gm_hasher *hasher) {
    *hasher = (gm_hasher){.v = {key[0] ^ 0x736F6D6570736575U, key[1] ^ 0x646F72616E646F6DU ^ 0xEE, key[0] ^ 0x6C7967656E657261U,
                                key[1] ^ 0x7465646279746573U}};
}

void gm_hasher_add(gm_hasher *hasher, const void *bytes, size_t size) {
    if (size == 0) { /* of a text that is not there: NULL is no argument of memcpy */
        return;
    }
    const unsigned char *at = bytes;
    size_t held = (size_t)(hasher->length & 7);
    hasher->length += size;
    if (held > 0) {
        size_t more = size < 8 - held ? size : 8 - held;
        memcpy(hasher->rest + held, at, more);
        at += more;
        size -= more;
        if (held + more < 8) {
            return;
        }
        take(hasher->v, load(hasher->rest));
    }
    for (; size >= 8; size -= 8, at += 8) {
        take(hasher->v, load(at));
    }
    if (size > 0) {
        memcpy(hasher->rest, at, size);
    }
}

gm_hash gm_hasher_end(gm_hasher *hasher) {
    size_t held = (size_t)(hasher->length & 7);
    memset(hasher->rest + held, 0, 8 - held);
    take(hasher->v, load(hasher->rest) | hasher->length << 56);
    uint64_t *v = hasher->v;
    gm_hash hash;
    v[2] ^= 0xEE;
    for (int i = 0; i < 4; i++) {
        mix(v);
    }
    hash.words[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xDD;
    for (int i = 0; i < 4; i++) {
        mix(v);
    }
    hash.words[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
    return hash;
}

void gm_hasher_add_text(gm_hasher *hasher, const char *text) {
    uint64_t length = text == NULL ? UINT64_MAX : strlen(text);
    gm_hasher_add(hasher, &length, sizeof length);
    gm_hasher_add(hasher, text == NULL ? "" : text, text == NULL ? 0 : (size_t)length);
}

gm_hash gm_hash_of(const void *bytes, size_t size) {
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, bytes, size);
    return gm_hasher_end(&hasher);
}
