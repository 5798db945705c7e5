/* What `check` and `fix` share: find files, run a job on each, print what the jobs wrote in the order of the paths. */
#ifndef GM_CLI_FILES_H
#define GM_CLI_FILES_H

#include "cli/options.h"
#include "driver/check.h"
#include "driver/jobs.h"
#include "report/report.h"

typedef struct gm_run {
    const gm_report_format *format;
    gm_report_style style;
    gm_check_options check; /* `select` and `ignore` are filled from those below */
    const char *select;  /* rules as typed ("GM1,GM301 GM302"); may be NULL */
    const char *ignore;
    const char *threads; /* as typed; NULL: as many as processors */
    gm_job job;
    const void *options; /* of the job */
} gm_run;

/* gm_options_read for commands that take paths: without one, says so and returns 0. */
int gm_cli_paths(int count, char **arguments, const gm_usage *usage);

/* Run over the files that `paths` name. Problems go to stderr. `*totals` counts what the jobs counted. Returns GM_EXIT_USAGE after a
 * problem, otherwise GM_EXIT_CLEAN. */
int gm_cli_run_files(gm_arena *arena, gm_run *run, char **paths, int count, gm_report_totals *totals);

/* Call `body` with an arena; without memory, say so and return GM_EXIT_USAGE. */
int gm_cli_with_arena(int (*body)(gm_arena *arena, void *context), void *context);

/* Whether a terminal is there to be coloured, and NO_COLOR is not set. */
bool gm_cli_colors(void);

#endif
