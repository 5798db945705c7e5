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

/* The buffer's contents in memory that outlives the arena. */
static void keep_text(gm_job_result *result, const gm_buffer *out) {
    result->text = out->length > 0 ? malloc(out->length) : NULL;
    if (result->text != NULL) {
        memcpy(result->text, out->bytes, out->length);
        result->size = out->length;
    } else if (out->length > 0) {
        result->problem = "out of memory";
    }
}

/* The same for what the job has set. */
static void keep_calls(gm_job_result *result) {
    if (result->calls != NULL) {
        size_t size = strlen(result->calls) + 1;
        char *copy = malloc(size);
        result->calls = copy == NULL ? NULL : memcpy(copy, result->calls, size);
        result->problem = copy == NULL ? "out of memory" : result->problem;
    }
}

static void run_in_arena(gm_arena *arena, const batch *all, uint32_t index) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    all->job(arena, &all->targets[index], all->options, &out, &all->results[index]);
    keep_text(&all->results[index], &out);
    keep_calls(&all->results[index]);
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

void gm_jobs_run(const gm_target *targets, uint32_t count, uint32_t threads, gm_job job, const void *options,
                 gm_job_result *results) {
    batch all = {targets, job, options, results};
    memset(results, 0, sizeof *results * count);
    gm_pool_run(count, threads, run_one, &all);
}

void gm_jobs_free(gm_job_result *results, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        free(results[i].text);
        free(results[i].calls);
    }
}
