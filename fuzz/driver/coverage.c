#include "coverage.h"

#include <stdint.h>
#include <string.h>

#define EDGES 65536U

static unsigned char taken[EDGES];
static unsigned char known[EDGES]; /* a bit for each class of counts */
static uintptr_t last_block;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void) {
    uintptr_t block = (uintptr_t)__builtin_return_address(0);
    size_t edge = (block ^ (block >> 16) ^ (last_block << 3)) % EDGES;
    taken[edge] = (unsigned char)(taken[edge] + (taken[edge] != 255));
    last_block = block;
}

/* One bit for 1, 2, 3-4, 5-8, 9-16, 17-64, 65-254 and more. */
static unsigned char class_of(unsigned count) {
    static const unsigned ends[] = {1, 2, 4, 8, 16, 64, 254};
    unsigned bit = 0;
    while (bit < sizeof ends / sizeof *ends && count > ends[bit]) {
        bit++;
    }
    return (unsigned char)(1U << bit);
}

void coverage_reset(void) {
    memset(taken, 0, sizeof taken);
    last_block = 0;
}

bool coverage_is_new(void) {
    bool found = false;
    for (size_t at = 0; at < EDGES; at += sizeof(uint64_t)) {
        uint64_t eight;
        memcpy(&eight, taken + at, sizeof eight);
        for (size_t edge = at; eight != 0 && edge < at + sizeof eight; edge++) {
            unsigned char bit = taken[edge] != 0 ? class_of(taken[edge]) : 0;
            found = found || (bit & ~known[edge]) != 0;
            known[edge] |= bit;
        }
    }
    return found;
}

size_t coverage_edges(void) {
    size_t count = 0;
    for (size_t edge = 0; edge < EDGES; edge++) {
        count += known[edge] != 0;
    }
    return count;
}
