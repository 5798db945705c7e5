#include "driver/fix.h"

#include <assert.h>
#include <string.h>

#include "base/work.h"
#include "driver/foresee.h"
#include "driver/silenced.h"
#include "driver/unused.h"
#include "mend/fix.h"
#include "mend/same_tree.h"

/* A mend inside another one comes up in the next round, so rounds are as many as branches nest. */
enum { MOST_ROUNDS = 200 };

static void add_site(gm_arena *arena, gm_fixed *fixed, uint32_t start, gm_fixed_site site) {
    const gm_checked *checked = fixed->after;
    gm_position at = gm_source_position(checked->source, start);
    const gm_cell *cell = checked->cells == NULL ? NULL : gm_cells_at(checked->cells, start);
    site.cell = cell == NULL ? 0 : cell->number;
    site.line = cell == NULL ? at.line : at.line - gm_source_position(checked->source, cell->start).line + 1;
    site.column = gm_source_column(checked->source, at);
    gm_vec_push(arena, &fixed->sites, site);
}

static void list_sites(gm_arena *arena, gm_fixed *fixed, const gm_fix *fix) {
    for (uint32_t i = 0; i < fix->sites.count; i++) {
        const gm_fix_site *site = &fix->sites.items[i];
        gm_fixed_site shown = {.rule = site->finding->rule, .message = site->finding->message, .assumption = site->assumption};
        add_site(arena, fixed, site->finding->node->start, shown);
    }
}

/* Comments that silence nothing go as well. */
static void remove_comments(gm_arena *arena, gm_fixed *fixed, gm_fix *fix) {
    const gm_checked *checked = fixed->after;
    gm_unused_add_edits(arena, checked->source, checked->unused, &fix->edits);
    for (uint32_t i = 0; i < checked->unused->items.count; i++) {
        const gm_unused *unused = &checked->unused->items.items[i];
        gm_fixed_site shown = {.rule = &gm_rule_unused_suppression, .message = unused->message};
        add_site(arena, fixed, unused->comment->start, shown);
    }
}

/* One round over the newest text: whether there was something to mend and it was. */
static bool mend_once(gm_arena *arena, gm_fixed *fixed, const gm_fix_options *options, const gm_check_options *report) {
    gm_analysis *analysis = fixed->after->analysis;
    gm_analysis_refuse_each(analysis, gm_silenced_for_fix, gm_silenced_of(analysis, report));
    gm_fix_options chosen = *options;
    chosen.named = gm_selection_named(arena, &report->rules);
    gm_fix *fix = gm_fix_run(analysis, &chosen);
    remove_comments(arena, fixed, fix);
    if (fix->edits.items.count == 0) {
        return false;
    }
    assert(gm_edits_verify(&fix->edits, analysis->tree->source->length));
    gm_buffer text;
    gm_buffer_init(&text, arena);
    gm_edits_apply(&fix->edits, analysis->tree->source, &text);
    list_sites(arena, fixed, fix);
    const gm_cells *cells = fixed->after->cells == NULL ? NULL : gm_cells_shift(arena, fixed->after->cells, &fix->edits);
    if (fixed->after->cells != NULL && cells == NULL) {
        fixed->problem = "a mend reaches from one cell into another, the notebook is left alone";
        return false;
    }
    gm_checked *next = gm_check_text(arena, fixed->before->path, gm_buffer_text(&text), text.length, cells, report);
    if (next->analysis == NULL || !gm_same_tree(arena, analysis->tree, next->analysis->tree, &fix->edits)) {
        fixed->problem = "the mends do not fit into the file, please report this";
        return false;
    }
    fixed->after = next;
    fixed->bytes = gm_buffer_text(&text);
    fixed->size = text.length;
    return true;
}

static void take_back(gm_fixed *fixed, const char *bytes, size_t size) {
    fixed->after = fixed->before;
    fixed->bytes = bytes;
    fixed->size = size;
    fixed->sites.count = 0;
}

typedef struct fixing {
    gm_arena *arena;
    gm_fixed *fixed;
    const gm_fix_options *options;
    const gm_check_options *report;
    const char *bytes; /* of the file */
    size_t size;
    uint32_t rounds;
} fixing;

static void write_notebook(const fixing *state) {
    gm_fixed *fixed = state->fixed;
    const gm_notebook *notebook = fixed->before->notebook;
    if (state->rounds > 0 && fixed->problem == NULL && notebook != NULL) {
        fixed->bytes = gm_notebook_write(state->arena, notebook, state->bytes, state->size, fixed->after->cells, fixed->bytes, &fixed->size,
                                         &fixed->problem);
    }
}

static void mend_all(void *context) {
    fixing *state = context;
    if (state->fixed->before->analysis == NULL) {
        return;
    }
    while (state->rounds < MOST_ROUNDS && mend_once(state->arena, state->fixed, state->options, state->report)) {
        state->rounds++;
    }
    if (state->rounds == MOST_ROUNDS) {
        state->fixed->problem = "the mends do not come to an end, please report this";
    }
    write_notebook(state);
}

static gm_fixed *fix(gm_arena *arena, gm_checked *before, const char *bytes, size_t size, const gm_fix_options *options,
                     const gm_check_options *report) {
    gm_fixed *fixed = GM_NEW(arena, gm_fixed);
    fixed->before = fixed->after = before;
    fixed->bytes = bytes;
    fixed->size = size;
    fixing state = {arena, fixed, options, report, bytes, size, 0};
    if (!gm_work_within(arena, size, mend_all, &state)) {
        fixed->before = gm_check_too_large(arena, fixed->before, 0, GM_TOO_LARGE_WORK);
        take_back(fixed, bytes, size);
        return fixed;
    }
    if (fixed->problem != NULL) {
        take_back(fixed, bytes, size);
    }
    fixed->changed = state.rounds > 0 && fixed->problem == NULL;
    gm_foresee(arena, fixed->after, report, options->all);
    return fixed;
}

gm_fixed *gm_fix_bytes(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_fix_options *options,
                       const gm_check_options *report) {
    return fix(arena, gm_check_bytes(arena, path, bytes, size, report), bytes, size, options, report);
}

gm_fixed *gm_fix_python(gm_arena *arena, const char *path, const char *text, size_t size, const gm_cells *cells,
                        const gm_fix_options *options, const gm_check_options *report) {
    return fix(arena, gm_check_python(arena, path, text, size, cells, report), text, size, options, report);
}
