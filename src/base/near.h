/* Hash of a number for tables whose keys are asked for in about their order: nodes of a tree, accesses of a graph.
 *
 * Sixty-four numbers in a row come to as many places in a row, and each such row anywhere in the table. A walk through a file stays in the few
 * lines of the processor's cache that hold what is near, however large the table is; with a place drawn for each number alone, the time of each
 * byte grows as soon as the table is larger than the cache. Each row begins at a place of its own in it, so that numbers which are rows apart
 * meet neither in a large table nor in a small one. */
#ifndef GM_BASE_NEAR_H
#define GM_BASE_NEAR_H

#include <stdint.h>

enum { GM_NEAR_BITS = 6 };

static inline uint32_t gm_hash_near(uint64_t number) {
    uint64_t row = (number >> GM_NEAR_BITS) * 0x9E3779B97F4A7C15ULL;
    uint32_t within = (uint32_t)(number ^ row >> (32 - GM_NEAR_BITS)) & ((1U << GM_NEAR_BITS) - 1);
    return (uint32_t)(row >> 32) << GM_NEAR_BITS | within;
}

/* Of what an arena holds: nodes follow one another there, and each is larger than the unit. */
static inline uint32_t gm_hash_pointer(const void *pointer) {
    enum { NODE_BITS = 5 };
    return gm_hash_near((uint64_t)(uintptr_t)pointer >> NODE_BITS);
}

#endif
