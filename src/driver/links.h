/* Calls from one file of a run into another.
 *
 * What each file calls elsewhere is known when it has been looked at (calls.h); where that leads to another file of the run, that file is looked
 * at again with what is called there, its entrances, until nothing new comes up. Names are resolved as Python does it in a project: relative
 * imports by folder, others from the folder that holds the outermost package around the file; names that are imported and methods of
 * bases are followed to the file that has them. */
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
