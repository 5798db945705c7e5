/* An allocator that counts, and fails on purpose: the n-th request and all later ones get nothing. */
#ifndef GM_TESTS_MEMORY_H
#define GM_TESTS_MEMORY_H

#include <limits.h>
#include <stdlib.h>

#include "base/arena.h"

typedef struct test_memory {
    long requests;
    long outstanding;
    long fail_at; /* LONG_MAX: never */
    size_t *chunk_size; /* of an arena that is to ask for every allocation singly; or NULL */
} test_memory;

static inline void *test_allocate(void *context, size_t size) {
    test_memory *memory = context;
    if (memory->requests++ >= memory->fail_at) {
        return NULL;
    }
    if (memory->chunk_size != NULL) {
        *memory->chunk_size = 1;
    }
    void *block = malloc(size);
    memory->outstanding += block != NULL;
    return block;
}

static inline void test_release(void *context, void *block) {
    test_memory *memory = context;
    memory->outstanding--;
    free(block);
}

static inline gm_allocator test_allocator(test_memory *memory) {
    return (gm_allocator){test_allocate, test_release, memory};
}

#endif
