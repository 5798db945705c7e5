/* `graphmend fix`: the source dialect, into the files or as a diff. */
#include "driver/fix.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/options.h"
#include "driver/files.h"
#include "mend/diff.h"

typedef struct request {
    gm_run run;
    bool diff;
    gm_fix_options fix;
    char **paths;
    int count;
} request;

/* What was done, one line a mend; what it assumes belongs to it. */
static void add_sites(gm_buffer *out, const gm_fixed *fixed) {
    for (uint32_t i = 0; i < fixed->sites.count; i++) {
        const gm_fixed_site *site = &fixed->sites.items[i];
        gm_buffer_printf(out, "%s:%u:%u: %s fixed: %s\n", fixed->before->path, site->at.line,
                         gm_report_column(fixed->before->source, site->at), site->rule->code, site->message);
        if (site->assumption != NULL) {
            gm_buffer_printf(out, "      = assumed: %s\n", site->assumption);
        }
    }
}

/* Everything that takes memory is done before the file is replaced: what is reported has happened, and what is not has not. */
static void write_file(gm_arena *arena, const request *asked, const gm_file *file, const gm_fixed *fixed, gm_buffer *out,
                       gm_job_result *result) {
    if (fixed->changed) {
        add_sites(out, fixed);
    }
    asked->run.format->file(out, fixed->after, &asked->run.style);
    result->findings = fixed->after->entries.count;
    result->mends = fixed->sites.count;
    result->problem = fixed->changed ? gm_file_replace(arena, file, fixed->bytes, fixed->size) : NULL;
    if (result->problem != NULL) {
        result->findings = result->mends = 0;
        out->length = 0;
    }
}

static void fix_file(gm_arena *arena, const char *path, const void *options, gm_buffer *out, gm_job_result *result) {
    const request *asked = options;
    gm_file file;
    result->problem = gm_file_read(arena, path, &file);
    if (result->problem != NULL) {
        return;
    }
    const gm_fixed *fixed = gm_fix_bytes(arena, path, file.bytes, file.size, &asked->fix, &asked->run.check);
    result->problem = fixed->problem;
    if (fixed->before->analysis == NULL) {
        result->problem = "syntax error, see `graphmend check`; the file is left alone";
    } else if (asked->diff) {
        gm_diff_unified(out, file.path, file.bytes, file.size, fixed->bytes, fixed->size);
        result->mends = fixed->sites.count;
    } else if (result->problem == NULL) {
        write_file(arena, asked, &file, fixed, out, result);
    }
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)style;
    gm_buffer_printf(out, "%u fixed, %u left in %u file%s\n", totals->mends, totals->findings, totals->files,
                     totals->files == 1 ? "" : "s");
}

static int fix(gm_arena *arena, void *context) {
    request *asked = context;
    gm_report_totals totals;
    int status = gm_cli_run_files(arena, &asked->run, asked->paths, asked->count, &totals);
    bool something = asked->diff ? totals.mends > 0 : totals.findings > 0;
    return status == GM_EXIT_CLEAN && something ? GM_EXIT_FINDINGS : status;
}

int gm_cli_fix(int count, char **arguments) {
    request asked = {.count = 0};
    const gm_option options[] = {
        {"--diff", &asked.diff, NULL, NULL, "write nothing, print a patch for `patch -p1` or `git apply`"},
        {"--unsafe", &asked.fix.assumed, NULL, NULL, "also mends that rest on an assumption, which is stated"},
        {"--all", &asked.fix.all, NULL, NULL, "also branches in functions that nothing in the file compiles"},
        {"--select", NULL, &asked.run.select, "CODES", "only these rules, such as GM1,GM301"},
        {"--ignore", NULL, &asked.run.ignore, "CODES", "all rules but these"},
        {"--threads", NULL, &asked.run.threads, "N", "0: as many as there are processors (default)"},
    };
    const gm_usage usage = {
        .synopsis = "graphmend fix [OPTIONS] PATH...",
        .summary = "Rewrites files in plain torch where it is proved that they compute, print, raise and mutate the same.\n"
                   "What is left is reported. Folders are searched for *.py; a symbolic link stays, its target is written.\n"
                   "Exit status: 0 nothing left to report, 1 findings left, 2 errors. With --diff: 0 nothing to change,\n"
                   "1 a patch was printed, 2 errors.",
        .options = options,
        .count = sizeof options / sizeof options[0],
    };
    int operands = gm_cli_paths(count, arguments, &usage);
    if (operands < 1) {
        return operands == GM_OPTIONS_HELP ? GM_EXIT_CLEAN : GM_EXIT_USAGE;
    }
    const gm_report_format format = {.name = "fix", .file = gm_report_find("text")->file, .end = asked.diff ? NULL : end,
                                     .separator = ""};
    asked.run.format = &format;
    asked.run.style.color = gm_cli_colors();
    asked.run.job = fix_file;
    asked.run.options = &asked;
    asked.paths = arguments + 1;
    asked.count = operands;
    return gm_cli_with_arena(fix, &asked);
}
