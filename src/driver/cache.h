/* Results of `check`, kept by content: what a file gave is told again as long as nothing that it depends on has changed.
 *
 * The key of a result is a hash of everything that decides it: the bytes of this program (with the rules and the facts about torch
 * that are compiled in), the path as it is shown, the options and settings that hold for the file, what other files call in it, and the bytes of
 * the file. What is kept are findings as data (kept.h), which any format can show. One file of the cache's folder, which is this user's alone
 * (private.h), holds the results of all runs from one folder; it is read whole, checked by a hash of its own, and replaced in one step.
 * Whatever else goes wrong with it, the cache is empty and nothing is said. */
#ifndef GM_DRIVER_CACHE_H
#define GM_DRIVER_CACHE_H

#include "base/hash.h"
#include "driver/jobs.h"

typedef struct gm_cache gm_cache;

/* Where the cache may be, as the environment tells it. */
typedef struct gm_cache_places {
    const char *named;  /* $GRAPHMEND_CACHE_DIR */
    const char *common; /* $XDG_CACHE_HOME */
    const char *home;   /* $HOME */
} gm_cache_places;

/* Why there is no cache, for the user; both NULL when there is nothing to say. */
typedef struct gm_cache_refusal {
    const char *path;
    const char *problem;
} gm_cache_refusal;

/* The results of runs from the current folder. NULL where they have no place, or none that is this user's alone. */
gm_cache *gm_cache_open(gm_arena *arena, const gm_cache_places *places, gm_cache_refusal *refusal);

/* The result of a key, or NULL: its `kept` and `calls` are set, and borrowed from the arena of the cache. Any thread may ask. */
const gm_job_result *gm_cache_find(const gm_cache *cache, gm_hash key);

/* Keep what a run has given: results with a key that went well are added, others that were not asked for age and go after some runs. Does
 * nothing when there is nothing new. */
void gm_cache_keep(gm_arena *arena, gm_cache *cache, const gm_job_result *results, uint32_t count);

/* The hash of this program's own bytes. False when they cannot be read: then nothing can be cached. */
bool gm_cache_program(gm_arena *arena, gm_hash *hash);

#endif
