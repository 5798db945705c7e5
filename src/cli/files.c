#include "cli/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/cli.h"
#include "cli/closest.h"
#include "cli/say.h"
#include "driver/discover.h"
#include "driver/files.h"
#include "driver/links.h"

static bool read_list(gm_arena *arena, const char *typed, const char **codes) {
    gm_buffer list;
    gm_buffer_init(&list, arena);
    for (const char *at = typed; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ", ");
        if (length > 0) {
            if (!gm_settings_knows(at, length)) {
                gm_cli_say(stderr, "graphmend: no rule `%.*s`, see `graphmend rule` for all rules\n", (int)length, at);
                gm_closest_say_rule(at, length);
                return false;
            }
            gm_settings_add_code(&list, at, length);
        }
        at += length + (at[length] != '\0');
    }
    *codes = typed != NULL ? gm_buffer_text(&list) : NULL;
    return true;
}

bool gm_cli_read_codes(gm_arena *arena, gm_run *run) {
    return read_list(arena, run->select, &run->check.rules.select) && read_list(arena, run->ignore, &run->check.rules.ignore) &&
           read_list(arena, run->extend_select, &run->check.rules.more);
}

bool gm_cli_colors(void) {
    const char *refused = getenv("NO_COLOR");
    const char *forced = getenv("FORCE_COLOR");
    const char *terminal = getenv("TERM");
    if (refused != NULL && *refused != '\0') {
        return false;
    }
    if (forced != NULL && *forced != '\0') {
        return strcmp(forced, "0") != 0;
    }
    return isatty(STDOUT_FILENO) == 1 && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

int gm_cli_with_arena(int (*body)(gm_arena *arena, void *context), void *context) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    volatile int status = GM_EXIT_USAGE;
    if (setjmp(out_of_memory) == 0) {
        status = body(&arena, context);
    } else {
        gm_cli_print(stderr, "graphmend: out of memory\n");
    }
    gm_arena_free(&arena);
    return status;
}

static bool read_threads(const char *typed, uint32_t *threads) {
    char *end = NULL;
    long value = typed != NULL ? strtol(typed, &end, 10) : 0;
    bool right = typed == NULL || (end != typed && *end == '\0' && value >= 0 && value <= GM_SETTINGS_MOST_THREADS);
    if (!right) {
        gm_cli_say(stderr, "graphmend: `--threads` takes a number from 0 to %d\n", GM_SETTINGS_MOST_THREADS);
    }
    *threads = right ? (uint32_t)value : 0;
    return right;
}

static void print_problem(const char *path, const char *words) {
    gm_cli_say(stderr, "graphmend: `%s`: %s\n", path, words);
}

static void print_text(const gm_run *run, const gm_job_result *result, bool first) {
    if (run->print != NULL) {
        run->print(run->print_context, result->text, result->size);
        return;
    }
    gm_cli_print_text(stdout, first ? "" : run->format->separator);
    gm_cli_put(stdout, result->text, result->size);
}

/* Print the jobs' texts in the order of the paths, whatever the order in which the threads were done. */
static int print_results(const gm_run *run, const gm_found *found, const gm_job_result *results) {
    int status = GM_EXIT_CLEAN;
    bool first = true;
    for (uint32_t i = 0; i < found->targets.count; i++) {
        if (results[i].problem != NULL) {
            print_problem(found->targets.items[i].path, results[i].problem);
            status = results[i].notice || results[i].problem == gm_file_too_large ? status : GM_EXIT_USAGE;
        }
        if (results[i].size > 0) {
            print_text(run, &results[i], first);
            first = false;
        }
    }
    return status;
}

static void add_up(const gm_found *found, const gm_job_result *results, gm_report_totals *totals) {
    for (uint32_t i = 0; i < found->targets.count; i++) {
        totals->files += results[i].problem == NULL;
        totals->findings += results[i].findings;
        totals->notices += results[i].notices;
        totals->mends += results[i].mends;
        totals->safe += results[i].safe;
        totals->assumed += results[i].assumed;
        totals->files_with_findings += results[i].findings > 0;
        totals->known += results[i].known;
    }
}

/* Print and forget. */
static void print_buffer(gm_buffer *text) {
    if (text->length > 0) {
        gm_cli_put(stdout, text->bytes, text->length);
    }
    text->length = 0;
}

/* Memory of one file serves for the next: given back to the system, it would come back page by page. */
static void keep_memory(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 64 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

/* What other results have replaced is asked for again by the next run. */
static void keep_all(gm_arena *arena, const gm_run *run, const gm_job_result *results, uint32_t count, const gm_job_results *earlier) {
    gm_job_result *all = GM_NEW_ARRAY(arena, gm_job_result, count + earlier->count + 1);
    memcpy(all, results, sizeof *all * count);
    if (earlier->count > 0) {
        memcpy(all + count, earlier->items, sizeof *all * earlier->count);
    }
    run->keep(arena, run->options, all, count + earlier->count);
}

/* Fill the entrances of the targets. */
static void look_first(gm_arena *arena, const gm_run *run, const gm_found *found, uint32_t threads, gm_job_result *results) {
    uint32_t count = found->targets.count;
    gm_job_results earlier = gm_links_run(arena, found->targets.items, count, threads, run->first, run->options, results);
    gm_jobs_free(results, count);
    gm_jobs_free(earlier.items, earlier.count);
}

static int run_found(gm_arena *arena, const gm_run *run, const gm_found *found, uint32_t threads, gm_report_totals *totals) {
    keep_memory();
    gm_job_result *results = GM_NEW_ARRAY(arena, gm_job_result, found->targets.count);
    gm_job_results earlier = {NULL, 0};
    if (run->first != NULL) {
        look_first(arena, run, found, threads, results);
    }
    if (run->linked) {
        earlier = gm_links_run(arena, found->targets.items, found->targets.count, threads, run->job, run->options, results);
    } else {
        gm_jobs_run(found->targets.items, found->targets.count, threads, run->job, run->options, results);
    }
    add_up(found, results, totals);
    gm_buffer frame;
    gm_buffer_init(&frame, arena);
    if (run->format->begin != NULL) {
        run->format->begin(&frame, totals);
    }
    print_buffer(&frame);
    int status = print_results(run, found, results);
    if (run->keep != NULL) {
        keep_all(arena, run, results, found->targets.count, &earlier);
    }
    gm_jobs_free(results, found->targets.count);
    gm_jobs_free(earlier.items, earlier.count);
    if (run->format->end != NULL && !(run->quiet && run->for_people)) {
        run->format->end(&frame, totals, &run->style);
    }
    print_buffer(&frame);
    return status;
}

int gm_cli_paths(int count, char **arguments, const gm_cli_usage *usage, char ***paths) {
    static char here[] = ".";
    int operands = gm_options_read(count, arguments, usage);
    *paths = arguments + 1;
    if (operands == 0) {
        static char *only[] = {here};
        *paths = only;
        return 1;
    }
    return operands;
}

bool gm_cli_standard_input(gm_run *run) {
    for (int i = 0; i < run->count; i++) {
        run->standard_input = run->standard_input || strcmp(run->paths[i], "-") == 0;
    }
    if (run->standard_input && run->count > 1) {
        gm_cli_print(stderr, "graphmend: standard input, `-`, goes alone\n");
        return false;
    }
    run->standard_input_name = run->standard_input_name != NULL ? run->standard_input_name : "-";
    return true;
}

static const gm_found *find_files(gm_arena *arena, const gm_run *run) {
    return run->standard_input ? gm_discover_named(arena, run->standard_input_name, &run->discover)
                               : gm_discover(arena, (const char *const *)run->paths, run->count, &run->discover);
}

/* How many threads the command line asks for, or the settings: those of a repository ask for no more than there are processors, as each thread
 * takes memory. */
static uint32_t threads_of(const gm_run *run, const gm_found *found, uint32_t typed) {
    const gm_settings *settings = found->targets.count > 0 ? found->targets.items[0].settings : NULL;
    if (run->threads != NULL || settings == NULL) {
        return typed;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && settings->threads > (uint32_t)online ? (uint32_t)online : settings->threads;
}

int gm_cli_run_files(gm_arena *arena, gm_run *run, gm_report_totals *totals) {
    uint32_t threads = 0;
    *totals = (gm_report_totals){.baseline = run->baseline};
    if (!gm_cli_read_codes(arena, run) || !read_threads(run->threads, &threads)) {
        return GM_EXIT_USAGE;
    }
    const gm_found *found = find_files(arena, run);
    uint32_t problems = 0;
    for (uint32_t i = 0; i < found->problems.count; i++) {
        const gm_problem *problem = &found->problems.items[i];
        problems += !problem->warning;
        if (!problem->warning) {
            print_problem(problem->path, problem->words);
        } else if (!run->quiet) {
            gm_cli_say(stderr, "graphmend: warning: `%s` %s\n", problem->path, problem->words);
        }
    }
    if (found->settings_failed || (found->targets.count == 0 && problems > 0)) {
        return GM_EXIT_USAGE; /* a report on no file would read as good news */
    }
    int status = run_found(arena, run, found, threads_of(run, found, threads), totals);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        gm_cli_print(stderr, "graphmend: cannot write to standard output\n");
        return GM_EXIT_USAGE;
    }
    return problems > 0 ? GM_EXIT_USAGE : status;
}
