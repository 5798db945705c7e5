#include "allocations.h"

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long left = -1; /* allocations that succeed; negative: all */
static bool failed;
static atomic_long outstanding;

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

long allocations_outstanding(void) {
    return outstanding;
}

static void *counted(void *block) {
    outstanding += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
    void *moved = fails() ? NULL : __real_realloc(block, size);
    return block == NULL ? counted(moved) : moved;
}

void __wrap_free(void *block) {
    outstanding -= block != NULL;
    __real_free(block);
}
