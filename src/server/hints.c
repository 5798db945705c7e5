/* Inlay hints: behind a name that is bound to a tensor, what is known of it. Off unless the user asks for them. */
#include <string.h>

#include "server/session.h"
#include "server/values.h"

typedef struct hinting {
    gm_call *call;
    gm_view *view;
    const gm_section *section;
    uint32_t start; /* the range that is asked about */
    uint32_t end;
} hinting;

static void add_hint(hinting *state, const gm_node *target, const gm_value *value) {
    gm_buffer *out = &state->call->out;
    gm_place_in place;
    if (gm_view_locate(state->view, state->call->server->client.units, target->end, &place) != state->section) {
        return;
    }
    gm_buffer label;
    gm_buffer_init(&label, state->call->arena);
    gm_buffer_add_text(&label, ": ");
    gm_value_add_kind(&label, value);
    gm_buffer_printf(out, "%s{\"position\": {\"line\": %u, \"character\": %u}, \"kind\": 1, \"label\": ", out->length > 1 ? ", " : "",
                     place.line, place.unit);
    gm_buffer_add_json(out, label.bytes, label.length);
    gm_buffer_add_text(out, ", \"tooltip\": ");
    gm_buffer_add_json(out, value->reason, strlen(value->reason));
    gm_buffer_add_char(out, '}');
}

static bool visit_for_hints(const gm_node *node, const gm_node *parent, void *context) {
    hinting *state = context;
    (void)parent;
    if (node->end < state->start || node->start > state->end) {
        return false;
    }
    if (node->kind == GM_KIND_Assign) {
        const gm_Assign *assign = gm_as_Assign(node);
        const gm_node *target = assign->targets.items[0];
        if (assign->targets.count == 1 && target->kind == GM_KIND_Name) {
            gm_function *function = gm_flow_function_at(state->view->checked->analysis->flow, assign->value);
            gm_value value = gm_value_of(function, assign->value);
            if (gm_value_is_telling(&value)) {
                add_hint(state, target, &value);
            }
        }
    }
    return !gm_is_expr(node);
}

void gm_serve_inlay_hint(gm_call *call) {
    hinting state = {.call = call};
    gm_document *document = gm_call_document(call);
    if (document == NULL) {
        return;
    }
    gm_buffer_add_char(&call->out, '[');
    bool there = call->server->choices.hints && gm_call_view(call, document, &state.view, &state.section) &&
                 state.view->checked->analysis != NULL && state.view->checked->analysis->flow != NULL;
    uint32_t range = gm_input_member(call->in, call->params, "range");
    if (there && !gm_call_range(call, range, state.section, &state.start, &state.end)) {
        gm_call_fail(call, GM_ERROR_PARAMS, "the range is none");
        return;
    }
    if (there) {
        gm_call_walk(call, state.view, visit_for_hints, &state);
    }
    gm_buffer_add_char(&call->out, ']');
}
