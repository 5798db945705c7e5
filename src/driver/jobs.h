/* One job a file, on several threads: each gets memory of its own and a buffer for what it has to say. */
#ifndef GM_DRIVER_JOBS_H
#define GM_DRIVER_JOBS_H

#include "base/buffer.h"
#include "base/hash.h"
#include "driver/discover.h"

typedef struct gm_job_result {
    const char *problem; /* static words that follow "`PATH`: "; NULL when all went well */
    bool notice;         /* the problem is one to know of, no failure */
    uint32_t findings;   /* counted by the job */
    uint32_t notices;    /* told, and not among `findings` */
    uint32_t mends;
    uint32_t safe;    /* findings that `fix` mends */
    uint32_t assumed; /* others that `fix --unsafe` mends */
    uint32_t known; /* findings of a baseline, which are not among `findings` */
    size_t weight; /* bytes of the file, as far as the job tells */
    bool changed;
    bool keyed;  /* `key` stands for all that the result depends on */
    gm_hash key;
    char *text; /* what the job wrote to its buffer; release with gm_jobs_free */
    size_t size;
    const char *kept; /* the findings as data (kept.h), for the cache; set by the job, copied */
    size_t kept_size;
    const char *calls; /* what the file calls in others, as gm_checked tells it; set by the job, copied; NULL: nothing */
} gm_job_result;

/* Does the work for one file. Everything but `result->problem` and the counts dies with the arena; `out` is copied. */
typedef void (*gm_job)(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result);

/* Runs `job` for every target and fills `results[i]` for `targets[i]`. `threads` as in gm_pool_run. */
void gm_jobs_run(const gm_target *targets, uint32_t count, uint32_t threads, gm_job job, const void *options, gm_job_result *results);

void gm_jobs_free(gm_job_result *results, uint32_t count);

#endif
