/* What `check` and `fix` share: find files, run a job on each, print what the jobs wrote in the order of the paths. */
#ifndef GM_CLI_FILES_H
#define GM_CLI_FILES_H

#include "cli/options.h"
#include "driver/check.h"
#include "driver/jobs.h"
#include "report/report.h"

typedef struct gm_run {
    const char *command;
    char **paths;
    int count;
    bool standard_input; /* the only path is `-` */
    const char *standard_input_name;
    const gm_report_format *format;
    gm_report_style style;
    bool for_people;        /* the format tells a story, and is not read by a program */
    gm_check_options check; /* `select` and `ignore` are filled from those below */
    const char *select;  /* rules as typed ("GM1,GM301 GM302"); may be NULL */
    const char *ignore;
    const char *extend_select; /* rules beside those of `select` or the settings */
    bool quiet;          /* only findings and errors */
    const char *threads; /* as typed; NULL: as many as processors */
    gm_discover_options discover;
    gm_job job;
    const void *options; /* of the job */
    bool baseline;       /* the job leaves out what a baseline has */
    gm_job first;        /* finds out what files call in each other, before the job; or NULL */
    bool linked;         /* the job is run again for files in which others call something */
    void (*keep)(gm_arena *arena, const void *options, const gm_job_result *results, uint32_t count); /* afterwards; or NULL */
    void (*print)(void *context, const char *text, size_t size); /* instead of standard output, what a job wrote; or NULL */
    void *print_context;
} gm_run;

/* gm_options_read for commands that take paths: `*paths` are those that are named, or the current folder. */
int gm_cli_paths(int count, char **arguments, const gm_cli_usage *usage, char ***paths);

/* Look whether `-` is the path; says so and returns false when there are others. */
bool gm_cli_standard_input(gm_run *run);

/* Fill `check.rules`; says what is wrong and returns false when a code is no rule's. */
bool gm_cli_read_codes(gm_arena *arena, gm_run *run);

/* Run over the files that the paths name. Problems go to stderr. `*totals` counts what the jobs counted. Returns GM_EXIT_USAGE after a
 * problem, otherwise GM_EXIT_CLEAN. */
int gm_cli_run_files(gm_arena *arena, gm_run *run, gm_report_totals *totals);

/* Call `body` with an arena; without memory, say so and return GM_EXIT_USAGE. */
int gm_cli_with_arena(int (*body)(gm_arena *arena, void *context), void *context);

/* Whether the report is to be coloured: NO_COLOR and FORCE_COLOR say it, else a terminal that is not dumb. */
bool gm_cli_colors(void);

#endif
