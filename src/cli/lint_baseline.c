/* `check --baseline` and `check --write-baseline`. */
#include <stdio.h>

#include "base/work.h"
#include "cli/cli.h"
#include "cli/lint.h"
#include "cli/say.h"
#include "driver/files.h"

enum { MOST_SHOWN = 10 };

static bool report(const char *path, const char *problem) {
    if (problem != NULL) {
        gm_cli_say(stderr, "graphmend: `%s`: %s\n", path, problem);
    }
    return problem == NULL;
}

static void add_lines(void *context, const char *text, size_t size) {
    gm_buffer_add(context, text, size);
}

bool gm_lint_open_baseline(gm_arena *arena, gm_lint *asked) {
    const char *problem = NULL;
    if (asked->baseline_path != NULL) {
        asked->baseline = gm_baseline_read(arena, asked->baseline_path, &problem);
        return report(asked->baseline_path, problem);
    }
    if (asked->write_baseline != NULL) {
        asked->baseline_folder = gm_baseline_folder(arena, asked->write_baseline, &problem);
        gm_buffer_init(&asked->baseline_lines, arena);
        asked->run.print = add_lines;
        asked->run.print_context = &asked->baseline_lines;
        return report(asked->write_baseline, problem);
    }
    return true;
}

typedef struct listing {
    gm_arena *arena;
    gm_buffer *out;
    const gm_lint *asked;
    const gm_target *target;
    const gm_checked *checked;
    uint32_t findings;
} listing;

static void list(void *context) {
    listing *state = context;
    if (state->checked->analysis == NULL) {
        return;
    }
    state->findings = gm_baseline_add(state->arena, state->out, state->asked->baseline_folder, state->target->absolute, state->checked);
}

void gm_lint_list(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result) {
    const gm_lint *asked = options;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    gm_file file;
    result->problem = gm_file_read_most(arena, target->path, gm_lint_most(asked, target), &file);
    if (result->problem != NULL) {
        return;
    }
    gm_checked *checked = gm_check_bytes(arena, target->path, file.bytes, file.size, &check);
    listing state = {arena, out, asked, target, checked, 0};
    size_t before = out->length;
    bool within = gm_work_within(arena, file.size, list, &state);
    if (checked->analysis == NULL || !within) {
        out->length = before;
        result->notice = !within || gm_check_is_too_large(checked);
        result->problem = !within          ? GM_TOO_LARGE_WORDS ": " GM_TOO_LARGE_REPORT
                          : result->notice ? GM_TOO_LARGE_WORDS ", see `graphmend check`"
                                           : "syntax error, see `graphmend check`";
        return;
    }
    result->calls = checked->calls;
    result->findings = state.findings;
}

/* What could not be looked at would be missing for ever: nothing is written then. */
static int write_list(gm_arena *arena, gm_lint *asked, int status, const gm_report_totals *totals) {
    const char *path = asked->write_baseline;
    const char *problem = status != GM_EXIT_CLEAN ? "is not written" : NULL;
    if (problem == NULL) {
        problem = gm_baseline_write(arena, path, gm_buffer_text(&asked->baseline_lines), asked->baseline_lines.length);
    }
    if (!report(path, problem)) {
        return GM_EXIT_USAGE;
    }
    gm_cli_say(stdout, "%u finding%s in %u file%s listed in %s\n", totals->findings, totals->findings == 1 ? "" : "s",
               totals->files_with_findings, totals->files_with_findings == 1 ? "" : "s", path);
    return GM_EXIT_CLEAN;
}

/* A site on one line, without control characters: the file may come from anywhere. */
static void add_site(gm_buffer *out, const gm_baseline_site *site) {
    size_t start = out->length;
    gm_buffer_printf(out, "  %s %s: %s `%s`", site->path, site->function, site->code, site->text);
    for (size_t i = start; i < out->length; i++) {
        unsigned char byte = (unsigned char)out->bytes[i];
        out->bytes[i] = byte < 0x20 || byte == 0x7F ? '?' : out->bytes[i];
    }
    gm_buffer_add_char(out, '\n');
}

static void print_stale(gm_arena *arena, const gm_lint *asked) {
    const gm_baseline *baseline = asked->baseline;
    uint32_t stale = 0;
    gm_buffer lines;
    gm_buffer_init(&lines, arena);
    for (uint32_t i = 0; i < baseline->sites.count; i++) {
        const gm_baseline_site *site = &baseline->sites.items[i];
        if (gm_baseline_is_stale(arena, baseline, site) && ++stale <= MOST_SHOWN) {
            add_site(&lines, site);
        }
    }
    if (stale > MOST_SHOWN) {
        gm_buffer_printf(&lines, "  ... and %u more\n", stale - MOST_SHOWN);
    }
    if (stale > 0) {
        gm_cli_say(stderr, "graphmend: `%s`: %u of its findings %s gone, `--write-baseline` forgets %s\n", asked->baseline_path, stale,
                   stale == 1 ? "is" : "are", stale == 1 ? "it" : "them");
        gm_cli_say_lines(stderr, lines.bytes, lines.length);
    }
}

int gm_lint_close_baseline(gm_arena *arena, gm_lint *asked, int status, const gm_report_totals *totals) {
    if (asked->write_baseline != NULL) {
        return write_list(arena, asked, status, totals);
    }
    if (asked->baseline != NULL && status == GM_EXIT_CLEAN) {
        print_stale(arena, asked);
    }
    return status;
}
