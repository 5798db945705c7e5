#include "rules/changing_objects.h"

#include "flow/flow.h"
#include "syntax/tree.h"

bool gm_object_may_change(gm_function *function, const gm_node *node) {
    if (node->kind == GM_KIND_Name && gm_name_is(gm_as_Name(node)->id, "self")) {
        return true;
    }
    gm_value value = gm_value_of(function, node);
    return value.form == GM_FORM_MODULE || value.form == GM_FORM_MODULES || value.form == GM_FORM_OBJECT;
}

/* ---- Copies ---- */

static const char *const makers[] = {"builtins.list",   "builtins.tuple", "builtins.set", "builtins.frozenset",
                                     "builtins.sorted", "builtins.str",   "builtins.repr"};

/* A method of a constant text, or a function of Python that makes a text or a container. */
static bool is_maker(gm_flow *flow, const gm_node *callee) {
    bool found = callee->kind == GM_KIND_Attribute && gm_is_text(gm_as_Attribute(callee)->value);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        found = found || gm_flow_names(flow, callee, makers[i]);
    }
    return found;
}

bool gm_object_is_copied(gm_analysis *analysis, gm_function *function, const gm_node *node) {
    if (node->kind != GM_KIND_Call || !is_maker(analysis->flow, gm_as_Call(node)->func)) {
        return false;
    }
    const gm_list *arguments = &gm_as_Call(node)->args;
    for (uint32_t i = 0; i < arguments->count; i++) {
        const gm_node *argument = arguments->items[i];
        bool is_named = argument->kind == GM_KIND_Name || argument->kind == GM_KIND_Attribute;
        if (is_named && gm_object_may_change(function, argument)) {
            return true;
        }
    }
    return false;
}
