#include "driver/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "driver/pool.h"

typedef struct batch {
    const gm_target *targets;
    gm_job job;
    const void *options;
    gm_job_result *results;
} batch;

/* A copy in memory that outlives the arena; NULL for nothing, and without memory. */
static char *copy(gm_job_result *result, const char *bytes, size_t size) {
    char *copied = size > 0 ? malloc(size) : NULL;
    if (copied != NULL) {
        memcpy(copied, bytes, size);
    } else if (size > 0) {
        result->problem = "out of memory";
    }
    return copied;
}

/* What the job wrote and what it has set. */
static void keep(gm_job_result *result, const gm_buffer *out) {
    result->text = copy(result, out->bytes, out->length);
    result->size = result->text == NULL ? 0 : out->length;
    result->calls = result->calls == NULL ? NULL : copy(result, result->calls, strlen(result->calls) + 1);
    result->kept = copy(result, result->kept, result->kept_size);
    result->kept_size = result->kept == NULL ? 0 : result->kept_size;
}

static void run_in_arena(gm_arena *arena, const batch *all, uint32_t index) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    all->job(arena, &all->targets[index], all->options, &out, &all->results[index]);
    keep(&all->results[index], &out);
}

static void run_one(void *context, uint32_t index) {
    const batch *all = context;
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        run_in_arena(&arena, all, index);
    } else {
        all->results[index] = (gm_job_result){.problem = "out of memory"};
    }
    gm_arena_free(&arena);
}

void gm_jobs_run(const gm_target *targets, uint32_t count, uint32_t threads, gm_job job, const void *options, gm_job_result *results) {
    batch all = {targets, job, options, results};
    memset(results, 0, sizeof *results * count);
    gm_pool_run(count, threads, run_one, &all);
}

/* Results own their texts, which nobody changes. */
static void release(const char *owned) {
    free((char *)(uintptr_t)owned);
}

void gm_jobs_free(gm_job_result *results, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        free(results[i].text);
        release(results[i].kept);
        release(results[i].calls);
    }
}
