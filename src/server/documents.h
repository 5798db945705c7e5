/* What the client has open. A *document* is a text: a file, or a cell of a notebook. A *unit* is what is analysed at once: one document, or the
 * cells of one notebook. Everything here is on the heap and lives from `didOpen` to `didClose`. */
#ifndef GM_SERVER_DOCUMENTS_H
#define GM_SERVER_DOCUMENTS_H

#include <stdint.h>

#include "server/buckets.h"
#include "server/bytes.h"

enum { GM_DOCUMENT_MOST = 64 << 20, GM_DOCUMENTS_MOST = 20000 };

typedef struct gm_document {
    char *uri;
    int64_t version;
    bool python; /* by the language that the client names */
    bool named; /* by the change of a notebook that is being made */
    bool lost; /* a change could not be made: the text is unknown until the client sends the whole of it */
    gm_bytes text; /* UTF-8 */
    struct gm_unit *unit;
    struct gm_document *same_bucket; /* the next one, by its URI */
} gm_document;

typedef struct gm_unit {
    char *uri; /* of the notebook, or of the only document */
    char *path; /* of the file; NULL: there is none */
    bool notebook;
    bool due; /* what there is to say has changed */
    gm_document **documents; /* in the order of the cells */
    uint32_t count;
    uint32_t room;
    struct gm_view *view; /* the analysis of the text as it is; NULL: not made, or given up */
    void (*free_view)(struct gm_unit *unit); /* of view.c; set with `view` */
    uint64_t used; /* when it was last asked for */
    struct gm_unit *same_bucket;
} gm_unit;

typedef struct gm_documents {
    gm_unit **units;
    uint32_t count;
    uint32_t room;
    uint32_t open; /* documents of all units */
    gm_document *documents_by_uri[GM_BUCKETS];
    gm_unit *units_by_uri[GM_BUCKETS];
} gm_documents;

/* The document of a URI; NULL when it is not open. */
gm_document *gm_documents_find(const gm_documents *documents, const char *uri);

/* The unit of a URI, that of a notebook included. */
gm_unit *gm_documents_unit(const gm_documents *documents, const char *uri);

/* A new unit without documents; NULL without memory, or when there are too many. `path` may be NULL. */
gm_unit *gm_documents_add(gm_documents *documents, const char *uri, const char *path, bool notebook);

/* A new empty document of a unit, in front of the one with this number; NULL as above. */
gm_document *gm_unit_add(gm_documents *documents, gm_unit *unit, uint32_t at, const char *uri);

/* Forget a document, which is one of the unit. */
void gm_unit_remove(gm_documents *documents, gm_unit *unit, gm_document *document);

/* Forget a unit and all that it holds. */
void gm_documents_remove(gm_documents *documents, gm_unit *unit);

void gm_documents_free(gm_documents *documents);

/* The text has changed, or what its analysis depends on. */
void gm_unit_touch(gm_unit *unit);

#endif
