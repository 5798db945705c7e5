/* The life of a session: messages are queued, taken in order and answered. */
#include "server/session.h"

#include <stdlib.h>
#include <string.h>

/* So much may wait before the client has to. */
enum { MOST_QUEUED = 64 << 20, MOST_VIEWS = 8 };

typedef struct gm_message {
    struct gm_message *next;
    gm_arena arena;
    jmp_buf out_of_memory;
    gm_input input;
    size_t size;
    bool readable;
    bool cancelled;
    const char *method; /* NULL: an answer to one of our own requests */
    const char *id;     /* as it was written; NULL: a notification */
    uint32_t bucket;    /* of the id, where both are there */
    struct gm_message *same_bucket;
} gm_message;

typedef struct handler {
    const char *name;
    void (*serve)(gm_call *call);
    bool request;
} handler;

static const handler methods[] = {
#define GM_REQUEST(name, function) {name, function, true},
#define GM_NOTIFICATION(name, function) {name, function, false},
#include "server/methods.def"
};

static const handler *find_method(const char *name) {
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            return &methods[i];
        }
    }
    return NULL;
}

/* ---- The queue ---- */

static void free_message(gm_message *message) {
    gm_arena_free(&message->arena);
    free(message);
}

static void read_message(gm_message *message, const char *bytes, size_t size) {
    gm_arena_init(&message->arena, gm_allocator_default(), &message->out_of_memory);
    if (setjmp(message->out_of_memory) != 0) {
        message->readable = false;
        return;
    }
    message->readable = gm_input_read(&message->input, &message->arena, bytes, size);
    if (message->readable) {
        uint32_t id = gm_input_member(&message->input, 0, "id");
        message->method = gm_input_text(&message->input, gm_input_member(&message->input, 0, "method"), NULL);
        message->id = gm_input_raw(&message->input, id);
    }
}

/* A request that still waits and is taken back: it stays in the queue, because it has to be answered. */
static void cancel(gm_server *server, const gm_message *by) {
    const char *id = gm_input_raw(&by->input, gm_input_path(&by->input, 0, "params.id"));
    gm_message *message = id == NULL ? NULL : server->waiting[gm_bucket_of(id)].first;
    for (; message != NULL; message = message->same_bucket) {
        message->cancelled = message->cancelled || strcmp(message->id, id) == 0;
    }
}

static bool may_be_cancelled(const gm_message *message) {
    return message->id != NULL && message->method != NULL;
}

static void add_waiting(gm_server *server, gm_message *message) {
    message->bucket = gm_bucket_of(message->id);
    gm_waiting *same = &server->waiting[message->bucket];
    if (same->first == NULL) {
        same->first = message;
    } else {
        same->last->same_bucket = message;
    }
    same->last = message;
}

static void enqueue(gm_server *server, const char *bytes, size_t size) {
    gm_message *message = calloc(1, sizeof *message);
    if (message == NULL) {
        return;
    }
    read_message(message, bytes, size);
    message->size = size + message->arena.total; /* small messages take more than their bytes */
    if (message->method != NULL && strcmp(message->method, "$/cancelRequest") == 0) {
        if (setjmp(message->out_of_memory) == 0) {
            cancel(server, message);
        }
        free_message(message);
        return;
    }
    if (server->last != NULL) {
        server->last->next = message;
    } else {
        server->first = message;
    }
    server->last = message;
    if (may_be_cancelled(message)) {
        add_waiting(server, message);
    }
    server->queued += size + sizeof *message;
}

static gm_message *dequeue(gm_server *server) {
    gm_message *message = server->first;
    if (message != NULL) {
        server->first = message->next;
        server->last = server->first == NULL ? NULL : server->last;
        if (may_be_cancelled(message)) { /* the first of its bucket, as of all */
            server->waiting[message->bucket].first = message->same_bucket;
        }
        server->queued -= message->size + sizeof *message;
    }
    return message;
}

/* ---- Answers ---- */

void gm_server_send(gm_server *server, const gm_buffer *body) {
    static const char start[] = "{\"jsonrpc\": \"2.0\", ";
    gm_buffer head;
    gm_buffer_init(&head, body->arena);
    gm_buffer_printf(&head, "Content-Length: %zu\r\n\r\n%s", sizeof start - 1 + body->length + 1, start);
    size_t before = server->out.size;
    bool sent = gm_bytes_add(&server->out, head.bytes, head.length) && gm_bytes_add(&server->out, body->bytes, body->length) &&
                gm_bytes_add(&server->out, "}", 1);
    server->out.size = sent ? server->out.size : before;
}

static void reply(gm_call *call, const char *id) {
    gm_buffer body;
    gm_buffer_init(&body, call->arena);
    gm_buffer_printf(&body, "\"id\": %s, ", id);
    if (call->error != 0) {
        gm_buffer_printf(&body, "\"error\": {\"code\": %d, \"message\": \"%s\"}", call->error, call->message);
    } else {
        gm_buffer_add_text(&body, "\"result\": ");
        gm_buffer_add(&body, call->out.length > 0 ? call->out.bytes : "null", call->out.length > 0 ? call->out.length : 4);
    }
    gm_server_send(call->server, &body);
}

void gm_call_fail(gm_call *call, int error, const char *message) {
    call->error = error;
    call->message = message;
}

static void send_params(gm_call *call, const char *method, const gm_buffer *params, gm_buffer *body) {
    gm_buffer_printf(body, "\"method\": \"%s\", \"params\": ", method);
    gm_buffer_add(body, params->bytes, params->length);
    gm_server_send(call->server, body);
}

void gm_server_notify(gm_call *call, const char *method, const gm_buffer *params) {
    gm_buffer body;
    gm_buffer_init(&body, call->arena);
    send_params(call, method, params, &body);
}

void gm_server_ask(gm_call *call, const char *method, const gm_buffer *params) {
    gm_buffer body;
    gm_buffer_init(&body, call->arena);
    gm_buffer_printf(&body, "\"id\": \"graphmend-%u\", ", ++call->server->asked);
    send_params(call, method, params, &body);
}

/* ---- Work ---- */

/* Whether the phase lets a message through; otherwise requests have their error. */
static bool is_in_phase(gm_call *call, const gm_message *message) {
    gm_phase phase = call->server->phase;
    bool starts = strcmp(message->method, "initialize") == 0;
    if (strcmp(message->method, "exit") == 0) {
        return true;
    }
    if (phase == GM_PHASE_NEW && !starts) {
        gm_call_fail(call, GM_ERROR_NOT_INITIALISED, "the server is not initialised");
    } else if (phase == GM_PHASE_OPEN && starts) {
        gm_call_fail(call, GM_ERROR_INVALID_REQUEST, "the server is initialised already");
    } else if (phase == GM_PHASE_SHUT) {
        gm_call_fail(call, GM_ERROR_INVALID_REQUEST, "the server has been shut down");
    }
    return call->error == 0;
}

static void serve(gm_call *call, const gm_message *message) {
    if (!is_in_phase(call, message)) {
        return;
    }
    const handler *found = find_method(message->method);
    if (found == NULL) {
        gm_call_fail(call, GM_ERROR_NO_METHOD, "no such method");
    } else if (found->request != (message->id != NULL)) {
        gm_call_fail(call, GM_ERROR_INVALID_REQUEST, found->request ? "a request has an id" : "a notification has no id");
    } else if (message->cancelled) {
        gm_call_fail(call, GM_ERROR_CANCELLED, "the request was cancelled");
    } else {
        found->serve(call);
    }
}

/* What has no method and no id of ours is no message; what has an id alone is an answer, and nothing waits for it. */
static void take(gm_call *call, const gm_message *message) {
    if (!message->readable) {
        gm_call_fail(call, GM_ERROR_PARSE, "no JSON object in UTF-8, or one that nests too deep");
        reply(call, "null");
        return;
    }
    bool answer = message->method == NULL &&
                  (gm_input_member(call->in, 0, "result") != GM_INPUT_NONE || gm_input_member(call->in, 0, "error") != GM_INPUT_NONE);
    if (answer) {
        return;
    }
    if (message->method == NULL) {
        gm_call_fail(call, GM_ERROR_INVALID_REQUEST, "a message without a method");
        reply(call, message->id != NULL ? message->id : "null");
        return;
    }
    serve(call, message);
    if (message->id != NULL) {
        reply(call, message->id);
    }
}

/* Views that were not asked for lately take memory for nothing. */
static void give_up_views(gm_server *server, uint32_t most) {
    for (;;) {
        gm_unit *oldest = NULL;
        uint32_t count = 0;
        for (uint32_t i = 0; i < server->documents.count; i++) {
            gm_unit *unit = server->documents.units[i];
            if (unit->view != NULL) {
                count++;
                oldest = oldest == NULL || unit->used < oldest->used ? unit : oldest;
            }
        }
        if (count <= most) {
            return;
        }
        gm_view_free(oldest);
    }
}

typedef struct body {
    void (*run)(gm_call *call, const gm_message *message);
    gm_message *message; /* may be NULL */
} body;

/* Run with an arena of its own; false when memory has run out. */
static bool run(gm_server *server, const body *wanted) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    volatile bool whole = false;
    if (setjmp(out_of_memory) == 0) {
        gm_call call = {.server = server, .arena = &arena, .in = wanted->message == NULL ? NULL : &wanted->message->input};
        gm_buffer_init(&call.out, &arena);
        if (wanted->message != NULL) {
            wanted->message->input.arena = &arena;
            call.params = wanted->message->readable ? gm_input_member(call.in, 0, "params") : GM_INPUT_NONE;
        }
        wanted->run(&call, wanted->message);
        whole = true;
    }
    gm_arena_free(&arena);
    give_up_views(server, whole ? MOST_VIEWS : 0);
    return whole;
}

static void run_without_memory(gm_call *call, const gm_message *message) {
    gm_call_fail(call, GM_ERROR_INTERNAL, "out of memory");
    reply(call, message->id);
}

static void run_broken(gm_call *call, const gm_message *message) {
    (void)message;
    gm_call_fail(call, GM_ERROR_PARSE, call->server->frames.problem);
    reply(call, "null");
}

static void run_due(gm_call *call, const gm_message *message) {
    (void)message;
    (void)gm_server_push_due(call);
}

static bool is_due(const gm_server *server) {
    bool due = false;
    for (uint32_t i = 0; i < server->documents.count; i++) {
        due = due || server->documents.units[i]->due;
    }
    return due && server->phase == GM_PHASE_OPEN;
}

bool gm_server_work(gm_server *server) {
    gm_message *message = server->phase == GM_PHASE_ENDED ? NULL : dequeue(server);
    if (message == NULL) {
        const body push = {run_due, NULL};
        return is_due(server) && (run(server, &push), true);
    }
    const body wanted = {take, message};
    if (!run(server, &wanted) && message->id != NULL && message->method != NULL) {
        const body answer = {run_without_memory, message};
        (void)run(server, &answer);
    }
    free_message(message);
    return true;
}

void gm_server_feed(gm_server *server, const char *bytes, size_t size) {
    static const body broken = {run_broken, NULL};
    gm_framed frame;
    if (!gm_frames_feed(&server->frames, bytes, size)) {
        gm_frames_free(&server->frames); /* out of step: the next right header is looked for */
        server->frames.skipping = true;
    }
    for (gm_frame_kind kind; (kind = gm_frames_next(&server->frames, &frame)) != GM_FRAME_NONE;) {
        if (kind == GM_FRAME_WHOLE) {
            enqueue(server, frame.bytes, frame.size);
        } else {
            (void)run(server, &broken);
        }
    }
}

bool gm_server_wants(const gm_server *server) {
    return server->queued < MOST_QUEUED && server->phase != GM_PHASE_ENDED;
}

const char *gm_server_output(const gm_server *server, size_t *size) {
    *size = server->out.size;
    return server->out.bytes;
}

void gm_server_written(gm_server *server) {
    enum { KEPT = 1 << 20 };
    server->out.size = 0;
    if (server->out.room > KEPT) {
        gm_bytes_free(&server->out);
    }
}

bool gm_server_ended(const gm_server *server, int *status) {
    *status = server->status;
    return server->phase == GM_PHASE_ENDED;
}

gm_server *gm_server_new(void) {
    gm_server *server = calloc(1, sizeof *server);
    if (server != NULL) {
        server->status = 1;
        server->choices.lenses = true;
    }
    return server;
}

void gm_server_free(gm_server *server) {
    if (server == NULL) {
        return;
    }
    for (gm_message *message = dequeue(server); message != NULL; message = dequeue(server)) {
        free_message(message);
    }
    for (uint32_t i = 0; i < server->folders.count; i++) {
        free(server->folders.paths[i]);
    }
    free(server->folders.paths);
    free(server->told);
    gm_documents_free(&server->documents);
    gm_frames_free(&server->frames);
    gm_bytes_free(&server->out);
    free(server);
}
