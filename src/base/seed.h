/* The number of this process that places in hash tables depend on: the author of a file cannot know it, so he cannot choose names or keys that
 * all come to one place. Nothing that is told or kept depends on it. */
#ifndef GM_BASE_SEED_H
#define GM_BASE_SEED_H

#include <stdint.h>

/* Odd, the same for all threads, drawn when first asked for. */
uint64_t gm_seed(void);

__extension__ typedef unsigned __int128 gm_seed_product;

/* Both halves of a product with the seed: every bit of the result hangs on all bits of the word and the seed. */
static inline uint64_t gm_seed_fold(uint64_t word, uint64_t seed) {
    gm_seed_product product = (gm_seed_product)word * seed;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t gm_seed_mix(uint64_t word) {
    return gm_seed_fold(word ^ 0x9E3779B97F4A7C15U, gm_seed());
}

#endif
