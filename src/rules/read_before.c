#include "rules/read_before.h"

#include "flow/walk.h"

static bool reads(gm_function *function, const gm_node *node);

static bool any_reads(gm_function *function, const gm_list *nodes) {
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (reads(function, nodes->items[i])) {
            return true;
        }
    }
    return false;
}

/* Sizes are known, whatever they were made of, unless what they are asked of is made here. */
static bool is_made_here(const gm_node *node) {
    return node->kind != GM_KIND_Name && node->kind != GM_KIND_Attribute;
}

static bool reads_call(gm_function *function, const gm_Call *call) {
    static const char *const sizes[] = {"numel", "nelement", "size", "dim", "index", "count", "get", "keys", "values", "items", NULL};
    const gm_node *callee = call->func;
    if (callee->kind == GM_KIND_Attribute && gm_text_in(gm_as_Attribute(callee)->attr->text, sizes)) {
        return is_made_here(gm_as_Attribute(callee)->value) || any_reads(function, &call->args);
    }
    if (gm_flow_names(function->flow, callee, "builtins.len")) {
        return call->args.count != 1 || is_made_here(call->args.items[0]);
    }
    return true;
}

/* Whether evaluating an expression may read data. In doubt it does. */
static bool reads(gm_function *function, const gm_node *node) {
    if (node->kind == GM_KIND_BoolOp) {
        return any_reads(function, &gm_as_BoolOp(node)->values);
    }
    if (node->kind == GM_KIND_UnaryOp) {
        return reads(function, gm_as_UnaryOp(node)->operand);
    }
    if (node->kind == GM_KIND_Compare) {
        return reads(function, gm_as_Compare(node)->left) || any_reads(function, &gm_as_Compare(node)->comparators);
    }
    if (node->kind == GM_KIND_BinOp) {
        return reads(function, gm_as_BinOp(node)->left) || reads(function, gm_as_BinOp(node)->right);
    }
    if (gm_value_of(function, node).class_ != GM_VALUE_NOT) {
        return true;
    }
    if (node->kind == GM_KIND_Call) {
        return reads_call(function, gm_as_Call(node));
    }
    if (node->kind == GM_KIND_Subscript) {
        return reads(function, gm_as_Subscript(node)->value) || reads(function, gm_as_Subscript(node)->slice);
    }
    if (node->kind == GM_KIND_Attribute) {
        const gm_node *value = gm_as_Attribute(node)->value;
        return is_made_here(value) && reads(function, value);
    }
    return node->kind != GM_KIND_Name && node->kind != GM_KIND_Constant;
}

bool gm_read_before(const gm_finding *finding) {
    const gm_node *test = gm_condition(finding->node);
    return test != NULL && !reads(finding->function, test);
}
