/* Notebooks: cells come, go and change, and all of them are analysed as one text. */
#include <string.h>

#include "server/session.h"
#include "server/uri.h"

static gm_unit *find_notebook(gm_call *call) {
    const char *uri = gm_input_text(call->in, gm_input_path(call->in, call->params, "notebookDocument.uri"), NULL);
    gm_unit *unit = uri == NULL ? NULL : gm_documents_unit(&call->server->documents, uri);
    if (unit == NULL || !unit->notebook) {
        return NULL;
    }
    unit->used = ++call->server->clock;
    return unit;
}

static gm_document *find_cell(const gm_call *call, const gm_unit *unit, uint32_t uri, uint32_t *at) {
    const char *text = gm_input_text(call->in, uri, NULL);
    gm_document *cell = text == NULL ? NULL : gm_documents_find(&call->server->documents, text);
    if (cell == NULL || cell->unit != unit) {
        return NULL;
    }
    *at = unit->count; /* most cells come at the end */
    while (unit->documents[--*at] != cell) {
    }
    return cell;
}

/* Move the cell at one place in front of that at another. */
static void move_cell(gm_unit *unit, uint32_t from, uint32_t to) {
    gm_document *cell = unit->documents[from];
    if (from < to) {
        memmove(unit->documents + from, unit->documents + from + 1, (to - from - 1) * sizeof(void *));
        unit->documents[to - 1] = cell;
    } else {
        memmove(unit->documents + to + 1, unit->documents + to, (from - to) * sizeof(void *));
        unit->documents[to] = cell;
    }
}

/* Put the cells of a list in front of the one at `at`; those that are there already move. A cell of another document is not taken. */
static void insert_cells(gm_call *call, gm_unit *unit, uint32_t cells, uint32_t at) {
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, cells, item)) != GM_INPUT_NONE;) {
        uint32_t uri = gm_input_member(call->in, item, "document");
        uint32_t from = 0;
        const char *text = gm_input_text(call->in, uri, NULL);
        if (find_cell(call, unit, uri, &from) != NULL) {
            move_cell(unit, from, at);
            at += from >= at;
        } else if (text != NULL && gm_documents_find(&call->server->documents, text) == NULL) {
            at += gm_unit_add(&call->server->documents, unit, at, text) != NULL;
        }
    }
}

static void fill_cells(gm_call *call, const gm_unit *unit, uint32_t items) {
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, items, item)) != GM_INPUT_NONE;) {
        uint32_t at = 0;
        gm_document *cell = find_cell(call, unit, gm_input_member(call->in, item, "uri"), &at);
        if (cell != NULL) {
            gm_document_open(call, cell, item);
        }
    }
}

void gm_serve_notebook_open(gm_call *call) {
    gm_documents *documents = &call->server->documents;
    uint32_t notebook = gm_input_member(call->in, call->params, "notebookDocument");
    const char *uri = gm_input_text(call->in, gm_input_member(call->in, notebook, "uri"), NULL);
    gm_unit *unit = uri == NULL ? NULL : gm_documents_unit(documents, uri);
    if (uri == NULL || (unit != NULL && !unit->notebook)) {
        return; /* open as a text */
    }
    if (unit != NULL) {
        gm_documents_remove(documents, unit);
    }
    unit = gm_documents_add(documents, uri, gm_uri_path(call->arena, uri), true);
    if (unit == NULL) {
        gm_server_tell(call, false, "too much is open, there is no room for", uri, NULL);
        return;
    }
    unit->due = true;
    unit->used = ++call->server->clock;
    insert_cells(call, unit, gm_input_member(call->in, notebook, "cells"), 0);
    fill_cells(call, unit, gm_input_member(call->in, call->params, "cellTextDocuments"));
}

/* Mark the cells of a notebook that a list names. */
static void mark_named(gm_call *call, const gm_unit *unit, uint32_t cells) {
    for (uint32_t i = 0; i < unit->count; i++) {
        unit->documents[i]->named = false;
    }
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, cells, item)) != GM_INPUT_NONE;) {
        const char *text = gm_input_text(call->in, gm_input_member(call->in, item, "document"), NULL);
        gm_document *cell = text == NULL ? NULL : gm_documents_find(&call->server->documents, text);
        if (cell != NULL && cell->unit == unit) {
            cell->named = true;
        }
    }
}

/* Cells that move are taken out and put in again. */
static void change_structure(gm_call *call, gm_unit *unit, uint32_t structure) {
    uint32_t array = gm_input_member(call->in, structure, "array");
    uint32_t cells = gm_input_member(call->in, array, "cells");
    uint32_t start = 0;
    uint32_t count = 0;
    (void)gm_input_number(call->in, gm_input_member(call->in, array, "start"), &start);
    (void)gm_input_number(call->in, gm_input_member(call->in, array, "deleteCount"), &count);
    start = start > unit->count ? unit->count : start;
    count = count > unit->count - start ? unit->count - start : count;
    gm_document **removed = GM_NEW_ARRAY(call->arena, gm_document *, count + 1);
    mark_named(call, unit, cells);
    for (uint32_t i = 0; i < count; i++) {
        gm_document *cell = unit->documents[start + i];
        removed[i] = cell->named ? NULL : cell;
    }
    insert_cells(call, unit, cells, start + count);
    for (uint32_t i = 0; i < count; i++) {
        if (removed[i] != NULL) {
            gm_document_clear(call, removed[i]);
            gm_unit_remove(&call->server->documents, unit, removed[i]);
        }
    }
    fill_cells(call, unit, gm_input_member(call->in, structure, "didOpen"));
}

static void change_texts(gm_call *call, gm_unit *unit, uint32_t texts) {
    for (uint32_t item = GM_INPUT_NONE; (item = gm_input_next(call->in, texts, item)) != GM_INPUT_NONE;) {
        uint32_t at = 0;
        uint32_t version = 0;
        gm_document *cell = find_cell(call, unit, gm_input_path(call->in, item, "document.uri"), &at);
        if (cell == NULL) {
            continue;
        }
        gm_document_change(call, cell, gm_input_member(call->in, item, "changes"));
        if (gm_input_number(call->in, gm_input_path(call->in, item, "document.version"), &version)) {
            cell->version = version;
        }
    }
}

void gm_serve_notebook_change(gm_call *call) {
    gm_unit *unit = find_notebook(call);
    uint32_t cells = gm_input_path(call->in, call->params, "change.cells");
    if (unit == NULL) {
        return;
    }
    gm_unit_touch(unit);
    if (gm_input_is(call->in, gm_input_member(call->in, cells, "structure"), GM_TAPE_OBJECT)) {
        change_structure(call, unit, gm_input_member(call->in, cells, "structure"));
    }
    change_texts(call, unit, gm_input_member(call->in, cells, "textContent"));
}

void gm_serve_notebook_save(gm_call *call) {
    (void)call; /* the text that counts is the client's */
}

void gm_serve_notebook_close(gm_call *call) {
    gm_unit *unit = find_notebook(call);
    if (unit == NULL) {
        return;
    }
    for (uint32_t i = 0; i < unit->count; i++) {
        gm_document_clear(call, unit->documents[i]);
    }
    gm_documents_remove(&call->server->documents, unit);
}
