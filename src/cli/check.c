/* `graphmend check`: what breaks, why, and what to write instead. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/options.h"
#include "driver/files.h"

typedef struct request {
    gm_run run;
    const char *format;
    char **paths;
    int count;
} request;

static void check_file(gm_arena *arena, const char *path, const void *options, gm_buffer *out,
                       gm_job_result *result) {
    const gm_run *run = options;
    gm_file file;
    result->problem = gm_file_read(arena, path, &file);
    if (result->problem != NULL) {
        return;
    }
    gm_checked *checked = gm_check_bytes(arena, path, file.bytes, file.size, &run->check);
    result->findings = checked->entries.count;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        result->mends += entry->rule != NULL && entry->level != GM_LEVEL_ADVICE;
    }
    if (result->findings > 0) {
        run->format->file(out, checked, &run->style);
    }
}

static int check(gm_arena *arena, void *context) {
    request *asked = context;
    gm_report_totals totals;
    int status = gm_cli_run_files(arena, &asked->run, asked->paths, asked->count, &totals);
    return status == GM_EXIT_CLEAN && totals.findings > 0 ? GM_EXIT_FINDINGS : status;
}

int gm_cli_check(int count, char **arguments) {
    request asked = {.format = "text"};
    asked.run.job = check_file;
    asked.run.options = &asked.run;
    const gm_option options[] = {
        {"--format", NULL, &asked.format, "NAME", "text, concise, json or github (default: text)"},
        {"--select", NULL, &asked.run.select, "CODES", "only these rules, such as GM1,GM301"},
        {"--ignore", NULL, &asked.run.ignore, "CODES", "all rules but these"},
        {"--all", &asked.run.check.all, NULL, NULL, "also guesses by shape alone, and code that nothing compiles"},
        {"--threads", NULL, &asked.run.threads, "N", "0: as many as there are processors (default)"},
    };
    const gm_usage usage = {
        .synopsis = "graphmend check [OPTIONS] PATH...",
        .summary = "Says where torch.compile will break the graph, why, and what to write instead. Folders are searched for "
                   "*.py.\nA comment `# graphmend: ignore[GM101]` or `# noqa: GM101` silences a line. Exit status: 0 nothing "
                   "found, 1 findings, 2 errors.",
        .options = options,
        .count = sizeof options / sizeof options[0],
    };
    int operands = gm_cli_paths(count, arguments, &usage);
    if (operands < 1) {
        return operands == GM_OPTIONS_HELP ? GM_EXIT_CLEAN : GM_EXIT_USAGE;
    }
    asked.run.format = gm_report_find(asked.format);
    if (asked.run.format == NULL) {
        fprintf(stderr, "graphmend: unknown format `%s`, there are %s\n", asked.format, gm_report_names());
        return GM_EXIT_USAGE;
    }
    asked.run.style.color = gm_cli_colors();
    asked.paths = arguments + 1;
    asked.count = operands;
    return gm_cli_with_arena(check, &asked);
}
