#include "analysis/tests.h"

#include <string.h>

#include "analysis/chosen.h"

/* ---- What a condition is ---- */

static gm_test_class larger(gm_test_class left, gm_test_class right) {
    return left > right ? left : right;
}

static gm_test_class classify(gm_function *function, const gm_node *test, const char **reason);

/* The reason is that of the first operand that is a tensor by evidence. */
static gm_test_class of_operands(gm_function *function, const gm_list *operands, const char **reason) {
    gm_test_class class_ = GM_TEST_PYTHON;
    for (uint32_t i = 0; i < operands->count; i++) {
        const char *further = NULL;
        class_ = larger(class_, classify(function, operands->items[i], class_ == GM_TEST_TENSOR ? &further : reason));
    }
    return class_;
}

static bool is_text(const gm_node *node) {
    return node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal != GM_LITERAL_int &&
           gm_as_Constant(node)->value.literal != GM_LITERAL_float;
}

/* Attributes that hold configuration by universal custom. */
static bool is_setting(const gm_node *node) {
    while (node->kind == GM_KIND_Attribute) {
        const gm_Attribute *attribute = gm_as_Attribute(node);
        const char *name = attribute->attr->text;
        if (strcmp(name, "training") == 0 || strcmp(name, "config") == 0 || strcmp(name, "cfg") == 0 || strcmp(name, "args") == 0) {
            return true;
        }
        node = attribute->value;
    }
    return node->kind == GM_KIND_Name && (gm_name_is(gm_as_Name(node)->id, "config") || gm_name_is(gm_as_Name(node)->id, "cfg"));
}

static bool is_python_value(gm_function *function, const gm_node *node) {
    gm_value value = gm_value_of(function, node);
    return value.class_ == GM_VALUE_NOT && (value.traits & GM_VALUE_FROM_DATA) == 0;
}

/* A comparison of unknown values is suspect unless one of them settles it: a string, None, a Python object that is no number. */
static bool comparison_is_python(gm_function *function, const gm_Compare *compare) {
    for (uint32_t i = 0; i < compare->ops.count; i++) {
        uint8_t operator = compare->ops.items[i];
        if (operator == GM_OP_Is || operator == GM_OP_IsNot) {
            return true;
        }
    }
    bool all_python = is_python_value(function, compare->left);
    bool any_text = is_text(compare->left) || is_setting(compare->left);
    for (uint32_t i = 0; i < compare->comparators.count; i++) {
        const gm_node *operand = compare->comparators.items[i];
        all_python = is_python_value(function, operand) && all_python;
        any_text = any_text || is_text(operand) || is_setting(operand);
    }
    return all_python || any_text;
}

static bool is_membership(const gm_Compare *compare) {
    return compare->ops.count == 1 && (compare->ops.items[0] == GM_OP_In || compare->ops.items[0] == GM_OP_NotIn);
}

/* `x in [1, 2]`: every item a number. */
static bool is_number_list(const gm_node *node) {
    const gm_list *items = node->kind == GM_KIND_List    ? &gm_as_List(node)->elts
                           : node->kind == GM_KIND_Tuple ? &gm_as_Tuple(node)->elts
                                                         : NULL;
    if (items == NULL || items->count == 0) {
        return false;
    }
    for (uint32_t i = 0; i < items->count; i++) {
        if (items->items[i]->kind != GM_KIND_Constant || is_text(items->items[i])) {
            return false;
        }
    }
    return true;
}

static gm_test_class classify_membership(gm_function *function, const gm_Compare *compare, const char **reason) {
    if (compare->left->kind != GM_KIND_Name || !is_number_list(compare->comparators.items[0])) {
        return GM_TEST_PYTHON;
    }
    gm_value value = gm_value_of(function, compare->left);
    if (value.class_ == GM_VALUE_NOT) {
        return GM_TEST_PYTHON;
    }
    *reason = value.reason;
    return value.class_ == GM_VALUE_UNKNOWN ? GM_TEST_SUSPECT : GM_TEST_TENSOR;
}

static bool has_plain_default(gm_function *function, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(function->flow->scopes, name);
    if (symbol == NULL || (symbol->flags & GM_SYMBOL_PARAMETER) == 0 || function->node->kind != GM_KIND_FunctionDef) {
        return false;
    }
    const gm_arguments *arguments = gm_as_arguments(gm_as_FunctionDef(function->node)->args);
    const gm_node *binder = symbol->binders.count == 1 ? symbol->binders.items[0] : NULL;
    uint32_t positional = arguments->posonlyargs.count + arguments->args.count;
    for (uint32_t i = 0; i < arguments->defaults.count; i++) {
        uint32_t at = positional - arguments->defaults.count + i;
        const gm_node *argument = at < arguments->posonlyargs.count ? arguments->posonlyargs.items[at]
                                                                    : arguments->args.items[at - arguments->posonlyargs.count];
        if (argument == binder) {
            const gm_node *value = arguments->defaults.items[i];
            return value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal != GM_LITERAL_None;
        }
    }
    for (uint32_t i = 0; i < arguments->kwonlyargs.count; i++) {
        if (arguments->kwonlyargs.items[i] == binder) {
            const gm_node *value = arguments->kw_defaults.items[i];
            return value != NULL && value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal != GM_LITERAL_None;
        }
    }
    return false;
}

/* Methods that texts have and no tensor: loops over texts are hot, and a test in its mended form takes twice as long. */
static bool asks_text(const gm_node *callee) {
    static const char *const names[] = {"startswith", "endswith",  "isalnum", "isalpha", "isascii", "isdecimal",    "isdigit",
                                        "islower",    "isnumeric", "isspace", "istitle", "isupper", "isidentifier", NULL};
    return callee->kind == GM_KIND_Attribute && gm_text_in(gm_as_Attribute(callee)->attr->text, names);
}

/* Conditions without evidence: names, attributes, calls and comparisons of unknown values are suspect, the rest is not. */
static gm_test_class classify_unknown(gm_function *function, const gm_node *test) {
    switch ((gm_kind)test->kind) {
    case GM_KIND_Name: return has_plain_default(function, test) ? GM_TEST_PYTHON : GM_TEST_SUSPECT;
    case GM_KIND_Attribute: return is_setting(test) ? GM_TEST_PYTHON : GM_TEST_SUSPECT;
    case GM_KIND_Call: {
        const gm_node *callee = gm_as_Call(test)->func;
        if (callee->kind == GM_KIND_Attribute && gm_is_logger(function, gm_as_Attribute(callee)->value)) {
            return GM_TEST_PYTHON;
        }
        const gm_name *name = gm_flow_qualified(function->flow, callee);
        bool known = name != NULL && strncmp(name->text, "torch.", 6) != 0;
        return known || is_setting(callee) || asks_text(callee) ? GM_TEST_PYTHON : GM_TEST_SUSPECT;
    }
    case GM_KIND_Compare: return comparison_is_python(function, gm_as_Compare(test)) ? GM_TEST_PYTHON : GM_TEST_SUSPECT;
    case GM_KIND_Subscript:
    case GM_KIND_BinOp: return GM_TEST_SUSPECT;
    default: return GM_TEST_PYTHON;
    }
}

const gm_node *gm_test_bool_argument(gm_flow *flow, const gm_node *test) {
    if (test->kind != GM_KIND_Call || gm_as_Call(test)->args.count != 1 || gm_as_Call(test)->keywords.count != 0 ||
        !gm_flow_names(flow, gm_as_Call(test)->func, "builtins.bool")) {
        return NULL;
    }
    const gm_node *argument = gm_as_Call(test)->args.items[0];
    return argument->kind == GM_KIND_Starred ? NULL : argument;
}

static gm_test_class classify(gm_function *function, const gm_node *test, const char **reason) {
    if (test->kind == GM_KIND_BoolOp) {
        return of_operands(function, &gm_as_BoolOp(test)->values, reason);
    }
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        return classify(function, gm_as_UnaryOp(test)->operand, reason);
    }
    if (test->kind == GM_KIND_Compare && is_membership(gm_as_Compare(test))) {
        return classify_membership(function, gm_as_Compare(test), reason);
    }
    const gm_node *argument = gm_test_bool_argument(function->flow, test);
    if (argument != NULL) {
        return classify(function, argument, reason);
    }
    gm_value value = gm_value_of_test(function, test);
    if (value.class_ == GM_VALUE_TENSOR || value.class_ == GM_VALUE_MAYBE) {
        *reason = value.reason;
        return GM_TEST_TENSOR;
    }
    if (value.class_ == GM_VALUE_NOT) {
        return gm_chosen_reads(function, test) ? GM_TEST_SUSPECT : GM_TEST_PYTHON;
    }
    return classify_unknown(function, test);
}

gm_test_class gm_test_classify(gm_function *function, const gm_node *test, const char **reason) {
    return classify(function, test, reason);
}

/* ---- How it is written ---- */

const gm_node *gm_test_item_receiver(const gm_node *expression) {
    if (expression->kind != GM_KIND_Call) {
        return NULL;
    }
    const gm_Call *call = gm_as_Call(expression);
    bool bare = call->args.count == 0 && call->keywords.count == 0 && call->func->kind == GM_KIND_Attribute;
    return bare && gm_name_is(gm_as_Attribute(call->func)->attr, "item") ? gm_as_Attribute(call->func)->value : NULL;
}

bool gm_test_is_number(const gm_node *node) {
    if (node->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(node)->op == GM_OP_USub) {
        node = gm_as_UnaryOp(node)->operand;
    }
    return node->kind == GM_KIND_Constant &&
           (gm_as_Constant(node)->value.literal == GM_LITERAL_int || gm_as_Constant(node)->value.literal == GM_LITERAL_float);
}

/* Of at most fifteen characters: below 2 to the 53, so that no rounding of the other side to a double can cross it. */
static bool is_small_number(const gm_node *node) {
    return gm_test_is_number(node) && node->end - node->start <= 15;
}

/* May be evaluated twice, and is nobody's call. */
static bool is_repeatable(const gm_node *node) {
    while (node->kind == GM_KIND_Attribute) {
        node = gm_as_Attribute(node)->value;
    }
    return node->kind == GM_KIND_Name || gm_test_is_number(node);
}

static gm_test_form form_of_compare(const gm_Compare *compare) {
    if (compare->ops.count > 1) {
        for (uint32_t i = 0; i + 1 < compare->comparators.count; i++) {
            if (!is_repeatable(compare->comparators.items[i])) {
                return GM_TEST_PLAIN;
            }
        }
        return GM_TEST_CHAIN;
    }
    if (is_membership(compare)) {
        bool good = compare->left->kind == GM_KIND_Name && is_number_list(compare->comparators.items[0]);
        return good ? GM_TEST_MEMBER : GM_TEST_PLAIN;
    }
    bool left = gm_test_item_receiver(compare->left) != NULL && is_small_number(compare->comparators.items[0]);
    bool right = gm_test_item_receiver(compare->comparators.items[0]) != NULL && is_small_number(compare->left);
    return left || right ? GM_TEST_ITEM : GM_TEST_PLAIN;
}

static gm_test_form form_of_call(gm_flow *flow, const gm_Call *call) {
    if (gm_test_bool_argument(flow, &call->base) != NULL) {
        return GM_TEST_TRUTH;
    }
    if (call->func->kind != GM_KIND_Attribute) {
        return GM_TEST_PLAIN;
    }
    if (gm_flow_names(flow, call->func, "torch.allclose")) {
        return GM_TEST_ALLCLOSE;
    }
    bool two = call->args.count == 2 && call->keywords.count == 0 && call->args.items[0]->kind != GM_KIND_Starred &&
               call->args.items[1]->kind != GM_KIND_Starred;
    return two && gm_flow_names(flow, call->func, "torch.equal") ? GM_TEST_EQUAL : GM_TEST_PLAIN;
}

gm_test_form gm_test_form_of(gm_flow *flow, const gm_node *test) {
    switch ((gm_kind)test->kind) {
    case GM_KIND_BoolOp: return gm_as_BoolOp(test)->op == GM_OP_And ? GM_TEST_AND : GM_TEST_OR;
    case GM_KIND_UnaryOp: return gm_as_UnaryOp(test)->op == GM_OP_Not ? GM_TEST_NOT : GM_TEST_PLAIN;
    case GM_KIND_Compare: return form_of_compare(gm_as_Compare(test));
    case GM_KIND_Call: return form_of_call(flow, gm_as_Call(test));
    default: return GM_TEST_PLAIN;
    }
}

/* ---- Whether it can be written so ---- */
