#include "analysis/read_before.h"

#include <string.h>

#include "flow/reaching.h"
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

/* Builtins that look at nothing but the Python values that they are given. */
static bool is_plain_builtin(gm_function *function, const gm_node *callee) {
    static const char *const names[] = {"abs",   "all",      "any",   "bool", "enumerate", "float", "int", "list",  "max", "min",
                                        "range", "reversed", "round", "set",  "sorted",    "str",   "sum", "tuple", "zip", NULL};
    const gm_name *name = gm_flow_qualified(function->flow, callee);
    size_t length = strlen("builtins.");
    return name != NULL && strncmp(name->text, "builtins.", length) == 0 && gm_text_in(name->text + length, names);
}

/* A variable or an attribute of which nothing is known: no evidence beside a number that was read before. */
static bool is_unknown(gm_function *function, const gm_node *node) {
    return !is_made_here(node) && gm_value_of(function, node).class_ == GM_VALUE_UNKNOWN;
}

/* What a comparison, an operator or a builtin gets; `first` may be NULL. */
static bool any_operand_reads(gm_function *function, const gm_node *first, const gm_list *others) {
    bool number = first != NULL && !is_unknown(function, first);
    if (number && reads(function, first)) {
        return true;
    }
    for (uint32_t i = 0; i < others->count; i++) {
        bool unknown = is_unknown(function, others->items[i]);
        if (!unknown && reads(function, others->items[i])) {
            return true;
        }
        number |= !unknown;
    }
    return !number && ((first != NULL && reads(function, first)) || any_reads(function, others));
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
    return !is_plain_builtin(function, callee) || call->keywords.count > 0 || any_operand_reads(function, NULL, &call->args);
}

/* `v > 0 for v in values`: what is bound here comes out of what is gone through. */
static bool reads_comprehension(gm_function *function, const gm_node *element, const gm_list *generators) {
    for (uint32_t i = 0; i < generators->count; i++) {
        const gm_comprehension *generator = gm_as_comprehension(generators->items[i]);
        if (reads(function, generator->iter) || any_reads(function, &generator->ifs)) {
            return true;
        }
    }
    return reads(function, element);
}

/* An item of a container of numbers that were read; the items of an array are data still. */
static bool is_item(gm_function *function, const gm_node *node) {
    if (node->kind != GM_KIND_Subscript) {
        return false;
    }
    gm_value container = gm_value_of(function, gm_as_Subscript(node)->value);
    return container.class_ == GM_VALUE_NOT && container.form != GM_FORM_ARRAY;
}

/* `float(x.min()) if isinstance(x, torch.Tensor) else min(x)`: a number on one side, on the other what nothing is known of. */
static bool is_number_or_open(gm_function *function, const gm_node *value) {
    const gm_IfExp *choice = value->kind == GM_KIND_IfExp ? gm_as_IfExp(value) : NULL;
    if (choice == NULL || gm_value_of(function, value).class_ != GM_VALUE_UNKNOWN) {
        return gm_value_of(function, value).class_ == GM_VALUE_NOT;
    }
    uint8_t body = gm_value_of(function, choice->body).class_;
    uint8_t orelse = gm_value_of(function, choice->orelse).class_;
    return (body == GM_VALUE_NOT && orelse == GM_VALUE_UNKNOWN) || (body == GM_VALUE_UNKNOWN && orelse == GM_VALUE_NOT);
}

static bool gives_number(gm_function *function, const gm_node *binder) {
    const gm_node *holder = gm_flow_parent(function->flow, binder);
    bool whole = holder != NULL && holder->kind == GM_KIND_Assign && binder->kind == GM_KIND_Name;
    return whole && is_number_or_open(function, gm_as_Assign(holder)->value);
}

/* `if n is None: n = x.sum().item()`: a parameter of which nothing is known, or what is no tensor. */
static bool is_filled_in(gm_function *function, const gm_node *node) {
    gm_definition_list list = {NULL, 0, false};
    if (node->kind != GM_KIND_Name || function->reaching == NULL || !gm_reaching_of_use(function->reaching, node, &list) || list.all) {
        return false;
    }
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const gm_node *binder = gm_reaching_at(function->reaching, list.items[i])->node;
        bool number = gives_number(function, binder);
        if (!number && binder->kind != GM_KIND_arg) {
            return false;
        }
        numbers += number;
    }
    return numbers > 0;
}

/* What nothing is known of is no evidence: the finding is there for a number that was read before. */
static bool is_open(gm_function *function, const gm_node *node) {
    if (gm_value_of(function, node).class_ != GM_VALUE_UNKNOWN) {
        return false;
    }
    const gm_node *container = node->kind == GM_KIND_Subscript ? gm_as_Subscript(node)->value : node;
    return is_item(function, node) || is_filled_in(function, container);
}

/* Whether an operand of `and` or `or` is a flag of which nothing is known. */
static bool is_flag(gm_function *function, const gm_node *node) {
    return node->kind == GM_KIND_Name && gm_value_of_test(function, node).class_ == GM_VALUE_UNKNOWN;
}

static bool any_part_reads(gm_function *function, const gm_list *operands) {
    for (uint32_t i = 0; i < operands->count; i++) {
        if (!is_flag(function, operands->items[i]) && reads(function, operands->items[i])) {
            return true;
        }
    }
    return false;
}

/* Whether evaluating an expression may read data. In doubt it does. */
static bool reads(gm_function *function, const gm_node *node) {
    if (node->kind == GM_KIND_BoolOp) {
        return any_part_reads(function, &gm_as_BoolOp(node)->values);
    }
    if (node->kind == GM_KIND_UnaryOp) {
        return reads(function, gm_as_UnaryOp(node)->operand);
    }
    if (node->kind == GM_KIND_Compare) {
        return any_operand_reads(function, gm_as_Compare(node)->left, &gm_as_Compare(node)->comparators);
    }
    if (node->kind == GM_KIND_BinOp) {
        gm_node *right = gm_as_BinOp(node)->right;
        const gm_list others = {&right, 1};
        return any_operand_reads(function, gm_as_BinOp(node)->left, &others);
    }
    if (node->kind == GM_KIND_GeneratorExp) {
        return reads_comprehension(function, gm_as_GeneratorExp(node)->elt, &gm_as_GeneratorExp(node)->generators);
    }
    if (node->kind == GM_KIND_ListComp) {
        return reads_comprehension(function, gm_as_ListComp(node)->elt, &gm_as_ListComp(node)->generators);
    }
    if (gm_value_of(function, node).class_ != GM_VALUE_NOT && !is_open(function, node)) {
        return true;
    }
    if (node->kind == GM_KIND_Call) {
        return reads_call(function, gm_as_Call(node));
    }
    if (node->kind == GM_KIND_Subscript) {
        const gm_node *slice = gm_as_Subscript(node)->slice;
        bool number = gm_value_of(function, slice).class_ == GM_VALUE_UNKNOWN; /* Python asks an index for no data */
        return reads(function, gm_as_Subscript(node)->value) || (!number && reads(function, slice));
    }
    if (node->kind == GM_KIND_Attribute) {
        const gm_node *value = gm_as_Attribute(node)->value;
        return is_made_here(value) && reads(function, value);
    }
    return node->kind != GM_KIND_Name && node->kind != GM_KIND_Constant;
}

/* The condition of a finding; of an assignment that of the choice that it takes its value from. */
static const gm_node *condition_of(const gm_node *node) {
    const gm_node *test = gm_condition(node);
    const gm_node *value = test == NULL && node->kind == GM_KIND_Assign ? gm_as_Assign(node)->value : NULL;
    return value != NULL && value->kind == GM_KIND_IfExp ? gm_condition(value) : test;
}

bool gm_read_before(const gm_finding *finding) {
    const gm_node *test = condition_of(finding->node);
    return test != NULL && gm_value_of_test(finding->function, test).class_ != GM_VALUE_UNKNOWN && !reads(finding->function, test);
}

bool gm_reads_nothing(gm_function *function, const gm_list *nodes) {
    return !any_reads(function, nodes);
}
