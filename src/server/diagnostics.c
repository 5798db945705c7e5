/* Diagnostics: what `check` finds in the text as it is, pushed when the client is quiet, or given when it asks. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/visible.h"
#include "base/work.h"
#include "report/report.h"
#include "server/session.h"

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2, SEVERITY_INFORMATION = 3, TAG_UNNECESSARY = 1 };

static int severity_of(const gm_entry *entry) {
    return gm_check_is_notice(entry) ? SEVERITY_INFORMATION : entry->rule == NULL ? SEVERITY_ERROR : SEVERITY_WARNING;
}

static void add_words(gm_buffer *text, const char *before, const char *words) {
    if (words != NULL) {
        gm_buffer_add_text(text, before);
        gm_visible_add(text, words, strlen(words), 0);
    }
}

static void add_message(gm_buffer *out, const gm_entry *entry) {
    gm_buffer text;
    gm_buffer_init(&text, out->arena);
    add_words(&text, "", entry->message);
    add_words(&text, "\n", entry->because);
    add_words(&text, "\nwrite: ", entry->advice);
    gm_buffer_add_text(out, ", \"source\": \"graphmend\", \"message\": ");
    gm_buffer_add_json(out, text.bytes, text.length);
}

bool gm_diagnostic_add(gm_call *call, const gm_view *view, const gm_section *section, const gm_entry *entry, gm_buffer *out) {
    gm_encoding_units units = call->server->client.units;
    gm_place_in place;
    if (gm_view_locate(view, units, entry->start, &place) != section) {
        return false;
    }
    gm_buffer_add_text(out, "{\"range\": ");
    gm_view_add_range(out, view, units, entry->start, entry->end);
    gm_buffer_printf(out, ", \"severity\": %d, \"code\": \"%s\"", severity_of(entry), gm_report_code(entry));
    if (entry->break_id != NULL && *entry->break_id != '\0') {
        gm_buffer_add_text(out, ", \"codeDescription\": {\"href\": ");
        gm_report_add_page_of_torch(out, entry->break_id);
        gm_buffer_add_char(out, '}');
    }
    add_message(out, entry);
    if (entry->rule == &gm_rule_unused_suppression) {
        gm_buffer_printf(out, ", \"tags\": [%d]", TAG_UNNECESSARY);
    }
    gm_buffer_add_text(out, ", \"data\": {");
    gm_report_json_entry(out, view->checked, entry);
    gm_buffer_add_text(out, "}}");
    return true;
}

typedef struct telling {
    gm_call *call;
    gm_view *view;
    const gm_section *section;
    const gm_checked *checked;
} telling;

static void tell(void *context) {
    const telling *state = context;
    gm_buffer *out = &state->call->out;
    const char *separator = "";
    for (uint32_t i = 0; i < state->checked->entries.count; i++) {
        size_t before = out->length;
        gm_buffer_add_text(out, separator);
        if (gm_diagnostic_add(state->call, state->view, state->section, &state->checked->entries.items[i], out)) {
            separator = ", ";
        } else {
            out->length = before;
        }
    }
}

/* Problems of settings hold for many files, and are told once. */
static void tell_problem(gm_call *call, const gm_view *view) {
    gm_server *server = call->server;
    gm_buffer words;
    gm_buffer_init(&words, call->arena);
    gm_buffer_printf(&words, "%s %s", view->problem_path, view->problem);
    const char *text = gm_buffer_text(&words);
    if (server->told == NULL || strcmp(server->told, text) != 0) {
        free(server->told);
        server->told = gm_bytes_copy(text, words.length);
        gm_server_tell(call, true, "nothing is checked, because of", view->problem_path, view->problem);
    }
}

/* Within the budget that a report has (report.h): the work is done in the arena of the call. */
void gm_diagnostics_add(gm_call *call, gm_document *document) {
    telling state = {.call = call};
    gm_buffer_add_char(&call->out, '[');
    size_t before = call->out.length;
    if (gm_call_view(call, document, &state.view, &state.section)) {
        state.checked = state.view->checked;
        if (!gm_work_within(call->arena, state.checked->source->length, tell, &state)) {
            call->out.length = before;
            state.checked = gm_check_too_large(call->arena, state.checked, 0, GM_TOO_LARGE_REPORT);
            tell(&state);
        }
    } else if (state.view->problem != NULL) {
        tell_problem(call, state.view);
    }
    gm_buffer_add_char(&call->out, ']');
}

static void push(gm_call *call, gm_document *document) {
    gm_buffer params;
    gm_buffer_init(&params, call->arena);
    call->out.length = 0;
    gm_diagnostics_add(call, document);
    gm_buffer_add_text(&params, "{\"uri\": ");
    gm_buffer_add_json(&params, document->uri, strlen(document->uri));
    gm_buffer_printf(&params, ", \"version\": %lld, \"diagnostics\": ", (long long)document->version);
    gm_buffer_add(&params, call->out.bytes, call->out.length);
    gm_buffer_add_char(&params, '}');
    gm_server_notify(call, "textDocument/publishDiagnostics", &params);
}

/* Where memory runs out, the unit is not due any more: it would run out again. */
bool gm_server_push_due(gm_call *call) {
    gm_documents *documents = &call->server->documents;
    gm_unit *next = NULL;
    for (uint32_t i = 0; i < documents->count; i++) {
        gm_unit *unit = documents->units[i];
        next = unit->due && (next == NULL || unit->used > next->used) ? unit : next;
    }
    if (next == NULL) {
        return false;
    }
    next->due = false;
    for (uint32_t i = 0; !call->server->client.pulls && i < next->count; i++) {
        if (next->documents[i]->python) {
            push(call, next->documents[i]);
        }
    }
    return true;
}

/* The result has a name, so that the same need not be sent again. */
void gm_serve_diagnostic(gm_call *call) {
    gm_document *document = gm_call_document(call);
    if (document == NULL) {
        return;
    }
    gm_diagnostics_add(call, document);
    gm_hash hash = gm_hash_of(call->out.bytes, call->out.length);
    gm_buffer items = call->out;
    gm_buffer_init(&call->out, call->arena);
    gm_buffer name;
    gm_buffer_init(&name, call->arena);
    gm_buffer_printf(&name, "%016llx%016llx", (unsigned long long)hash.words[0], (unsigned long long)hash.words[1]);
    if (gm_input_says(call->in, gm_input_member(call->in, call->params, "previousResultId"), gm_buffer_text(&name))) {
        gm_buffer_printf(&call->out, "{\"kind\": \"unchanged\", \"resultId\": \"%s\"}", name.bytes);
        return;
    }
    gm_buffer_printf(&call->out, "{\"kind\": \"full\", \"resultId\": \"%s\", \"items\": ", name.bytes);
    gm_buffer_add(&call->out, items.bytes, items.length);
    gm_buffer_add_char(&call->out, '}');
}
