/* Code lenses: which functions torch.compile reaches, and from where. */
#include <string.h>

#include "analysis/reach.h"
#include "server/session.h"

enum { MOST_NAMED = 3 };

typedef struct lensing {
    gm_call *call;
    gm_view *view;
    const gm_section *section;
    const char *names[MOST_NAMED]; /* of the functions that call the one at hand */
    uint32_t named;
    bool more;
} lensing;

static bool name_caller(gm_function *function, const gm_node *site, void *context) {
    lensing *state = context;
    (void)site;
    const char *name = function->scope->name->text;
    for (uint32_t i = 0; i < state->named; i++) {
        if (strcmp(state->names[i], name) == 0) {
            return true;
        }
    }
    state->more = state->more || state->named == MOST_NAMED;
    if (state->named < MOST_NAMED) {
        state->names[state->named++] = name;
    }
    return true;
}

/* Entrances, such as `forward` and what is decorated, have callers that nobody knows. */
static void add_title(lensing *state, gm_buffer *title, const gm_node *definition) {
    gm_analysis *analysis = state->view->checked->analysis;
    state->named = 0;
    state->more = false;
    if (!gm_reach_each_call(analysis, definition, name_caller, state) || state->named == 0) {
        uint32_t calls = gm_reach_callers(analysis, definition);
        gm_buffer_add_text(title, "torch.compile reaches this");
        if (calls > 0) {
            gm_buffer_printf(title, ", %u call%s in compiled code", calls, calls == 1 ? "" : "s");
        }
        return;
    }
    for (uint32_t i = 0; i < state->named; i++) {
        gm_buffer_printf(title, "%s%s", i == 0 ? "compiled from " : ", ", state->names[state->named - 1 - i]);
    }
    gm_buffer_add_text(title, state->more ? " and others" : "");
}

static void add_lens(lensing *state, const gm_node *definition) {
    gm_buffer *out = &state->call->out;
    gm_encoding_units units = state->call->server->client.units;
    gm_place_in place;
    if (gm_view_locate(state->view, units, definition->start, &place) != state->section) {
        return;
    }
    gm_buffer title;
    gm_buffer_init(&title, state->call->arena);
    add_title(state, &title, definition);
    gm_buffer_add_text(out, out->length > 1 ? ", {\"range\": " : "{\"range\": ");
    gm_view_add_range(out, state->view, units, definition->start, definition->start);
    gm_buffer_add_text(out, ", \"command\": {\"title\": ");
    gm_buffer_add_json(out, title.bytes, title.length);
    gm_buffer_add_text(out, ", \"command\": \"\"}}"); /* it says something, and does nothing */
}

static bool visit_for_lenses(const gm_node *node, const gm_node *parent, void *context) {
    lensing *state = context;
    (void)parent;
    bool definition = node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef;
    if (definition && gm_reach_has(state->view->checked->analysis, node)) {
        add_lens(state, node);
    }
    return !gm_is_expr(node);
}

void gm_serve_code_lens(gm_call *call) {
    lensing state = {.call = call};
    gm_document *document = gm_call_document(call);
    if (document == NULL) {
        return;
    }
    gm_buffer_add_char(&call->out, '[');
    bool there = call->server->choices.lenses && gm_call_view(call, document, &state.view, &state.section) &&
                 state.view->checked->analysis != NULL;
    if (there) {
        gm_call_walk(call, state.view, visit_for_lenses, &state);
    }
    gm_buffer_add_char(&call->out, ']');
}
