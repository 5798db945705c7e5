/* What the handlers of messages share: the state of a session, and a call, which is one message being answered.
 *
 * A handler of a request writes its result, JSON, to `call->out`, or calls gm_call_fail. A handler of a notification writes nothing. All that
 * it allocates is in the call's arena; when memory runs out, control leaves to the session, which answers with an error and gives all views up.
 * So nothing on the heap may be half changed across an allocation in an arena. */
#ifndef GM_SERVER_SESSION_H
#define GM_SERVER_SESSION_H

#include "server/documents.h"
#include "server/frames.h"
#include "server/input.h"
#include "server/positions.h"
#include "server/server.h"
#include "server/view.h"

/* What the client has said of itself. */
typedef struct gm_client {
    gm_encoding_units units;
    bool pulls;            /* asks for diagnostics: they are not pushed */
    bool refreshes;        /* can be asked to ask again */
    bool shows_documents;  /* opens an address when it is asked to */
    bool literal_actions;  /* takes code actions that are no commands */
    bool versioned_edits;  /* `documentChanges` */
    bool markdown;         /* in hovers */
    bool watches;          /* registers watchers of files when it is asked to */
} gm_client;

/* What the user has chosen: `initializationOptions`, or `graphmend` of the client's settings. */
typedef struct gm_choices {
    bool lenses;
    bool hints;
} gm_choices;

typedef enum gm_phase { GM_PHASE_NEW, GM_PHASE_OPEN, GM_PHASE_SHUT, GM_PHASE_ENDED } gm_phase;

typedef struct gm_folders {
    char **paths; /* of the workspace */
    uint32_t count;
} gm_folders;

/* Requests that wait, by their ids. */
typedef struct gm_waiting {
    struct gm_message *first;
    struct gm_message *last;
} gm_waiting;

struct gm_server {
    gm_phase phase;
    int status;
    gm_client client;
    gm_choices choices;
    gm_folders folders;
    gm_frames frames;
    struct gm_message *first; /* queued */
    struct gm_message *last;
    size_t queued; /* bytes of them */
    gm_waiting waiting[GM_BUCKETS];
    gm_bytes out;
    gm_documents documents;
    uint64_t clock;      /* of uses of units */
    uint32_t asked;      /* requests to the client so far */
    char *told;          /* the last problem of settings, which is not told again */
};

typedef struct gm_call {
    gm_server *server;
    gm_arena *arena;
    const gm_input *in;
    uint32_t params;
    gm_buffer out;
    int error; /* 0: none */
    const char *message;
} gm_call;

enum {
    GM_ERROR_PARSE = -32700,
    GM_ERROR_INVALID_REQUEST = -32600,
    GM_ERROR_NO_METHOD = -32601,
    GM_ERROR_PARAMS = -32602,
    GM_ERROR_INTERNAL = -32603,
    GM_ERROR_NOT_INITIALISED = -32002,
    GM_ERROR_CANCELLED = -32800,
};

/* The handlers, of methods.def. */
#define GM_REQUEST(method, function) void function(gm_call *call);
#define GM_NOTIFICATION(method, function) void function(gm_call *call);
#include "server/methods.def"

/* Answer with an error; static words. */
void gm_call_fail(gm_call *call, int error, const char *message);

/* The document that `textDocument.uri` names; NULL, and GM_ERROR_PARAMS, when it is not open. */
gm_document *gm_call_document(gm_call *call);

/* The analysis of its unit, and the document's section in it; false where there is none to ask. */
bool gm_call_view(gm_call *call, gm_document *document, gm_view **view, const gm_section **section);

/* Read a position; false when it is none. */
bool gm_call_place(const gm_call *call, uint32_t value, gm_place_in *place);

/* The offsets of a range in a section. */
bool gm_call_range(const gm_call *call, uint32_t value, const gm_section *section, uint32_t *start, uint32_t *end);

/* Add the items of a list about the tree of an analysed view, by a visitor of gm_walk, within the budget of its text; beyond that none. The
 * work is that of the view: what values need is kept there. */
void gm_call_walk(gm_call *call, gm_view *view, bool (*visit)(const gm_node *node, const gm_node *parent, void *context), void *context);

/* Send a message whose JSON, without `jsonrpc`, is the members in `body`. Without memory nothing is sent. */
void gm_server_send(gm_server *server, const gm_buffer *body);

/* A notification or request to the client; `params` is JSON. */
void gm_server_notify(gm_call *call, const char *method, const gm_buffer *params);
void gm_server_ask(gm_call *call, const char *method, const gm_buffer *params);

/* Say something in the client's log, or (`shown`) to the user; words of others are made visible. */
void gm_server_tell(gm_call *call, bool shown, const char *words, const char *name, const char *more);

/* Whether a client may be offered changes of a unit: its file is in the workspace, or there is neither. */
bool gm_server_may_change(const gm_server *server, const gm_unit *unit);

/* Take folders of the workspace from URIs: one, or a list of `{"uri": ...}`. */
void gm_add_folder(gm_call *call, uint32_t uri);
void gm_add_folders(gm_call *call, uint32_t list);

/* Take the user's choices from an object; those that are not in it stay. */
void gm_read_choices(gm_call *call, uint32_t options);

/* Fill a document from an item with `languageId`, `version` and `text`; carry changes out. The unit has been touched. */
void gm_document_open(gm_call *call, gm_document *document, uint32_t item);
void gm_document_set(gm_call *call, gm_document *document, uint32_t text);
void gm_document_change(gm_call *call, gm_document *document, uint32_t changes);

/* Take the diagnostics of a document away, as it closes. */
void gm_document_clear(gm_call *call, const gm_document *document);

/* All that is open may have other findings. */
void gm_server_touch_all(gm_call *call);

/* Push the diagnostics of the unit that is due and was used last; false when none is. */
bool gm_server_push_due(gm_call *call);

/* Add the diagnostics of a document, a list. */
void gm_diagnostics_add(gm_call *call, gm_document *document);

/* Add the one of an entry; false where it is in another document. */
bool gm_diagnostic_add(gm_call *call, const gm_view *view, const gm_section *section, const gm_entry *entry, gm_buffer *out);

#endif
