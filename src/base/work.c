#include "base/work.h"

enum { FREE = 1 << 28, PER_BYTE = 500 };

uint64_t gm_work_for(size_t length) {
    return (uint64_t)FREE + (uint64_t)length * PER_BYTE;
}

_Noreturn void gm_work_exhausted(gm_arena *arena) {
    longjmp(*arena->exhausted, 1);
}

/* The budget ends in the frame that set it: nothing may come back to it later. */
bool gm_work_within(gm_arena *arena, uint64_t units, void (*body)(void *context), void *context) {
    if (arena->exhausted != NULL) {
        body(context);
        return true;
    }
    jmp_buf exhausted;
    volatile bool done = false;
    arena->work = units;
    arena->exhausted = &exhausted;
    if (setjmp(exhausted) == 0) {
        body(context);
        done = true;
    }
    arena->exhausted = NULL;
    return done;
}
