/* The jobs of `check` and `fix` for one file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "base/work.h"
#include "cli/cli.h"
#include "cli/lint.h"
#include "cli/say.h"
#include "driver/add_ignore.h"
#include "driver/files.h"
#include "driver/foresee.h"
#include "driver/kept.h"
#include "mend/diff.h"

gm_check_options gm_lint_options_for(gm_arena *arena, const gm_lint *asked, const gm_target *target) {
    gm_check_options options = gm_settings_apply(arena, target->settings, target->absolute, &asked->run.check);
    options.all = options.all && (!asked->fix || asked->run.check.all);
    options.asked.entrances = target->entrances;
    return options;
}

size_t gm_lint_most(const gm_lint *asked, const gm_target *target) {
    return asked->megabytes > 0 ? (size_t)asked->megabytes << 20 : gm_settings_most(target->settings);
}

static const char *read_input(gm_arena *arena, const gm_lint *asked, const gm_target *target, gm_file *file) {
    if (!asked->run.standard_input) {
        return gm_file_read_most(arena, target->path, gm_lint_most(asked, target), file);
    }
    *file = (gm_file){.path = target->path};
    return gm_file_read_stream(arena, STDIN_FILENO, gm_lint_most(asked, target), file);
}

/* Everything that a report depends on, see cache.h. */
static gm_hash key_of(const gm_lint *asked, const gm_target *target, const gm_check_options *check, const gm_file *file) {
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, &asked->program, sizeof asked->program);
    gm_hasher_add_text(&hasher, target->path);
    gm_hasher_add_text(&hasher, check->rules.select);
    gm_hasher_add_text(&hasher, check->rules.ignore);
    gm_hasher_add_text(&hasher, check->rules.more);
    gm_hasher_add_text(&hasher, check->rules.file_ignore);
    gm_hasher_add_text(&hasher, check->all ? "all" : "");
    gm_hasher_add_text(&hasher, check->asked.entrances);
    gm_hasher_add(&hasher, &check->asked.release, sizeof check->asked.release);
    gm_hasher_add(&hasher, file->bytes, file->size);
    return gm_hasher_end(&hasher);
}

/* The findings that an earlier run has made in this file, if they are kept and about its text. */
static const gm_checked *find_known(gm_arena *arena, const gm_lint *asked, const gm_file *file, gm_job_result *result) {
    const gm_job_result *known = gm_cache_find(asked->cache, result->key);
    if (known == NULL) {
        return NULL;
    }
    result->calls = known->calls;
    result->kept = known->kept;
    result->kept_size = known->kept_size;
    static const gm_checked nothing; /* most files: their text is not looked at */
    return known->kept_size == 0 ? &nothing : gm_kept_read(arena, file->path, file->bytes, file->size, known->kept, known->kept_size);
}

/* Count and show what was found. */
static void report(const gm_lint *asked, const gm_checked *checked, gm_buffer *out, gm_job_result *result) {
    checked = checked->entries.count > 0 ? gm_report_file(out, asked->run.format, checked, &asked->run.style) : checked;
    result->notices = gm_check_is_too_large(checked);
    result->findings = checked->entries.count - result->notices;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        result->mends += entry->rule != NULL && entry->run;
        result->safe += entry->rule != NULL && entry->fix == GM_FIXES_SAFE;
        result->assumed += entry->rule != NULL && entry->fix == GM_FIXES_ASSUMING;
    }
}

static void keep(gm_arena *arena, const gm_checked *checked, gm_job_result *result) {
    gm_buffer kept;
    gm_buffer_init(&kept, arena);
    gm_kept_write(&kept, checked);
    result->kept = kept.bytes;
    result->kept_size = kept.length;
}

static const gm_checked *check_anew(gm_arena *arena, const gm_lint *asked, const gm_target *target, gm_check_options *check,
                                    const gm_file *file, gm_job_result *result) {
    check->report_only = true;
    gm_checked *checked = gm_check_bytes(arena, target->path, file->bytes, file->size, check);
    result->known = asked->baseline != NULL ? gm_baseline_take(arena, asked->baseline, target->absolute, checked, check) : 0;
    result->calls = checked->calls;
    gm_foresee(arena, checked, check, check->all);
    if (result->keyed) {
        keep(arena, checked, result);
    }
    return checked;
}

void gm_lint_check(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result) {
    const gm_lint *asked = options;
    const gm_checked *checked = NULL;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    gm_file file;
    result->problem = read_input(arena, asked, target, &file);
    if (result->problem != NULL) {
        return;
    }
    result->weight = file.size;
    if (asked->cache != NULL) {
        result->keyed = true;
        result->key = key_of(asked, target, &check, &file);
        checked = find_known(arena, asked, &file, result);
    }
    report(asked, checked != NULL ? checked : check_anew(arena, asked, target, &check, &file, result), out, result);
}

/* ---- fix ---- */

/* Why a file that is not analysed is left alone: a static text, which outlives the arena. That it is too large is to know, no failure. Where its
 * work is beyond the budget, `check` may have nothing to say: it looks at compiled code alone. */
static const char *why_left(const gm_checked *checked, gm_job_result *result) {
    static const char beyond[] = GM_TOO_LARGE_WORDS ": " GM_TOO_LARGE_WORK;
    result->notice = gm_check_is_too_large(checked);
    if (!result->notice) {
        return "syntax error, see `graphmend check`; the file is left alone";
    }
    return strcmp(checked->entries.items[0].message, beyond) == 0 ? GM_TOO_LARGE_WORDS ": " GM_TOO_LARGE_WORK "; the file is left alone"
                                                                  : GM_TOO_LARGE_WORDS ", see `graphmend check`; the file is left alone";
}

/* What was done, one line a mend; what it assumes belongs to it. Formats for tools tell only what is left. */
static void add_sites(gm_buffer *out, const gm_fixed *fixed, const gm_report_style *style) {
    unsigned how = gm_report_visible(style);
    for (uint32_t i = 0; i < fixed->sites.count; i++) {
        const gm_fixed_site *site = &fixed->sites.items[i];
        gm_visible_add(out, fixed->before->path, strlen(fixed->before->path), how);
        if (site->cell > 0) {
            gm_buffer_printf(out, ":cell %u", site->cell);
        }
        gm_buffer_printf(out, ":%u:%u: %s fixed: ", site->line, site->column, site->rule->code);
        gm_visible_add(out, site->message, strlen(site->message), how);
        gm_buffer_add_char(out, '\n');
        if (site->assumption != NULL) {
            gm_buffer_add_text(out, "      = assumed: ");
            gm_visible_add(out, site->assumption, strlen(site->assumption), how);
            gm_buffer_add_char(out, '\n');
        }
    }
}

static void report_left(gm_buffer *out, const gm_lint *asked, const gm_fixed *fixed, gm_job_result *result) {
    if (fixed->changed && asked->run.for_people) {
        add_sites(out, fixed, &asked->run.style);
    }
    const gm_checked *after = fixed->after;
    after = after->entries.count > 0 ? gm_report_file(out, asked->run.format, after, &asked->run.style) : after;
    result->findings = after->entries.count - gm_check_is_too_large(after);
    result->mends = fixed->sites.count;
}

/* Everything that takes memory is done before the file is replaced: what is reported has happened, and what is not has not. */
static void write_file(gm_arena *arena, const gm_lint *asked, const gm_file *file, const gm_fixed *fixed, gm_buffer *out,
                       gm_job_result *result) {
    report_left(out, asked, fixed, result);
    result->problem = fixed->changed ? gm_file_replace(arena, file, fixed->bytes, fixed->size, asked->cleaner) : NULL;
    if (result->problem != NULL) {
        result->findings = result->mends = 0;
        out->length = 0;
    }
}

static void add_diff(gm_buffer *out, const gm_file *file, const char *bytes, size_t size, gm_job_result *result) {
    if (!gm_diff_unified(out, file->path, file->bytes, file->size, bytes, size) && result->problem == NULL) {
        result->problem = "too many changes to look for the shortest patch: it replaces all lines between the first and the last of them";
        result->notice = true;
    }
}

void gm_lint_fix(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result) {
    const gm_lint *asked = options;
    const char *path = target->path;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    gm_file file;
    result->problem = read_input(arena, asked, target, &file);
    if (result->problem != NULL) {
        return;
    }
    const gm_fixed *fixed = gm_fix_bytes(arena, path, file.bytes, file.size, &asked->mend, &check);
    result->problem = fixed->problem;
    if (fixed->before->analysis == NULL) {
        result->problem = why_left(fixed->before, result);
    } else if (asked->diff) {
        add_diff(out, &file, fixed->bytes, fixed->size, result);
        result->mends = fixed->sites.count;
    } else if (result->problem == NULL) {
        write_file(arena, asked, &file, fixed, out, result);
    }
}

void gm_lint_end_fix(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)style;
    gm_buffer_printf(out, "%u fixed, %u left in %u file%s\n", totals->mends, totals->findings, totals->files,
                     totals->files == 1 ? "" : "s");
}

int gm_lint_fix_stream(gm_arena *arena, const gm_lint *asked) {
    gm_file file;
    const gm_found *found = gm_discover_named(arena, asked->run.standard_input_name, &asked->run.discover);
    for (uint32_t i = 0; i < found->problems.count; i++) {
        gm_cli_say(stderr, "graphmend: `%s`: %s\n", found->problems.items[i].path, found->problems.items[i].words);
    }
    if (found->settings_failed) {
        return GM_EXIT_USAGE;
    }
    const gm_target *target = &found->targets.items[0];
    const char *path = target->path;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    const char *problem = read_input(arena, asked, target, &file);
    if (problem != NULL) {
        gm_cli_say(stderr, "graphmend: standard input: %s\n", problem);
        return GM_EXIT_USAGE;
    }
    gm_fixed *fixed = gm_fix_bytes(arena, path, file.bytes, file.size, &asked->mend, &check);
    gm_job_result result = {0};
    problem = fixed->before->analysis == NULL ? why_left(fixed->before, &result) : fixed->problem;
    if (problem != NULL) {
        gm_cli_say(stderr, "graphmend: `%s`: %s\n", path, problem);
    }
    gm_buffer report;
    gm_buffer_init(&report, arena);
    report_left(&report, asked, fixed, &result);
    gm_cli_put(stdout, fixed->bytes, fixed->size);
    if (report.length > 0) {
        gm_cli_put(stderr, report.bytes, report.length);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        gm_cli_print(stderr, "graphmend: cannot write to standard output\n");
        return GM_EXIT_USAGE;
    }
    return problem != NULL && !result.notice ? GM_EXIT_USAGE : result.findings > 0 ? GM_EXIT_FINDINGS : GM_EXIT_CLEAN;
}

/* ---- --add-ignore ---- */

void gm_lint_look(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result) {
    const gm_lint *asked = options;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    gm_file file;
    (void)out;
    if (gm_file_read_most(arena, target->path, gm_lint_most(asked, target), &file) == NULL) { /* the job that follows tells problems */
        result->weight = file.size;
        result->calls = gm_check_bytes(arena, target->path, file.bytes, file.size, &check)->calls;
    }
}

/* The bytes of the file with edits of its text; `file` holds the old ones. Returns a problem, or NULL. */
static const char *apply(gm_arena *arena, const gm_checked *checked, const gm_edits *edits, gm_file *file) {
    static const gm_check_options everything = {.all = true};
    const char *problem = NULL;
    gm_buffer text;
    gm_buffer_init(&text, arena);
    gm_edits_apply(edits, checked->source, &text);
    const gm_cells *cells = checked->cells == NULL ? NULL : gm_cells_shift(arena, checked->cells, edits);
    if (gm_check_text(arena, checked->path, gm_buffer_text(&text), text.length, cells, &everything)->analysis == NULL) {
        return "the comments do not fit into the file, please report this";
    }
    const char *bytes = text.bytes;
    size_t size = text.length;
    if (checked->notebook != NULL) {
        bytes = gm_notebook_write(arena, checked->notebook, file->bytes, file->size, cells, text.bytes, &size, &problem);
    }
    file->bytes = (char *)(uintptr_t)bytes;
    file->size = size;
    return problem;
}

typedef struct ignoring {
    gm_arena *arena;
    const gm_lint *asked;
    const gm_checked *checked;
    gm_buffer *out;
    gm_job_result *result;
    gm_file file; /* as it is */
    gm_file new;
    uint32_t added;
} ignoring;

static void ignore_all(void *context) {
    ignoring *state = context;
    gm_ignores_added silenced = gm_add_ignore(state->arena, state->checked);
    gm_job_result *result = state->result;
    result->problem = silenced.added > 0 ? apply(state->arena, state->checked, &silenced.edits, &state->new) : NULL;
    if (result->problem != NULL) {
        return;
    }
    if (state->asked->diff) {
        add_diff(state->out, &state->file, state->new.bytes, state->new.size, result);
    }
    state->added = result->mends = silenced.added;
    result->findings = silenced.left;
}

void gm_lint_add_ignore(gm_arena *arena, const gm_target *target, const void *options, gm_buffer *out, gm_job_result *result) {
    const gm_lint *asked = options;
    gm_check_options check = gm_lint_options_for(arena, asked, target);
    ignoring state = {.arena = arena, .asked = asked, .out = out, .result = result};
    result->problem = gm_file_read_most(arena, target->path, gm_lint_most(asked, target), &state.file);
    if (result->problem != NULL) {
        return;
    }
    state.new = state.file;
    state.checked = gm_check_bytes(arena, target->path, state.file.bytes, state.file.size, &check);
    if (state.checked->analysis != NULL && !gm_work_within(arena, state.file.size, ignore_all, &state)) {
        state.checked = gm_check_too_large(arena, state.checked, 0, GM_TOO_LARGE_WORK);
        out->length = 0;
    }
    if (state.checked->analysis == NULL) {
        result->problem = why_left(state.checked, result);
    } else if (result->problem == NULL && !asked->diff && state.added > 0) {
        result->problem = gm_file_replace(arena, &state.file, state.new.bytes, state.new.size, asked->cleaner);
    }
}

void gm_lint_end_add_ignore(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)style;
    gm_buffer_printf(out, "%u finding%s silenced", totals->mends, totals->mends == 1 ? "" : "s");
    if (totals->findings > 0) {
        gm_buffer_printf(out, ", %u on lines that cannot hold a comment", totals->findings);
    }
    gm_buffer_add_char(out, '\n');
}
