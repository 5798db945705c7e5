/* What `check` and `fix` share: one request, filled from their options, and the jobs for a file. */
#ifndef GM_CLI_LINT_H
#define GM_CLI_LINT_H

#include "cli/files.h"
#include "driver/baseline.h"
#include "driver/cache.h"
#include "driver/cleaner.h"
#include "driver/fix.h"

typedef struct gm_lint {
    gm_run run;
    const char *format;   /* of the report, as typed */
    const char *color;    /* as typed: auto, always, never */
    const char *torch_version; /* as typed */
    const char *output_file;   /* as typed; NULL: standard output */
    bool show_settings;
    bool show_files;
    bool watch;           /* report again when files change */
    const char *max_file_size; /* as typed; NULL: what the settings say */
    uint32_t megabytes;        /* the same as a number; 0: not given */
    bool fix;             /* write mends */
    bool diff;            /* show them instead */
    bool add_ignore;
    bool all;
    bool statistics;
    bool exit_zero;
    gm_cleaner *cleaner; /* while files are written; or NULL */
    bool no_cache;
    gm_cache *cache; /* NULL: none */
    gm_hash program; /* with it */
    gm_fix_options mend;
    const char *baseline_path;  /* as typed; NULL: none */
    const char *write_baseline; /* the same */
    gm_baseline *baseline;      /* what is known; jobs mark what they find */
    const char *baseline_folder; /* of the one that is written */
    gm_buffer baseline_lines;
} gm_lint;

/* The options of both commands, with room for `GM_LINT_OPTIONS`; returns how many there are. */
enum { GM_LINT_OPTIONS = 40 };
int gm_lint_options(gm_option *options, gm_lint *asked);

/* Read `arguments` and do what they ask. Returns the exit status. */
int gm_lint_run(gm_lint *asked, int count, char **arguments, const gm_cli_usage *usage);

/* Write the report to the file that is asked for; says what is wrong and returns false. */
bool gm_lint_open_output(const gm_lint *asked);

/* Print the files, or the settings that hold for them; a body of gm_cli_with_arena, which gives it the gm_lint. */
int gm_lint_show(gm_arena *arena, void *context);

/* Do `once` now and whenever a file changes, until a signal ends the process. */
int gm_lint_watch(gm_lint *asked, int (*once)(gm_arena *arena, void *context));

/* Jobs of gm_jobs_run; `options` is the gm_lint. */
void gm_lint_check(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result);
void gm_lint_fix(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result);
void gm_lint_look(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out,
                  gm_job_result *result); /* for what it calls */
void gm_lint_add_ignore(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result);

void gm_lint_list(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result);

/* How many bytes a file may have that is read: what the command line says, else the settings. */
size_t gm_lint_most(const gm_lint *asked, const gm_target *target);

/* What holds for one file. `fix` reports no guesses, whatever the settings say. */
gm_check_options gm_lint_options_for(gm_arena *arena, const gm_lint *asked, const gm_target *target);

/* Read the baseline, or get ready to write one; says what is wrong and returns false. */
bool gm_lint_open_baseline(gm_arena *arena, gm_lint *asked);

/* Afterwards: write it, or tell what is gone. Returns the exit status, which was `status` so far. */
int gm_lint_close_baseline(gm_arena *arena, gm_lint *asked, int status, const gm_report_totals *totals);

/* The report at the end of `fix`, and of `--add-ignore`. */
void gm_lint_end_fix(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style);
void gm_lint_end_add_ignore(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style);

/* Fix standard input: the text to standard output, the report to standard error. Returns the exit status. */
int gm_lint_fix_stream(gm_arena *arena, const gm_lint *asked);

#endif
