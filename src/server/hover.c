/* Hover: what is found at a place with the page of its rule, or what is known of the value that stands there, and why. */
#include <string.h>

#include "base/visible.h"
#include "base/work.h"
#include "report/report.h"
#include "rules/pages.h"
#include "server/session.h"
#include "server/values.h"

typedef struct hovering {
    gm_call *call;
    gm_view *view;
    const gm_section *section;
    uint32_t offset;
    gm_buffer text;
    uint32_t start; /* of what the text is about */
    uint32_t end;
} hovering;

static void add_line(hovering *state, const char *before, const char *words) {
    if (words != NULL) {
        gm_buffer_printf(&state->text, "%s%s", state->text.length > 0 ? "\n\n" : "", before);
        gm_visible_add(&state->text, words, strlen(words), 0);
    }
}

static void add_entry(hovering *state, const gm_entry *entry) {
    const char *answers[] = {"`fix` leaves it: ", "`fix` writes it", "`fix --unsafe` writes it, assuming that "};
    gm_page page = {entry->rule, NULL};
    add_line(state, state->text.length > 0 ? "---\n\n" : "", entry->message);
    add_line(state, "", entry->because);
    add_line(state, "Write: ", entry->advice);
    if (entry->rule == NULL) {
        return;
    }
    add_line(state, entry->run ? "`graphmend run` mends it" : "`graphmend run` leaves it", entry->run_note == NULL ? "" : ": ");
    if (entry->run_note != NULL) {
        gm_visible_add(&state->text, entry->run_note, strlen(entry->run_note), 0);
    }
    bool said = entry->fix == GM_FIXES_SAFE || entry->fix_note != NULL;
    add_line(state, answers[entry->fix], !said ? NULL : entry->fix == GM_FIXES_SAFE ? "" : entry->fix_note);
    gm_buffer_add_text(&state->text, "\n\n---\n\n");
    gm_page_add_markdown(&state->text, &page);
}

static void tell_entries(hovering *state) {
    const gm_checked *checked = state->view->checked;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        if (entry->start <= state->offset && entry->end >= state->offset) {
            bool first = state->text.length == 0;
            state->start = first || entry->start > state->start ? entry->start : state->start;
            state->end = first || entry->end < state->end ? entry->end : state->end;
            add_entry(state, entry);
        }
    }
}

static void tell_value(hovering *state) {
    gm_known known;
    if (state->view->checked->analysis == NULL || !gm_value_known_at(state->view->checked->analysis, state->offset, &known)) {
        return;
    }
    gm_buffer kind;
    gm_buffer_init(&kind, state->call->arena);
    gm_value_add_kind(&kind, &known.value);
    add_line(state, "", gm_buffer_text(&kind));
    add_line(state, "", known.value.reason);
    if (known.value.evidence != NULL) {
        gm_place_in place;
        if (gm_view_locate(state->view, state->call->server->client.units, known.value.evidence->start, &place) == state->section) {
            gm_buffer_printf(&state->text, ", line %u", place.line + 1);
        }
    }
    state->start = known.node->start;
    state->end = known.node->end;
}

static void look(void *context) {
    hovering *state = context;
    tell_entries(state);
    if (state->text.length == 0) {
        tell_value(state);
    }
}

/* The work is that of the view: what values need is kept there. */
void gm_serve_hover(gm_call *call) {
    hovering state = {.call = call};
    gm_place_in place;
    gm_document *document = gm_call_document(call);
    if (document == NULL) {
        return;
    }
    if (!gm_call_place(call, gm_input_member(call->in, call->params, "position"), &place)) {
        gm_call_fail(call, GM_ERROR_PARAMS, "the position is none");
        return;
    }
    if (!gm_call_view(call, document, &state.view, &state.section)) {
        return;
    }
    state.offset = gm_view_offset(state.section, call->server->client.units, place);
    gm_buffer_init(&state.text, call->arena);
    bool whole = gm_work_within(&state.view->arena, state.view->checked->source->length, look, &state);
    if (!whole || state.text.length == 0) {
        return;
    }
    gm_buffer_printf(&call->out, "{\"contents\": {\"kind\": \"%s\", \"value\": ", call->server->client.markdown ? "markdown" : "plaintext");
    gm_buffer_add_json(&call->out, state.text.bytes, state.text.length);
    gm_buffer_add_text(&call->out, "}, \"range\": ");
    gm_view_add_range(&call->out, state.view, call->server->client.units, state.start, state.end);
    gm_buffer_add_char(&call->out, '}');
}
