#define _DEFAULT_SOURCE /* for getentropy, which musl hides without */
#include "base/seed.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t seed;

/* Without random numbers of the machine, what differs from process to process. */
static uint64_t draw(void) {
    uint64_t drawn = 0;
    if (getentropy(&drawn, sizeof drawn) != 0) {
        drawn = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15U ^ (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&drawn;
    }
    return drawn | 1;
}

/* Whichever thread is first. */
uint64_t gm_seed(void) {
    uint64_t known = atomic_load_explicit(&seed, memory_order_relaxed);
    if (known == 0) {
        uint64_t drawn = draw();
        known = atomic_compare_exchange_strong(&seed, &known, drawn) ? drawn : known;
    }
    return known;
}
