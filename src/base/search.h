/* Binary search: where to look next among the places from `low` on, up to `high`. */
#ifndef GM_BASE_SEARCH_H
#define GM_BASE_SEARCH_H

#include <stdint.h>

static inline uint32_t gm_middle(uint32_t low, uint32_t high) {
    return low + (high - low) / 2;
}

#endif
