#include "cli/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"
#include "cli/statistics.h"
#include "rules/versions.h"

int gm_lint_options(gm_option *options, gm_lint *asked) {
    const gm_option shared[] = {
        {"--diff", &asked->diff, NULL, NULL, "write nothing, print a patch for `patch -p1` or `git apply`"},
        {"--unsafe", &asked->mend.assumed, NULL, NULL, "also mends that rest on an assumption, which is stated"},
        {"--add-ignore", &asked->add_ignore, NULL, NULL, "write `# graphmend: ignore[...]` behind everything that is found"},
        {"--select", NULL, &asked->run.select, "RULES", "only these rules, by code or name, such as GM1,print-in-graph"},
        {"--extend-select", NULL, &asked->run.extend_select, "RULES", "these rules beside those of `--select` or the settings"},
        {"--ignore", NULL, &asked->run.ignore, "RULES", "all rules but these"},
        {"--exclude", NULL, &asked->run.discover.exclude, "PATTERNS", "leave out these files and folders, too, such as 'build,*_pb2.py'"},
        {"--all", &asked->all, NULL, NULL, "also guesses by shape alone, and code that nothing compiles"},
        {"--output-format", NULL, &asked->format, "NAME", "full (default), concise, json, json-lines, github, gitlab, sarif or junit"},
        {"--output-file", NULL, &asked->output_file, "FILE", "write the report to a file"},
        {"--statistics", &asked->statistics, NULL, NULL, "only count, by rule"},
        {"--stdin-filename", NULL, &asked->run.standard_input_name, "NAME", "what to call the text that is read for the path `-`"},
        {"--config", NULL, &asked->run.discover.config, "FILE", "the file with [tool.graphmend], in place of pyproject.toml"},
        {"--isolated", &asked->run.discover.isolated, NULL, NULL, "look at no pyproject.toml"},
        {"--show-settings", &asked->show_settings, NULL, NULL, "print the settings of the files, and check nothing"},
        {"--show-files", &asked->show_files, NULL, NULL, "print the files that would be looked at"},
        {"--force-exclude", &asked->run.discover.force_exclude, NULL, NULL, "`exclude` holds for files that are named, too"},
        {"--torch-version", NULL, &asked->torch_version, "VERSION",
         "the release of torch that the code is for: 2.13 (default); " GM_RELEASE_NAMES " are known"},
        {"--no-cache", &asked->no_cache, NULL, NULL, "do not use results of earlier runs"},
        {"--exit-zero", &asked->exit_zero, NULL, NULL, "findings do not change the exit status"},
        {"--color", NULL, &asked->color, "WHEN", "auto (a terminal and no NO_COLOR; default), always or never"},
        {"--quiet", &asked->run.quiet, NULL, NULL, "only findings and errors (-q)"},
        {"-q", &asked->run.quiet, NULL, NULL, NULL},
        {"--max-file-size", NULL, &asked->max_file_size, "N", "megabytes; larger files are not read, which is told (default 16)"},
        {"--threads", NULL, &asked->run.threads, "N", "0: as many as there are processors (default)"},
    };
    memcpy(options, shared, sizeof shared);
    return (int)(sizeof shared / sizeof shared[0]);
}

static bool read_torch_version(gm_lint *asked) {
    gm_release release = asked->torch_version == NULL ? GM_RELEASE_2_13 : gm_release_find(asked->torch_version);
    if (release == GM_RELEASES) {
        gm_cli_say(stderr, "graphmend: there are no facts about torch `%s`, only about %s\n", asked->torch_version, GM_RELEASE_NAMES);
        return false;
    }
    asked->run.check.release_named = asked->torch_version != NULL;
    asked->run.check.asked.release = (uint8_t)release;
    return true;
}

static bool read_max_file_size(gm_lint *asked) {
    char *end = NULL;
    long value = asked->max_file_size == NULL ? 0 : strtol(asked->max_file_size, &end, 10);
    bool right = asked->max_file_size == NULL ||
                 (end != asked->max_file_size && *end == '\0' && value >= 1 && value <= GM_SETTINGS_MOST_MEGABYTES);
    if (!right) {
        gm_cli_say(stderr, "graphmend: `--max-file-size` takes a number of megabytes from 1 to %d\n", GM_SETTINGS_MOST_MEGABYTES);
    }
    asked->megabytes = right ? (uint32_t)value : 0;
    return right;
}

static bool read_color(gm_lint *asked) {
    const char *when = asked->color != NULL ? asked->color : "auto";
    asked->run.style.workflow = gm_cli_in_workflow();
    asked->run.style.color = strcmp(when, "always") == 0 || (strcmp(when, "auto") == 0 && gm_cli_colors());
    if (strcmp(when, "auto") != 0 && strcmp(when, "always") != 0 && strcmp(when, "never") != 0) {
        gm_cli_print(stderr, "graphmend: `--color` takes auto, always or never\n");
        return false;
    }
    return true;
}

/* What cannot be asked together. */
static bool fits(const gm_lint *asked) {
    const char *wrong = NULL;
    if (asked->add_ignore && asked->fix && strcmp(asked->run.command, "check") == 0) {
        wrong = "`--add-ignore` and `--fix` exclude each other";
    } else if (asked->add_ignore && asked->run.standard_input) {
        wrong = "`--add-ignore` needs files, not standard input";
    } else if (asked->watch &&
               (asked->fix || asked->diff || asked->add_ignore || asked->run.standard_input || asked->output_file != NULL)) {
        wrong = "`--watch` reports again and again: it goes with files, and without `--fix`, `--diff`, `--add-ignore` and `--output-file`";
    } else if (asked->statistics && (asked->diff || asked->add_ignore)) {
        wrong = "`--statistics` counts what is reported, `--diff` and `--add-ignore` report nothing";
    }
    bool listed = asked->baseline_path != NULL || asked->write_baseline != NULL;
    if (listed && (asked->fix || asked->diff || asked->add_ignore)) {
        wrong = "baselines are for reports, not for `--fix`, `--diff` and `--add-ignore`";
    } else if (asked->write_baseline != NULL && (asked->baseline_path != NULL || asked->run.standard_input || asked->statistics)) {
        wrong = "`--write-baseline` needs files and lists all that is found there, without `--baseline` and `--statistics`";
    }
    if (wrong != NULL) {
        gm_cli_say(stderr, "graphmend: %s\n", wrong);
    }
    return wrong == NULL;
}

/* The report and the job; `changed` is a format of our own with another end. */
static bool choose(gm_lint *asked, gm_report_format *changed) {
    const gm_report_format *format = gm_report_find(asked->format);
    if (format == NULL) {
        gm_cli_say(stderr, "graphmend: unknown format `%s`, there are %s\n", asked->format, gm_report_names());
        return false;
    }
    asked->run.for_people = (format == &gm_report_full || format == &gm_report_concise) && !asked->statistics;
    *changed = asked->statistics ? gm_report_tally : *format;
    asked->run.job = gm_lint_check;
    if (asked->write_baseline != NULL) {
        *changed = (gm_report_format){.name = "baseline", .separator = ""};
        asked->run.job = gm_lint_list;
    } else if (asked->add_ignore) {
        *changed = (gm_report_format){.name = "add-ignore", .end = asked->diff ? NULL : gm_lint_end_add_ignore, .separator = ""};
        asked->run.job = gm_lint_add_ignore;
    } else if (asked->diff) {
        *changed = (gm_report_format){.name = "diff", .separator = ""};
        asked->run.job = gm_lint_fix;
    } else if (asked->fix) {
        changed->end = asked->run.for_people ? gm_lint_end_fix : changed->end;
        asked->run.job = gm_lint_fix;
    }
    if (asked->statistics) {
        asked->run.print = gm_statistics_add;
    }
    asked->run.format = changed;
    asked->run.baseline = asked->baseline_path != NULL;
    asked->run.linked = (asked->run.job == gm_lint_check || asked->run.job == gm_lint_list) && !asked->run.standard_input;
    asked->run.first = asked->run.job == gm_lint_add_ignore ? gm_lint_look : NULL;
    asked->run.options = asked;
    return true;
}

static int status_of(const gm_lint *asked, int status, const gm_report_totals *totals) {
    bool something = asked->diff ? totals->mends > 0 : totals->findings > 0;
    bool silent = asked->exit_zero || asked->write_baseline != NULL || (asked->add_ignore && !asked->diff);
    return status == GM_EXIT_CLEAN && something && !silent ? GM_EXIT_FINDINGS : status;
}

static void keep_results(gm_arena *arena, const void *options, const gm_job_result *results, uint32_t count) {
    const gm_lint *asked = options;
    gm_cache_keep(arena, asked->cache, results, count);
}

/* Only reports are kept; mends are made anew. */
static void open_cache(gm_arena *arena, gm_lint *asked) {
    const gm_cache_places places = {getenv("GRAPHMEND_CACHE_DIR"), getenv("XDG_CACHE_HOME"), getenv("HOME")};
    gm_cache_refusal refusal;
    bool wanted = asked->run.job == gm_lint_check && asked->baseline == NULL && !asked->no_cache && !asked->run.standard_input;
    if (!wanted || !gm_cache_program(arena, &asked->program)) {
        return;
    }
    asked->cache = gm_cache_open(arena, &places, &refusal);
    asked->run.keep = asked->cache != NULL ? keep_results : NULL;
    if (refusal.problem != NULL) {
        gm_cli_say(stderr, "graphmend: results are not kept, `%s`: %s\n", refusal.path, refusal.problem);
    }
}

static int lint(gm_arena *arena, void *context) {
    gm_lint *asked = context;
    gm_report_totals totals;
    gm_statistics statistics = {.json = strncmp(asked->format, "json", 4) == 0};
    asked->run.print_context = &statistics;
    if (asked->run.standard_input && asked->fix && !asked->diff) {
        int status = gm_cli_read_codes(arena, &asked->run) ? gm_lint_fix_stream(arena, asked) : GM_EXIT_USAGE;
        return status == GM_EXIT_FINDINGS && asked->exit_zero ? GM_EXIT_CLEAN : status;
    }
    if (!gm_lint_open_baseline(arena, asked)) {
        return GM_EXIT_USAGE;
    }
    open_cache(arena, asked);
    int status = gm_cli_run_files(arena, &asked->run, &totals);
    status = gm_lint_close_baseline(arena, asked, status, &totals);
    if (asked->statistics && totals.files > 0) {
        gm_statistics_print(&statistics);
    }
    return status_of(asked, status, &totals);
}

int gm_lint_run(gm_lint *asked, int count, char **arguments, const gm_cli_usage *usage) {
    gm_report_format format;
    asked->run.command = arguments[0];
    int operands = gm_cli_paths(count, arguments, usage, &asked->run.paths);
    if (operands < 1) {
        return operands == GM_OPTIONS_HELP ? GM_EXIT_CLEAN : GM_EXIT_USAGE;
    }
    asked->mend.all = asked->all;
    asked->run.check.all = asked->all && strcmp(asked->run.command, "fix") != 0; /* `fix` reports no guesses */
    asked->run.count = operands;
    if (!gm_cli_standard_input(&asked->run) || !choose(asked, &format) || !read_color(asked) || !read_torch_version(asked) ||
        !read_max_file_size(asked) || !fits(asked)) {
        return GM_EXIT_USAGE;
    }
    if (!gm_lint_open_output(asked)) {
        return GM_EXIT_USAGE;
    }
    if (asked->show_files || asked->show_settings) {
        return gm_cli_with_arena(gm_lint_show, asked);
    }
    bool writes = (asked->fix || asked->add_ignore) && !asked->diff && !asked->run.standard_input;
    asked->cleaner = writes ? gm_cleaner_start() : NULL;
    int status = asked->watch ? gm_lint_watch(asked, lint) : gm_cli_with_arena(lint, asked);
    gm_cleaner_stop(asked->cleaner);
    return status;
}
