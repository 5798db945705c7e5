#include "server/values.h"

#include "flow/walk.h"

typedef struct search {
    gm_flow *flow;
    uint32_t offset;
    const gm_node *found;
    const gm_node *parent; /* of `found` */
} search;

/* Whether the offset is behind the object of an attribute. */
static bool offset_is_in_name(const search *state, const gm_node *node) {
    return node->kind == GM_KIND_Attribute && state->offset > gm_as_Attribute(node)->value->end;
}

static bool visit_value(const gm_node *node, const gm_node *parent, void *context) {
    search *state = context;
    if (node->start > state->offset || node->end < state->offset) {
        return false;
    }
    bool called = parent != NULL && parent == state->found && parent->kind == GM_KIND_Call && gm_as_Call(parent)->func == node &&
                  (node->kind == GM_KIND_Name || offset_is_in_name(state, node)); /* of the method: what it gives is asked for */
    if (!called && gm_is_expr(node) && node->kind != GM_KIND_Constant && node->kind != GM_KIND_Slice) {
        state->found = node;
        state->parent = parent;
    }
    return true;
}

static bool is_stored(const gm_node *node) {
    return (node->kind == GM_KIND_Name && gm_as_Name(node)->ctx != GM_LOAD) ||
           (node->kind == GM_KIND_Attribute && gm_as_Attribute(node)->ctx != GM_LOAD) ||
           (node->kind == GM_KIND_Subscript && gm_as_Subscript(node)->ctx != GM_LOAD);
}

/* What a name in an assignment is bound to; NULL where that is no expression of the text. */
static const gm_node *bound_to(const search *state) {
    const gm_node *parent = state->parent;
    if (parent != NULL && parent->kind == GM_KIND_Assign) {
        return gm_as_Assign(parent)->value;
    }
    return parent != NULL && parent->kind == GM_KIND_AnnAssign ? gm_as_AnnAssign(parent)->value : NULL;
}

bool gm_value_is_telling(const gm_value *value) {
    return value->class_ == GM_VALUE_TENSOR || value->class_ == GM_VALUE_MAYBE;
}

bool gm_value_known_at(gm_analysis *analysis, uint32_t offset, gm_known *known) {
    if (analysis->flow == NULL) {
        return false; /* nothing in the text can reach torch */
    }
    search state = {.flow = analysis->flow, .offset = offset};
    gm_walk(analysis->arena, &analysis->tree->module->base, visit_value, &state);
    const gm_node *asked = state.found != NULL && is_stored(state.found) ? bound_to(&state) : state.found;
    if (asked == NULL) {
        return false;
    }
    *known = (gm_known){state.found, gm_value_of(gm_flow_function_at(state.flow, asked), asked)};
    return gm_value_is_telling(&known->value);
}

void gm_value_add_kind(gm_buffer *out, const gm_value *value) {
    static const char *const numbers[] = {"", " of truth values", " of integers", " of floating point numbers", " of complex numbers"};
    gm_buffer_add_text(out, value->class_ == GM_VALUE_MAYBE ? "perhaps a " : "");
    gm_buffer_add_text(out, (value->traits & GM_VALUE_SCALAR) != 0 ? "0-d " : "");
    gm_buffer_add_text(out, (value->traits & GM_VALUE_PARAMETER) != 0 ? "parameter"
                            : (value->traits & GM_VALUE_BUFFER) != 0  ? "buffer"
                                                                      : "tensor");
    gm_buffer_add_text(out, numbers[value->dtype]);
    gm_buffer_add_text(out, (value->traits & GM_VALUE_OPTIONAL) != 0 ? ", or None" : "");
}
