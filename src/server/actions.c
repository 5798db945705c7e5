/* Code actions: the mends of `graphmend fix`, with and without their assumption, a comment that silences, and the page of the rule. */
#include <string.h>

#include "base/visible.h"
#include "base/work.h"
#include "driver/add_ignore.h"
#include "driver/fix.h"
#include "report/report.h"
#include "rules/pages.h"
#include "server/changes.h"

static const char quick_fix[] = "quickfix";
static const char fix_all[] = "source.fixAll.graphmend";
static const char fix_assuming[] = "source.graphmend.fixUnsafe"; /* not below `source.fixAll`, which editors run when they save */

typedef struct offer {
    gm_call *call;
    gm_view *view;
    const gm_section *section;
    uint32_t start; /* the range that is asked about */
    uint32_t end;
} offer;

/* Whether the client wants actions of a kind: it names none, or that one, or one above it. */
static bool wants(const gm_call *call, const char *kind, bool named) {
    uint32_t only = gm_input_path(call->in, call->params, "context.only");
    if (!gm_input_is(call->in, only, GM_TAPE_LIST)) {
        return !named;
    }
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, only, item)) != GM_INPUT_NONE;) {
        const char *text = gm_input_text(call->in, item, NULL);
        size_t length = text == NULL ? 0 : strlen(text);
        if (length > 0 && strncmp(text, kind, length) == 0 && (kind[length] == '.' || kind[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* ---- One action ---- */

static void begin_action(const offer *state, const gm_buffer *title, const char *kind) {
    gm_buffer *out = &state->call->out;
    gm_buffer_add_text(out, out->length > 1 ? ", {\"title\": " : "{\"title\": ");
    gm_buffer_add_json(out, title->bytes, title->length);
    gm_buffer_printf(out, ", \"kind\": \"%s\"", kind);
}

static void add_diagnostic(const offer *state, const gm_entry *entry) {
    gm_buffer_add_text(&state->call->out, ", \"diagnostics\": [");
    (void)gm_diagnostic_add(state->call, state->view, state->section, entry, &state->call->out);
    gm_buffer_add_char(&state->call->out, ']');
}

static gm_buffer title_of(const offer *state, const char *words, const gm_entry *entry, const char *more) {
    gm_buffer title;
    gm_buffer_init(&title, state->call->arena);
    gm_buffer_printf(&title, words, entry->rule->code);
    if (more != NULL) {
        gm_visible_add(&title, more, strlen(more), 0);
    }
    return title;
}

static void offer_edits(const offer *state, const gm_buffer *title, const gm_entry *entry, const gm_replacements *edits, bool preferred) {
    begin_action(state, title, quick_fix);
    add_diagnostic(state, entry);
    gm_buffer_add_text(&state->call->out, preferred ? ", \"isPreferred\": true, \"edit\": " : ", \"edit\": ");
    gm_changes_add(state->call, state->view, edits);
    gm_buffer_add_char(&state->call->out, '}');
}

static void offer_fix(const offer *state, const gm_entry *entry) {
    bool comment = entry->rule == &gm_rule_unused_suppression;
    gm_buffer title = comment                       ? title_of(state, "%s: take the comment away", entry, NULL)
                      : entry->fix == GM_FIXES_SAFE ? title_of(state, "%s: write plain torch that does the same", entry, NULL)
                                                    : title_of(state, "%s: write plain torch, assuming that ", entry, entry->fix_note);
    offer_edits(state, &title, entry, entry->edits, entry->fix == GM_FIXES_SAFE);
}

static void offer_ignore(const offer *state, const gm_entry *entry) {
    gm_arena *arena = state->call->arena;
    gm_checked alone = *state->view->checked;
    gm_entry copy = *entry;
    alone.entries.items = &copy;
    alone.entries.count = 1;
    gm_ignores_added silenced = gm_add_ignore(arena, &alone);
    gm_replacements edits = {0};
    for (uint32_t i = 0; i < silenced.edits.items.count; i++) {
        const gm_edit *edit = &silenced.edits.items.items[i];
        gm_buffer text;
        gm_buffer_init(&text, arena);
        gm_edit_write(&edit->text, alone.source, &text);
        gm_replacement one = {edit->start, edit->end, gm_buffer_text(&text)};
        gm_vec_push(arena, &edits.items, one);
    }
    if (edits.items.count > 0) {
        gm_buffer title = title_of(state, "%s: ignore it on this line", entry, NULL);
        offer_edits(state, &title, entry, &edits, false);
    }
}

static void offer_page(const offer *state, const gm_entry *entry) {
    gm_buffer title = title_of(state, "%s: open the page of this kind of graph break", entry, NULL);
    begin_action(state, &title, quick_fix);
    add_diagnostic(state, entry);
    gm_buffer_add_text(&state->call->out, ", \"command\": {\"title\": ");
    gm_buffer_add_json(&state->call->out, title.bytes, title.length);
    gm_buffer_printf(&state->call->out, ", \"command\": \"graphmend.openRule\", \"arguments\": [\"%s\"]}}", entry->break_id);
}

static void offer_for(const offer *state, const gm_entry *entry) {
    bool changes = gm_server_may_change(state->call->server, state->section->document->unit);
    if (changes && entry->edits != NULL) {
        offer_fix(state, entry);
    }
    if (changes) {
        offer_ignore(state, entry);
    }
    if (state->call->server->client.shows_documents && entry->break_id != NULL && *entry->break_id != '\0') {
        offer_page(state, entry);
    }
}

static void offer_each(void *context) {
    const offer *state = context;
    const gm_checked *checked = state->view->checked;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        if (entry->rule != NULL && checked->analysis != NULL && entry->start <= state->end && entry->end >= state->start) {
            offer_for(state, entry);
        }
    }
}

/* ---- All mends ---- */

/* The assumptions of the mends, each once; the number of them. */
static unsigned add_assumptions(gm_buffer *title, const gm_fixed *fixed) {
    unsigned count = 0;
    for (uint32_t i = 0; i < fixed->sites.count; i++) {
        const char *assumption = fixed->sites.items[i].assumption;
        uint32_t before = 0;
        while (assumption != NULL && before < i &&
               (fixed->sites.items[before].assumption == NULL || strcmp(fixed->sites.items[before].assumption, assumption) != 0)) {
            before++;
        }
        if (assumption != NULL && before == i) {
            gm_buffer_add_text(title, count++ == 0 ? ", assuming that " : "; ");
            gm_visible_add(title, assumption, strlen(assumption), 0);
        }
    }
    return count;
}

/* What `fix` would write, with the settings of the file; with `assumed` what `fix --unsafe` would, where that rests on an assumption. */
static void offer_all(const offer *state, bool assumed) {
    const gm_fix_options options = {.assumed = assumed};
    const gm_view *view = state->view;
    gm_arena *arena = state->call->arena;
    gm_check_options report = view->options;
    report.all = report.report_only = false;
    const gm_fixed *fixed = gm_fix_python(arena, view->checked->path, view->text, view->size, view->cells, &options, &report);
    const gm_replacements *edits = fixed->changed ? gm_changes_between(arena, view, fixed->bytes, fixed->size, fixed->after->cells) : NULL;
    if (edits == NULL || edits->items.count == 0) {
        return;
    }
    gm_buffer title;
    gm_buffer_init(&title, arena);
    gm_buffer_add_text(&title,
                       assumed ? "Write everything that `graphmend fix --unsafe` writes" : "Write everything that `graphmend fix` writes");
    if (add_assumptions(&title, fixed) == 0 && assumed) {
        return;
    }
    begin_action(state, &title, assumed ? fix_assuming : fix_all);
    gm_buffer_add_text(&state->call->out, ", \"edit\": ");
    gm_changes_add(state->call, view, edits);
    gm_buffer_add_char(&state->call->out, '}');
}

void gm_serve_code_action(gm_call *call) {
    offer state = {.call = call};
    gm_document *document = gm_call_document(call);
    if (document == NULL) {
        return;
    }
    gm_buffer_add_char(&call->out, '[');
    bool there = gm_call_view(call, document, &state.view, &state.section) && call->server->client.literal_actions;
    uint32_t range = gm_input_member(call->in, call->params, "range");
    if (there && !gm_call_range(call, range, state.section, &state.start, &state.end)) {
        gm_call_fail(call, GM_ERROR_PARAMS, "the range is none");
        return;
    }
    if (there && wants(call, quick_fix, false) && !gm_work_within(call->arena, state.view->checked->source->length, offer_each, &state)) {
        call->out.length = 1;
    }
    bool whole = there && state.view->checked->analysis != NULL && gm_server_may_change(call->server, document->unit);
    if (whole && wants(call, fix_all, true)) {
        offer_all(&state, false);
    }
    if (whole && wants(call, fix_assuming, true)) {
        offer_all(&state, true);
    }
    gm_buffer_add_char(&call->out, ']');
}

/* The page is shown by the client. */
void gm_serve_command(gm_call *call) {
    uint32_t arguments = gm_input_member(call->in, call->params, "arguments");
    const char *code = gm_input_text(call->in, gm_input_next(call->in, arguments, GM_INPUT_NONE), NULL);
    bool known = gm_input_says(call->in, gm_input_member(call->in, call->params, "command"), "graphmend.openRule");
    gm_page page = known && code != NULL ? gm_page_find(code) : (gm_page){NULL, NULL};
    const char *id = page.kind != NULL ? page.kind->id : page.rule != NULL ? page.rule->break_id : "";
    if (*id == '\0') {
        gm_call_fail(call, GM_ERROR_PARAMS, "no such command, or no page to open");
        return;
    }
    gm_buffer params;
    gm_buffer_init(&params, call->arena);
    gm_buffer_add_text(&params, "{\"uri\": ");
    gm_report_add_page_of_torch(&params, id);
    gm_buffer_add_text(&params, ", \"external\": true}");
    gm_server_ask(call, "window/showDocument", &params);
}
