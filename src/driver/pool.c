#include "driver/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

/* The parser recurses up to its depth limit; some C libraries give threads far less than the main thread has. */
static const size_t stack_size = (size_t)16 << 20;

typedef struct pool {
    void (*work)(void *context, uint32_t index);
    void *context;
    uint32_t count;
    atomic_uint next;
} pool;

static void *take_jobs(void *argument) {
    pool *shared = argument;
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&shared->next, 1, memory_order_relaxed);
        if (index >= shared->count) {
            return NULL;
        }
        shared->work(shared->context, index);
    }
}

static uint32_t thread_count(uint32_t count, uint32_t wanted) {
    if (wanted == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = online > 0 ? (uint32_t)online : 1;
    }
    wanted = wanted < count ? wanted : count;
    return wanted < MOST_THREADS ? wanted : MOST_THREADS;
}

void gm_pool_run(uint32_t count, uint32_t threads, void (*work)(void *context, uint32_t index), void *context) {
    pool shared = {.work = work, .context = context, .count = count};
    atomic_init(&shared.next, 0);
    pthread_t made[MOST_THREADS];
    uint32_t made_count = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
        (void)pthread_attr_setstacksize(&attributes, stack_size);
        uint32_t wanted = thread_count(count, threads);
        while (made_count + 1 < wanted && pthread_create(&made[made_count], &attributes, take_jobs, &shared) == 0) {
            made_count++;
        }
        pthread_attr_destroy(&attributes);
    }
    take_jobs(&shared);
    for (uint32_t i = 0; i < made_count; i++) {
        pthread_join(made[i], NULL);
    }
}
