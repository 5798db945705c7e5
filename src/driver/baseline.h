/* Baselines: the findings that are there today, so that only new ones are told. docs/guard.md describes the file.
 *
 * A finding is known by its file, function, rule and statement, and its number among those that are alike, not by its line. Everything
 * lives in the arena of the reader. Problems are words that follow "`PATH`: ". */
#ifndef GM_DRIVER_BASELINE_H
#define GM_DRIVER_BASELINE_H

#include "base/table.h"
#include "driver/check.h"

typedef struct gm_baseline_site {
    const char *path; /* below the folder of the baseline */
    const char *function;
    const char *code;
    const char *text;
    const char *key; /* the text as it is compared */
    uint32_t number; /* from 1 */
    const gm_rule *rule; /* NULL: there is none of this code any more */
    bool looked_for; /* its file has been checked for this rule */
    bool found;
    uint32_t next;   /* another one of the path, or GM_TABLE_NONE */
} gm_baseline_site;

typedef struct gm_baseline {
    const char *folder; /* absolute */
    GM_VEC(gm_baseline_site) sites;
    gm_table by_path; /* the first of the sites of each path */
    gm_table by_site; /* by all that a finding is known by */
} gm_baseline;

/* The folder of a baseline at `path`, absolute; NULL with `*problem` when there is no such folder. */
const char *gm_baseline_folder(gm_arena *arena, const char *path, const char **problem);

/* NULL, with `*problem` set, when the file cannot be read, or is no baseline of `check`. */
gm_baseline *gm_baseline_read(gm_arena *arena, const char *path, const char **problem);

/* Take the findings that a baseline has out of the entries of a checked file; returns how many there were. Sites of other files are not
 * touched, so that threads may do this for different files. */
uint32_t gm_baseline_take(gm_arena *arena, gm_baseline *baseline, const char *absolute, gm_checked *checked,
                          const gm_check_options *options);

/* Whether a site is in no file any more: not found where it was looked for, or the file is gone. */
bool gm_baseline_is_stale(gm_arena *arena, const gm_baseline *baseline, const gm_baseline_site *site);

/* Append the findings of a file as lines of a baseline, each with a comma and a line end in front; returns how many. */
uint32_t gm_baseline_add(gm_arena *arena, gm_buffer *out, const char *folder, const char *absolute, const gm_checked *checked);

/* Write a file with these lines, the first comma left out. Returns a problem, or NULL. */
const char *gm_baseline_write(gm_arena *arena, const char *path, const char *lines, size_t size);

#endif
