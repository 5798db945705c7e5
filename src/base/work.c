#include "base/work.h"

enum { FREE = 1 << 28, PER_BYTE = 500, FREE_MEMORY = 160 << 20, MEMORY_PER_BYTE = 48 };

uint64_t gm_work_for(size_t length) {
    return (uint64_t)FREE + (uint64_t)length * PER_BYTE;
}

size_t gm_memory_for(size_t length) {
    return length < (SIZE_MAX - FREE_MEMORY) / MEMORY_PER_BYTE ? FREE_MEMORY + length * MEMORY_PER_BYTE : SIZE_MAX;
}

void gm_work_add(gm_arena *arena, size_t length) {
    if (arena->exhausted != NULL) {
        arena->work += (uint64_t)length * PER_BYTE;
        size_t more = gm_memory_for(length) - FREE_MEMORY;
        arena->most = more < SIZE_MAX - arena->most ? arena->most + more : SIZE_MAX;
    }
}

_Noreturn void gm_work_exhausted(gm_arena *arena) {
    longjmp(*arena->exhausted, 1);
}

/* The budget ends in the frame that set it: nothing may come back to it later. */
bool gm_work_within(gm_arena *arena, size_t length, void (*body)(void *context), void *context) {
    if (arena->exhausted != NULL) {
        body(context);
        return true;
    }
    jmp_buf exhausted;
    volatile bool done = false;
    arena->work = gm_work_for(length);
    arena->most = gm_memory_for(length);
    arena->work_at = 0;
    arena->exhausted = &exhausted;
    if (setjmp(exhausted) == 0) {
        body(context);
        done = true;
    }
    arena->exhausted = NULL;
    return done;
}
