/* Calls from one file of a run into another.
 *
 * What each file calls elsewhere is known when it has been looked at (calls.h); where that leads to another file of the run, that file is looked
 * at again with what is called there, its entrances, until nothing new comes up. Names are resolved as Python does it in a project: relative
 * imports by folder, others from the folder that holds the outermost package around the file; names that are imported and methods of
 * bases are followed to the file that has them.
 *
 *     gm_job_result *results = GM_NEW_ARRAY(arena, gm_job_result, count);
 *     gm_job_results earlier = gm_links_run(arena, targets, count, threads, job, options, results);
 *     ... results[i].text                    of the last round that looked at target i
 *     ... earlier.items                      results that later rounds have replaced; a cache keeps them, too
 *     gm_jobs_free(results, count);
 *     gm_jobs_free(earlier.items, earlier.count);
 *
 * The rounds:
 *
 *     all files -> calls of each -> edges to other files -> entrances of each
 *                       ^                                       | entrances that differ from those of the round before
 *                       +------ the job again, for these -------+ none: the end
 *
 * A limit on the rounds holds where files call each other in a circle. The data flow of a region (flow/region.c) goes the same way, over blocks in
 * place of files. */
#ifndef GM_DRIVER_LINKS_H
#define GM_DRIVER_LINKS_H

#include "driver/jobs.h"

typedef struct gm_job_results {
    gm_job_result *items;
    uint32_t count;
} gm_job_results;

/* Run `job` for every target as gm_jobs_run does, and again where other files call something; `results` as there. The targets' `entrances` are
 * filled on the way. Returns the results that others have replaced, for the cache; release both with gm_jobs_free. */
gm_job_results gm_links_run(gm_arena *arena, gm_target *targets, uint32_t count, uint32_t threads, gm_job job, const void *options,
                            gm_job_result *results);

#endif
