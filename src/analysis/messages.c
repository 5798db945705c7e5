#include "analysis/messages.h"

#include "values/values.h"

static bool is_message(gm_function *function, const gm_node *node) {
    if (node->kind != GM_KIND_Call) {
        return node->kind == GM_KIND_Constant;
    }
    const gm_node *callee = gm_as_Call(node)->func;
    bool method = callee->kind == GM_KIND_Attribute;
    return gm_flow_names(function->flow, callee, "warnings.warn") || gm_flow_names(function->flow, callee, "builtins.print") ||
           (method && (gm_is_logger(function, gm_as_Attribute(callee)->value) ||
                       gm_flow_names(function->flow, gm_as_Attribute(callee)->value, "logging")));
}

static bool is_message_statement(gm_function *function, const gm_node *statement) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_Expr: return is_message(function, gm_as_Expr(statement)->value);
    case GM_KIND_Pass: return true;
    case GM_KIND_For: return gm_as_For(statement)->orelse.count == 0 && gm_are_messages(function, &gm_as_For(statement)->body);
    case GM_KIND_If:
        return gm_are_messages(function, &gm_as_If(statement)->body) && gm_are_messages(function, &gm_as_If(statement)->orelse);
    default: return false;
    }
}

static bool are_messages(gm_function *function, const gm_list *block, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!is_message_statement(function, block->items[i])) {
            return false;
        }
    }
    return true;
}

bool gm_are_messages(gm_function *function, const gm_list *block) {
    return are_messages(function, block, block->count);
}

static bool returns_nothing(const gm_node *statement) {
    const gm_node *value = statement->kind == GM_KIND_Return ? gm_as_Return(statement)->value : NULL;
    bool none = value == NULL || (value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal == GM_LITERAL_None);
    return statement->kind == GM_KIND_Return && none;
}

bool gm_are_messages_and_end(gm_function *function, const gm_list *block) {
    return block->count > 1 && returns_nothing(block->items[block->count - 1]) && are_messages(function, block, block->count - 1);
}
