#include "allocations.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long left = -1; /* allocations that succeed; negative: all */
static bool failed;

void allocations_limit(long count) {
    left = count;
    if (count >= 0) {
        failed = false;
    }
}

bool allocations_failed(void) {
    return failed;
}

static bool fails(void) {
    if (left != 0) {
        left -= left > 0;
        return false;
    }
    failed = true;
    return true;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    return fails() ? NULL : __real_realloc(block, size);
}
