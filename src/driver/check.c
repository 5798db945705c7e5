#include "driver/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "driver/calls.h"
#include "rules/because.h"
#include "rules/comments.h"
#include "rules/reads.h"
#include "rules/suppress.h"
#include "rules/versions.h"

/* More than these in one file, and columns are counted once for all. */
enum { MANY_ENTRIES = 64, MOST_SHOWN = 1000 };

static void add_entry(gm_arena *arena, gm_checked *checked, gm_entry entry) {
    entry.from = gm_source_position(checked->source, entry.start);
    entry.to = gm_source_position(checked->source, entry.end);
    gm_vec_push(arena, &checked->entries, entry);
}

static void add_told(gm_arena *arena, gm_checked *checked, gm_level level, const gm_diagnostic *told) {
    add_entry(arena, checked,
              (gm_entry){
                  .level = (uint8_t)level,
                  .start = told->start,
                  .end = told->end,
                  .message = told->message,
                  .certain = true,
                  .reached = true,
              });
}

static void add_syntax_errors(gm_arena *arena, gm_checked *checked, const gm_tree *tree) {
    for (uint32_t i = 0; i < tree->diagnostics.count && i < GM_DIAGNOSTICS_LIMIT && !tree->diagnostics.items[i].limit; i++) {
        add_told(arena, checked, GM_LEVEL_ADVICE, &tree->diagnostics.items[i]);
    }
}

/* Comments count on the first line of a statement and on the line where its condition ends. */
static uint32_t end_of_head(const gm_node *node) {
    return node->kind == GM_KIND_If ? gm_as_If(node)->test->end : node->end;
}

static bool is_wanted(const gm_finding *finding, const gm_check_options *options) {
    return (options->all || (finding->certain && finding->reached && !finding->read_before)) &&
           gm_selection_has(&options->rules, finding->rule);
}

/* A comment behind the whole statement silences no report, but keeps the statement from being mended: it has its use. */
static bool is_silenced(const gm_checked *checked, gm_suppressions *comments, const gm_finding *finding) {
    const gm_node *node = finding->node;
    (void)gm_suppress_covers(comments, checked->source, finding->rule->code, node->start, node->end);
    return gm_suppress_covers(comments, checked->source, finding->rule->code, node->start, end_of_head(node));
}

/* The reason with its place: "..., line 12", in a notebook "..., line 3 of cell 2". */
static const char *because(gm_checked *checked, const gm_finding *finding, const gm_node *mark) {
    const gm_node *shown = NULL;
    const char *text = gm_because_text(checked->analysis, finding, mark, &shown);
    if (text == NULL || shown == NULL) {
        return text;
    }
    uint32_t line = gm_source_position(checked->source, shown->start).line;
    const gm_cell *cell = checked->cells == NULL ? NULL : gm_cells_at(checked->cells, shown->start);
    if (cell == NULL) {
        return gm_analysis_text(checked->analysis, "%s, line %u", text, line);
    }
    line -= gm_source_position(checked->source, cell->start).line - 1;
    return gm_analysis_text(checked->analysis, "%s, line %u of cell %u", text, line, cell->number);
}

static void add_finding(gm_arena *arena, gm_checked *checked, const gm_finding *finding) {
    const gm_node *mark = gm_because_mark(finding);
    add_entry(arena, checked,
              (gm_entry){
                  .rule = finding->rule,
                  .node = finding->node,
                  .finding = finding,
                  .break_id = finding->break_id != NULL ? finding->break_id
                                                        : gm_release_break((gm_release)checked->analysis->release, finding->rule),
                  .level = finding->plan != NULL ? GM_LEVEL_SAFE : GM_LEVEL_ADVICE,
                  .start = mark->start,
                  .end = mark->end,
                  .site = finding->node->start,
                  .line_end = end_of_head(finding->node),
                  .message = finding->message,
                  .because = because(checked, finding, mark),
                  .advice = finding->advice,
                  .reason = finding->refusal.reason,
                  .callers = finding->callers,
                  .certain = finding->certain && !finding->read_before,
                  .reached = finding->reached,
              });
}

static void add_unused(gm_arena *arena, gm_checked *checked, const gm_unused *unused) {
    add_entry(arena, checked,
              (gm_entry){
                  .rule = &gm_rule_unused_suppression,
                  .unused = unused,
                  .break_id = gm_rule_unused_suppression.break_id,
                  .level = GM_LEVEL_ADVICE,
                  .start = unused->comment->start,
                  .end = unused->comment->end,
                  .site = unused->comment->start,
                  .line_end = unused->comment->end,
                  .message = unused->message,
                  .advice = "take the comment away",
                  .reason = "it changes no graph; `graphmend fix` takes it away",
                  .certain = true,
                  .reached = true,
              });
}

static int compare_entries(const void *left, const void *right) {
    const gm_entry *a = left;
    const gm_entry *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return a->site != b->site ? (a->site < b->site ? -1 : 1) : strcmp(a->rule->code, b->rule->code);
}

/* Reads that no finding tells already: those inside of the head of another finding break with it. Both are in order of position. */
static void add_reads(gm_arena *arena, gm_checked *checked, gm_suppressions *comments, const gm_check_options *options) {
    const gm_findings *others = &checked->analysis->findings;
    const gm_findings *reads = gm_reads_of(checked->analysis);
    uint32_t next = 0;
    uint32_t told = 0; /* how far the heads of the findings in front reach */
    for (uint32_t i = 0; i < reads->count; i++) {
        const gm_finding *read = &reads->items[i];
        for (; next < others->count && others->items[next].node->start <= read->node->start; next++) {
            uint32_t end = end_of_head(others->items[next].node);
            told = end > told ? end : told;
        }
        bool silenced = is_silenced(checked, comments, read);
        if (read->node->end > told && !silenced && is_wanted(read, options)) {
            add_finding(arena, checked, read);
            told = read->node->end;
        }
    }
}

/* Whether a comment silences nothing can only be told when everything has been found that it may be there for. */
static void add_findings(gm_arena *arena, gm_checked *checked, gm_suppressions *comments, const gm_check_options *options) {
    gm_analysis *analysis = checked->analysis;
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        const gm_finding *finding = &analysis->findings.items[i];
        if (!is_silenced(checked, comments, finding) && is_wanted(finding, options)) {
            add_finding(arena, checked, finding);
        }
    }
    add_reads(arena, checked, comments, options);
    const gm_unused_list *unused = gm_comments_of(analysis, comments, &options->rules);
    for (uint32_t i = 0; i < unused->items.count; i++) {
        add_unused(arena, checked, &unused->items.items[i]);
    }
    checked->unused = unused;
    if (checked->entries.count > 1) {
        qsort(checked->entries.items, checked->entries.count, sizeof *checked->entries.items, compare_entries);
    }
}

typedef struct analysing {
    gm_arena *arena;
    gm_checked *checked;
    gm_tree *tree;
    const gm_check_options *options;
} analysing;

static void analyse(void *context) {
    const analysing *state = context;
    gm_checked *checked = state->checked;
    const gm_check_options *options = state->options;
    gm_suppressions *comments = gm_suppress_read(state->arena, state->tree);
    bool reached_only = options->report_only && !options->all && !gm_comments_possible(comments);
    checked->analysis = (reached_only ? gm_rules_run_reached : gm_rules_run)(state->arena, state->tree, &options->asked);
    add_findings(state->arena, checked, comments, options);
    checked->calls = gm_calls_text(state->arena, checked);
}

static void add_too_large(gm_arena *arena, gm_checked *checked, uint32_t at, const char *why) {
    gm_buffer words;
    gm_buffer_init(&words, arena);
    gm_buffer_printf(&words, "%s: %s", GM_TOO_LARGE_WORDS, why);
    const gm_diagnostic notice = {at, at < checked->source->length ? at + 1 : at, gm_buffer_text(&words), true};
    add_told(arena, checked, GM_LEVEL_NOTICE, &notice);
}

gm_checked *gm_check_too_large(gm_arena *arena, const gm_checked *checked, uint32_t at, const char *why) {
    gm_checked *told = GM_NEW(arena, gm_checked);
    *told = (gm_checked){.path = checked->path, .source = checked->source, .cells = checked->cells, .notebook = checked->notebook};
    add_too_large(arena, told, at, why);
    return told;
}

/* `checked` knows its path, and its cells where it has some. */
static void check_text(gm_arena *arena, gm_checked *checked, const char *text, size_t size, const gm_check_options *options) {
    const char *python = checked->cells == NULL ? text : gm_notebook_mask(arena, checked->cells, text, size);
    gm_tree *tree = gm_parse(arena, checked->path, python, size, NULL);
    checked->source = tree->source;
    tree->source->bytes = text; /* what edits copy is what stands there */
    const gm_diagnostic *limit = gm_parse_limit(tree);
    if (limit != NULL) {
        add_too_large(arena, checked, limit->start, limit->message);
    } else if (tree->diagnostics.count > 0) {
        add_syntax_errors(arena, checked, tree);
    } else {
        analysing state = {arena, checked, tree, options};
        analyse(&state);
    }
    if (checked->entries.count > MANY_ENTRIES) {
        gm_source_index_columns(arena, tree->source);
    }
}

gm_checked *gm_check_text(gm_arena *arena, const char *path, const char *text, size_t size, const gm_cells *cells,
                          const gm_check_options *options) {
    gm_checked *checked = GM_NEW(arena, gm_checked);
    checked->path = path;
    checked->cells = cells;
    check_text(arena, checked, text, size, options);
    return checked;
}

/* A file while it is read; `checked` has what is known of it when the budget ends. */
typedef struct reading {
    gm_arena *arena;
    gm_checked *checked;
    const char *bytes;
    size_t size;
    const gm_check_options *options;
    bool notebook; /* the bytes are one */
} reading;

/* What is no notebook has one error, at its beginning. */
static void read_notebook(const reading *state) {
    const char *problem = NULL;
    const gm_notebook *notebook = gm_notebook_read(state->arena, state->bytes, state->size, &problem);
    if (notebook == NULL) {
        gm_diagnostics none = {0};
        state->checked->source = gm_parse_source(state->arena, state->checked->path, "", 0, &none);
        add_entry(state->arena, state->checked, (gm_entry){.level = GM_LEVEL_ADVICE, .message = problem, .certain = true, .reached = true});
        return;
    }
    state->checked->cells = &notebook->cells;
    state->checked->notebook = notebook;
    check_text(state->arena, state->checked, notebook->text, notebook->size, state->options);
}

static void read_file(void *context) {
    const reading *state = context;
    if (state->notebook) {
        read_notebook(state);
    } else {
        check_text(state->arena, state->checked, state->bytes, state->size, state->options);
    }
}

static gm_checked *check_within(reading *state) {
    gm_arena *arena = state->arena;
    gm_checked *checked = state->checked;
    size_t size = state->size;
    if (gm_work_within(arena, size, read_file, state)) {
        return checked;
    }
    if (checked->source == NULL) { /* the budget was too small for the tree: the beginning is shown, without the lines of all the text */
        gm_diagnostics ignored = {0};
        size_t shown = size < MOST_SHOWN ? size : MOST_SHOWN;
        *checked = (gm_checked){.path = checked->path, .source = gm_parse_source(arena, checked->path, state->bytes, shown, &ignored)};
    }
    return gm_check_too_large(arena, checked, arena->work_at, GM_TOO_LARGE_WORK);
}

gm_checked *gm_check_bytes(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_check_options *options) {
    gm_checked *checked = GM_NEW(arena, gm_checked);
    checked->path = path;
    reading state = {arena, checked, bytes, size, options, gm_notebook_is(path)};
    return check_within(&state);
}

gm_checked *gm_check_python(gm_arena *arena, const char *path, const char *text, size_t size, const gm_cells *cells,
                            const gm_check_options *options) {
    gm_checked *checked = GM_NEW(arena, gm_checked);
    checked->path = path;
    checked->cells = cells;
    reading state = {arena, checked, text, size, options, false};
    return check_within(&state);
}
