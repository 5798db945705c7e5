/* didOpen, didChange, didSave, didClose: the texts of the client are the ones that count, whatever the files say. */
#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "flow/walk.h"
#include "server/session.h"
#include "server/uri.h"

/* ---- What calls share ---- */

static gm_document *find_named_document(gm_call *call, const char *names) {
    const char *uri = gm_input_text(call->in, gm_input_path(call->in, call->params, names), NULL);
    gm_document *document = uri == NULL ? NULL : gm_documents_find(&call->server->documents, uri);
    if (document != NULL) {
        document->unit->used = ++call->server->clock;
    }
    return document;
}

gm_document *gm_call_document(gm_call *call) {
    gm_document *document = find_named_document(call, "textDocument.uri");
    if (document == NULL) {
        gm_call_fail(call, GM_ERROR_PARAMS, "the document is not open");
    }
    return document;
}

bool gm_call_view(gm_call *call, gm_document *document, gm_view **view, const gm_section **section) {
    *view = gm_view_of(call->arena, document->unit);
    *section = (*view)->checked == NULL ? NULL : gm_view_section(*view, document);
    return *section != NULL;
}

typedef struct walking {
    gm_call *call;
    gm_view *view;
    bool (*visit)(const gm_node *node, const gm_node *parent, void *context);
    void *context;
} walking;

static void walk(void *context) {
    const walking *state = context;
    gm_walk(state->call->arena, &state->view->checked->analysis->tree->module->base, state->visit, state->context);
}

void gm_call_walk(gm_call *call, gm_view *view, bool (*visit)(const gm_node *node, const gm_node *parent, void *context), void *context) {
    walking state = {call, view, visit, context};
    size_t before = call->out.length;
    if (!gm_work_within(&view->arena, view->checked->source->length, walk, &state)) {
        call->out.length = before;
    }
}

bool gm_call_place(const gm_call *call, uint32_t value, gm_place_in *place) {
    return gm_input_number(call->in, gm_input_member(call->in, value, "line"), &place->line) &&
           gm_input_number(call->in, gm_input_member(call->in, value, "character"), &place->unit);
}

bool gm_call_range(const gm_call *call, uint32_t value, const gm_section *section, uint32_t *start, uint32_t *end) {
    gm_place_in from;
    gm_place_in to;
    if (!gm_call_place(call, gm_input_member(call->in, value, "start"), &from) ||
        !gm_call_place(call, gm_input_member(call->in, value, "end"), &to)) {
        return false;
    }
    *start = gm_view_offset(section, call->server->client.units, from);
    *end = gm_view_offset(section, call->server->client.units, to);
    return true;
}

/* ---- Texts ---- */

static void lose(gm_call *call, gm_document *document, const char *why) {
    document->lost = true;
    gm_bytes_free(&document->text);
    gm_server_tell(call, false, why, document->uri, "open it again");
}

/* Changes of the texts of others are not checked against their version: the protocol sends them in order. */
static void read_version(const gm_call *call, gm_document *document, uint32_t version) {
    uint32_t number = 0;
    if (gm_input_number(call->in, version, &number)) {
        document->version = number;
    }
}

/* The whole text, without asking what there was. */
void gm_document_set(gm_call *call, gm_document *document, uint32_t text) {
    size_t size = 0;
    const char *bytes = gm_input_text(call->in, text, &size);
    document->lost = false;
    document->text.size = 0;
    if (bytes == NULL || size > GM_DOCUMENT_MOST || !gm_bytes_add(&document->text, bytes, size)) {
        lose(call, document, bytes == NULL ? "there is no text of" : "there is no room for");
    }
}

/* The changes of a message are near one another in most cases: each begins at the line of the one before. A mark stays right when what is
 * replaced begins behind it; a line end of two characters could come about across it. */
static void change_part(gm_call *call, gm_document *document, uint32_t change, uint32_t range, gm_line_mark *mark) {
    gm_encoding_units units = call->server->client.units;
    gm_bytes *text = &document->text;
    gm_place_in from;
    gm_place_in to;
    size_t size = 0;
    const char *bytes = gm_input_text(call->in, gm_input_member(call->in, change, "text"), &size);
    if (bytes == NULL || !gm_call_place(call, gm_input_member(call->in, range, "start"), &from) ||
        !gm_call_place(call, gm_input_member(call->in, range, "end"), &to)) {
        lose(call, document, "a change has no range and text, of");
        return;
    }
    size_t start = gm_offset_from(units, text->bytes, text->size, from, mark);
    gm_line_mark last = *mark;
    size_t end = gm_offset_from(units, text->bytes, text->size, to, &last);
    end = end < start ? start : end;
    if (text->size + size > GM_DOCUMENT_MOST || !gm_bytes_replace(text, start, end, bytes, size)) {
        lose(call, document, "there is no room for");
    }
    if (document->lost || (mark->at > 0 && text->bytes[mark->at - 1] == '\r')) {
        *mark = (gm_line_mark){0, 0};
    }
}

void gm_document_change(gm_call *call, gm_document *document, uint32_t changes) {
    gm_line_mark mark = {0, 0};
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, changes, item)) != GM_INPUT_NONE;) {
        uint32_t range = gm_input_member(call->in, item, "range");
        if (range == GM_INPUT_NONE || gm_input_is(call->in, range, GM_TAPE_NULL)) {
            gm_document_set(call, document, gm_input_member(call->in, item, "text"));
            mark = (gm_line_mark){0, 0};
        } else if (!document->lost) {
            change_part(call, document, item, range, &mark);
        }
    }
}

void gm_document_open(gm_call *call, gm_document *document, uint32_t item) {
    document->python = gm_input_says(call->in, gm_input_member(call->in, item, "languageId"), "python");
    read_version(call, document, gm_input_member(call->in, item, "version"));
    gm_document_set(call, document, gm_input_member(call->in, item, "text"));
}

void gm_document_clear(gm_call *call, const gm_document *document) {
    gm_buffer params;
    gm_buffer_init(&params, call->arena);
    gm_buffer_add_text(&params, "{\"uri\": ");
    gm_buffer_add_json(&params, document->uri, strlen(document->uri));
    gm_buffer_add_text(&params, ", \"diagnostics\": []}");
    if (!call->server->client.pulls && document->python) {
        gm_server_notify(call, "textDocument/publishDiagnostics", &params);
    }
}

/* ---- Notifications ---- */

/* A document that is opened again begins anew. */
void gm_serve_did_open(gm_call *call) {
    gm_documents *documents = &call->server->documents;
    uint32_t item = gm_input_member(call->in, call->params, "textDocument");
    const char *uri = gm_input_text(call->in, gm_input_member(call->in, item, "uri"), NULL);
    if (uri == NULL) {
        return;
    }
    gm_document *document = gm_documents_find(documents, uri);
    if (document == NULL) {
        gm_unit *unit = gm_documents_add(documents, uri, gm_uri_path(call->arena, uri), false);
        document = unit == NULL ? NULL : gm_unit_add(documents, unit, 0, uri);
        if (document == NULL && unit != NULL) {
            gm_documents_remove(documents, unit);
        }
    }
    if (document == NULL) {
        gm_server_tell(call, false, "too much is open, there is no room for", uri, NULL);
        return;
    }
    gm_unit_touch(document->unit);
    document->unit->used = ++call->server->clock;
    gm_document_open(call, document, item);
}

void gm_serve_did_change(gm_call *call) {
    gm_document *document = find_named_document(call, "textDocument.uri");
    if (document == NULL) {
        return;
    }
    gm_unit_touch(document->unit);
    gm_document_change(call, document, gm_input_member(call->in, call->params, "contentChanges"));
    read_version(call, document, gm_input_path(call->in, call->params, "textDocument.version"));
}

/* What is saved may be the settings of others. */
void gm_serve_did_save(gm_call *call) {
    static const char name[] = "/pyproject.toml";
    const char *uri = gm_input_text(call->in, gm_input_path(call->in, call->params, "textDocument.uri"), NULL);
    size_t length = uri == NULL ? 0 : strlen(uri);
    if (length >= sizeof name && strcmp(uri + length - (sizeof name - 1), name) == 0) {
        gm_server_touch_all(call);
    }
}

void gm_serve_did_close(gm_call *call) {
    gm_document *document = find_named_document(call, "textDocument.uri");
    if (document == NULL || document->unit->notebook) {
        return; /* cells close with their notebook */
    }
    gm_document_clear(call, document);
    gm_documents_remove(&call->server->documents, document->unit);
}
