#include "rules/kept_tensors.h"

#include <string.h>

#include "analysis/effects.h"
#include "flow/walk.h"

bool gm_is_computed(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_Constant:
    case GM_KIND_Name:
    case GM_KIND_Tuple:
    case GM_KIND_List:
    case GM_KIND_Dict:
    case GM_KIND_JoinedStr:
    case GM_KIND_keyword: return false;
    default: return true;
    }
}

/* What decides whether, or how often, a part is evaluated stays in the program: there it may have mends of its own. */
static bool is_undecided(const gm_node *node, void *context) {
    bool *found = context;
    if (node->kind == GM_KIND_Compare) {
        *found = gm_as_Compare(node)->ops.count > 1;
        return !*found && gm_node_children(node, is_undecided, context);
    }
    switch ((gm_kind)node->kind) {
    case GM_KIND_Attribute:
    case GM_KIND_BinOp:
    case GM_KIND_Call:
    case GM_KIND_Constant:
    case GM_KIND_Dict:
    case GM_KIND_List:
    case GM_KIND_Name:
    case GM_KIND_Slice:
    case GM_KIND_Subscript:
    case GM_KIND_Tuple:
    case GM_KIND_UnaryOp:
    case GM_KIND_keyword: break;
    default: *found = true;
    }
    return !*found && gm_node_children(node, is_undecided, context);
}

bool gm_keeps_tensors(gm_analysis *analysis, const char *action, const gm_list *arguments) {
    bool found = false;
    if (arguments->count != 1 || (strcmp(action, "append") != 0 && strcmp(action, "appendleft") != 0)) {
        return false;
    }
    gm_work_below(analysis->arena, arguments->items[0]);
    is_undecided(arguments->items[0], &found);
    return !found;
}

/* A tensor is a key by its identity, and a number from the data is known too late. */
static bool is_key(gm_function *function, const gm_node *node) {
    gm_value value = gm_value_of(function, node);
    bool whole = node->kind != GM_KIND_Slice && node->kind != GM_KIND_Tuple && node->kind != GM_KIND_Starred;
    return whole && value.class_ != GM_VALUE_TENSOR && (value.traits & GM_VALUE_FROM_DATA) == 0;
}

bool gm_keys_hold(gm_analysis *analysis, gm_function *function, const gm_list *keys, const gm_list *arguments) {
    bool held = true;
    for (uint32_t i = 0; held && i < keys->count; i++) {
        held = is_key(function, keys->items[i]) && gm_effects_of(analysis, function, keys->items[i], GM_EFFECTS_TEST).reason == NULL;
    }
    for (uint32_t i = 0; held && i < arguments->count; i++) {
        held = gm_effects_of(analysis, function, arguments->items[i], GM_EFFECTS_TEST).reason == NULL;
    }
    return held;
}

/* A number, a text or a new container with nothing in it. */
static bool is_start(const gm_analysis *analysis, const gm_node *node) {
    static const char *const makers[] = {"builtins.dict", "builtins.list", "builtins.set", NULL};
    if (node->kind == GM_KIND_Call) {
        const gm_Call *call = gm_as_Call(node);
        const gm_name *name = gm_flow_qualified(analysis->flow, call->func);
        return name != NULL && gm_text_in(name->text, makers) && call->args.count + call->keywords.count == 0;
    }
    return node->kind == GM_KIND_Constant || (node->kind == GM_KIND_List && gm_as_List(node)->elts.count == 0) ||
           (node->kind == GM_KIND_Dict && gm_as_Dict(node)->values.count == 0);
}

bool gm_is_entry(const gm_analysis *analysis, const gm_node *node) {
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->func->kind != GM_KIND_Attribute) {
        return false;
    }
    const gm_Call *call = gm_as_Call(node);
    return gm_name_is(gm_as_Attribute(call->func)->attr, "setdefault") && call->args.count == 2 && call->keywords.count == 0 &&
           is_start(analysis, call->args.items[1]);
}

bool gm_list_holds(const gm_list *list, const gm_node *node) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == node) {
            return true;
        }
    }
    return false;
}

/* Attributes that belong to one tensor object, not to its value: a kept copy has others. */
static const char *const identity_attributes[] = {"grad_fn",         "grad",     "_version", "is_leaf",         "data_ptr", "storage",
                                                  "untyped_storage", "_grad_fn", "_base",    "_backward_hooks", NULL};

/* Modules and other objects name attributes of their own like that: `self.storage` of a replay buffer. */
bool gm_names_identity(gm_function *function, const gm_node *node) {
    if (node->kind != GM_KIND_Attribute || !gm_text_in(gm_as_Attribute(node)->attr->text, identity_attributes)) {
        return false;
    }
    gm_value_form form = gm_value_of(function, gm_as_Attribute(node)->value).form;
    return form != GM_FORM_MODULE && form != GM_FORM_MODULES && form != GM_FORM_OBJECT;
}
