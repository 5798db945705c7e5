#include "server/documents.h"

#include <stdlib.h>
#include <string.h>

gm_document *gm_documents_find(const gm_documents *documents, const char *uri) {
    gm_document *document = documents->documents_by_uri[gm_bucket_of(uri)];
    while (document != NULL && strcmp(document->uri, uri) != 0) {
        document = document->same_bucket;
    }
    return document;
}

gm_unit *gm_documents_unit(const gm_documents *documents, const char *uri) {
    gm_unit *unit = documents->units_by_uri[gm_bucket_of(uri)];
    while (unit != NULL && strcmp(unit->uri, uri) != 0) {
        unit = unit->same_bucket;
    }
    return unit;
}

static void forget_document(gm_documents *documents, const gm_document *document) {
    gm_document **at = &documents->documents_by_uri[gm_bucket_of(document->uri)];
    while (*at != NULL && *at != document) {
        at = &(*at)->same_bucket;
    }
    *at = *at != NULL ? document->same_bucket : NULL;
}

static void forget_unit(gm_documents *documents, const gm_unit *unit) {
    gm_unit **at = &documents->units_by_uri[gm_bucket_of(unit->uri)];
    while (*at != NULL && *at != unit) {
        at = &(*at)->same_bucket;
    }
    *at = *at != NULL ? unit->same_bucket : NULL;
}

static void free_document(gm_documents *documents, gm_document *document) {
    forget_document(documents, document);
    gm_bytes_free(&document->text);
    free(document->uri);
    free(document);
}

static void give_view_up(gm_unit *unit) {
    if (unit->view != NULL) {
        unit->free_view(unit);
    }
}

static void free_unit(gm_documents *documents, gm_unit *unit) {
    give_view_up(unit);
    for (uint32_t i = 0; i < unit->count; i++) {
        free_document(documents, unit->documents[i]);
    }
    if (unit->uri != NULL) {
        forget_unit(documents, unit);
    }
    free(unit->documents);
    free(unit->uri);
    free(unit->path);
    free(unit);
}

/* Room for one more pointer; NULL without memory. */
static void *grow(void *items, uint32_t count, uint32_t *room) {
    if (count < *room) {
        return items;
    }
    uint32_t wanted = *room < 4 ? 8 : *room * 2;
    void *grown = realloc(items, wanted * sizeof(void *));
    *room = grown != NULL ? wanted : *room;
    return grown;
}

gm_unit *gm_documents_add(gm_documents *documents, const char *uri, const char *path, bool notebook) {
    gm_unit **units = documents->open < GM_DOCUMENTS_MOST ? grow(documents->units, documents->count, &documents->room) : NULL;
    documents->units = units != NULL ? units : documents->units;
    gm_unit *unit = units != NULL ? calloc(1, sizeof *unit) : NULL;
    if (unit == NULL) {
        return NULL;
    }
    unit->notebook = notebook;
    unit->uri = gm_bytes_copy(uri, strlen(uri));
    unit->path = path == NULL ? NULL : gm_bytes_copy(path, strlen(path));
    if (unit->uri == NULL || (path != NULL && unit->path == NULL)) {
        free_unit(documents, unit);
        return NULL;
    }
    units[documents->count++] = unit;
    gm_unit **first = &documents->units_by_uri[gm_bucket_of(uri)];
    unit->same_bucket = *first;
    *first = unit;
    return unit;
}

gm_document *gm_unit_add(gm_documents *documents, gm_unit *unit, uint32_t at, const char *uri) {
    gm_document **items = documents->open < GM_DOCUMENTS_MOST ? grow(unit->documents, unit->count, &unit->room) : NULL;
    unit->documents = items != NULL ? items : unit->documents;
    gm_document *document = items != NULL ? calloc(1, sizeof *document) : NULL;
    char *copy = document != NULL ? gm_bytes_copy(uri, strlen(uri)) : NULL;
    if (copy == NULL) {
        free(document);
        return NULL;
    }
    document->uri = copy;
    document->unit = unit;
    gm_document **first = &documents->documents_by_uri[gm_bucket_of(uri)];
    document->same_bucket = *first;
    *first = document;
    at = at < unit->count ? at : unit->count;
    memmove(items + at + 1, items + at, (unit->count - at) * sizeof *items);
    items[at] = document;
    unit->count++;
    documents->open++;
    return document;
}

void gm_unit_remove(gm_documents *documents, gm_unit *unit, gm_document *document) {
    for (uint32_t i = 0; i < unit->count; i++) {
        if (unit->documents[i] == document) {
            memmove(unit->documents + i, unit->documents + i + 1, (unit->count - i - 1) * sizeof document);
            unit->count--;
            documents->open--;
            free_document(documents, document);
            return;
        }
    }
}

void gm_documents_remove(gm_documents *documents, gm_unit *unit) {
    for (uint32_t i = 0; i < documents->count; i++) {
        if (documents->units[i] == unit) {
            documents->units[i] = documents->units[--documents->count];
            documents->open -= unit->count;
            free_unit(documents, unit);
            return;
        }
    }
}

void gm_documents_free(gm_documents *documents) {
    while (documents->count > 0) {
        gm_documents_remove(documents, documents->units[0]);
    }
    free(documents->units);
    *documents = (gm_documents){0};
}

void gm_unit_touch(gm_unit *unit) {
    give_view_up(unit);
    unit->due = true;
}
