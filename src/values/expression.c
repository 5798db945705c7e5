/* Values of expressions, one small function a kind. */
#include <string.h>

#include "flow/torch_names.h"
#include "values/values_private.h"

/* ---- Constants and containers ---- */

static gm_value of_constant(gm_function *function, const gm_node *node) {
    static const uint8_t forms[] = {
        [GM_LITERAL_None] = GM_FORM_NONE,      [GM_LITERAL_True] = GM_FORM_BOOL,  [GM_LITERAL_False] = GM_FORM_BOOL,
        [GM_LITERAL_Ellipsis] = GM_FORM_PLAIN, [GM_LITERAL_int] = GM_FORM_INT,    [GM_LITERAL_float] = GM_FORM_FLOAT,
        [GM_LITERAL_complex] = GM_FORM_NUMBER, [GM_LITERAL_str] = GM_FORM_STRING, [GM_LITERAL_bytes] = GM_FORM_BYTES,
    };
    (void)function;
    gm_value value = gm_value_python(forms[gm_as_Constant(node)->value.literal], "a constant", node);
    value.traits = GM_VALUE_CONSTANT;
    return value;
}

static gm_value of_text(gm_function *function, const gm_node *node) {
    (void)function;
    return gm_value_python(GM_FORM_STRING, "a string", node);
}

static gm_value of_lambda(gm_function *function, const gm_node *node) {
    (void)function;
    return gm_value_python(GM_FORM_FUNCTION, "a lambda", node);
}

/* A tuple or list: of tensors alone, or of anything. */
static gm_value of_items(gm_function *function, const gm_node *node, const gm_list *items, gm_value_form form) {
    bool tensors = items->count > 0;
    bool data = tensors;
    bool maybe_data = false;
    bool constant = true;
    for (uint32_t i = 0; i < items->count; i++) {
        const gm_node *item = items->items[i];
        bool starred = item->kind == GM_KIND_Starred;
        gm_value value = gm_evaluate(function, starred ? gm_as_Starred(item)->value : item);
        bool is_tensor = starred ? gm_value_is(value, GM_FORM_TENSORS) : gm_value_is_tensor(value);
        tensors = tensors && is_tensor;
        bool read = value.class_ == GM_VALUE_NOT && (value.traits & GM_VALUE_FROM_DATA) != 0;
        data = data && read;
        maybe_data = maybe_data || read || (value.traits & GM_VALUE_MAYBE_DATA) != 0;
        constant = constant && (value.traits & GM_VALUE_CONSTANT) != 0;
    }
    gm_value value = tensors ? gm_value_python(GM_FORM_TENSORS, "tensors, in a tuple or list", node)
                             : gm_value_python(form, "a tuple or list", node);
    value.traits = (uint16_t)((data ? GM_VALUE_FROM_DATA : maybe_data ? GM_VALUE_MAYBE_DATA : 0) | (constant ? GM_VALUE_CONSTANT : 0));
    value.reason = data || maybe_data ? "a tuple or list with data" : value.reason;
    return value;
}

static gm_value of_tuple(gm_function *function, const gm_node *node) {
    return of_items(function, node, &gm_as_Tuple(node)->elts, GM_FORM_TUPLE);
}

static gm_value of_list(gm_function *function, const gm_node *node) {
    return of_items(function, node, &gm_as_List(node)->elts, GM_FORM_LIST);
}

static gm_value of_dict(gm_function *function, const gm_node *node) {
    (void)function;
    return gm_value_python(GM_FORM_DICT, "a dict", node);
}

static gm_value of_set(gm_function *function, const gm_node *node) {
    (void)function;
    return gm_value_python(GM_FORM_SET, "a set", node);
}

static gm_value of_comprehension(gm_function *function, const gm_node *node, const gm_node *element) {
    gm_value item = gm_evaluate(function, element);
    if (gm_value_is_tensor(item)) {
        return gm_value_python(GM_FORM_TENSORS, "tensors, of a comprehension", node);
    }
    gm_value value = gm_value_python(GM_FORM_LIST, "a list", node);
    value.traits = (uint16_t)(gm_value_origin(item) & ~(unsigned)GM_VALUE_FROM_SHAPE);
    value.reason = value.traits != 0 ? item.reason : value.reason;
    return value;
}

static gm_value of_list_comp(gm_function *function, const gm_node *node) {
    return of_comprehension(function, node, gm_as_ListComp(node)->elt);
}

static gm_value of_generator(gm_function *function, const gm_node *node) {
    gm_value value = of_comprehension(function, node, gm_as_GeneratorExp(node)->elt);
    value.form = value.form == GM_FORM_LIST ? GM_FORM_PLAIN : value.form;
    return value;
}

/* ---- Operators ---- */

static gm_value of_bin_op(gm_function *function, const gm_node *node) {
    const gm_BinOp *operation = gm_as_BinOp(node);
    return gm_value_arithmetic(operation->op, gm_evaluate(function, operation->left), gm_evaluate(function, operation->right), node);
}

static gm_value of_unary_op(gm_function *function, const gm_node *node) {
    const gm_UnaryOp *operation = gm_as_UnaryOp(node);
    gm_value value = gm_evaluate(function, operation->operand);
    if (value.class_ == GM_VALUE_NO_PATH) {
        return value;
    }
    if (operation->op == GM_OP_Not) {
        gm_value result = gm_value_python(GM_FORM_BOOL, gm_value_origin(value) != 0 ? value.reason : "`not` gives a bool", node);
        result.traits = gm_value_origin(value);
        return result;
    }
    value = gm_value_used(value);
    if (gm_value_has_tensor(value)) {
        value.traits &= GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION | GM_VALUE_SCALAR;
        value.traits |= operation->op == GM_OP_UAdd ? 0 : GM_VALUE_FRESH;
    } else if (gm_value_is(value, GM_FORM_BOOL)) {
        value.form = GM_FORM_INT;
    }
    return value;
}

static gm_value of_bool_op(gm_function *function, const gm_node *node) {
    const gm_list *values = &gm_as_BoolOp(node)->values;
    gm_value value = gm_value_no_path();
    uint16_t origin = 0;
    for (uint32_t i = 0; i < values->count; i++) {
        gm_value operand = gm_evaluate(function, values->items[i]);
        value = gm_value_join(value, operand);
        origin = i + 1 < values->count ? gm_value_origins(origin, gm_value_origin(operand)) : origin;
    }
    if (value.class_ == GM_VALUE_NOT) {
        bool data = (origin & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA)) != 0;
        value.traits = gm_value_origins(value.traits, data ? GM_VALUE_MAYBE_DATA : origin);
    }
    return value;
}

/* `torch.jit.is_tracing()` and the like are false in a program that runs or is compiled. */
static bool is_never(gm_function *function, const gm_node *test) {
    const gm_name *name = test->kind == GM_KIND_Call ? gm_flow_qualified(function->flow, gm_as_Call(test)->func) : NULL;
    return name != NULL && gm_torch_names_have(GM_TORCH_NAMES_NEVER_TRUE, name->text);
}

/* Whether a test makes sure that a name is a tensor: `isinstance(x, torch.Tensor)`, `torch.is_tensor(x)`. */
static bool asks_for_tensor(gm_function *function, const gm_node *test, const gm_node *name) {
    const gm_node *asked = test->kind == GM_KIND_Call ? gm_call_argument(gm_as_Call(test), 0) : NULL;
    if (asked == NULL || asked->kind != GM_KIND_Name || name->kind != GM_KIND_Name || gm_as_Name(asked)->id != gm_as_Name(name)->id) {
        return false;
    }
    const gm_node *type = gm_call_argument(gm_as_Call(test), 1);
    bool instance = type != NULL && gm_flow_names(function->flow, gm_as_Call(test)->func, "builtins.isinstance") &&
                    gm_flow_names(function->flow, type, "torch.Tensor");
    return instance || gm_flow_names(function->flow, gm_as_Call(test)->func, "torch.is_tensor");
}

static gm_value of_conditional(gm_function *function, const gm_node *node) {
    const gm_IfExp *choice = gm_as_IfExp(node);
    if (is_never(function, choice->test)) {
        return gm_evaluate(function, choice->orelse);
    }
    gm_value body = gm_evaluate(function, choice->body);
    if (asks_for_tensor(function, choice->test, choice->body)) {
        body = gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "it is asked whether it is a tensor", choice->body);
    }
    gm_value value = gm_value_join(body, gm_evaluate(function, choice->orelse));
    gm_value test = gm_evaluate(function, choice->test);
    bool data = gm_value_has_tensor(test) || (test.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA)) != 0;
    if (value.class_ == GM_VALUE_NOT && data && (value.traits & GM_VALUE_FROM_DATA) == 0) {
        value.traits |= GM_VALUE_MAYBE_DATA;
        value.reason = test.reason;
    }
    return value;
}

/* ---- Comparisons ---- */

/* `a < b < c` is `a < b and b < c`. */
static gm_value of_compare(gm_function *function, const gm_node *node) {
    const gm_Compare *comparison = gm_as_Compare(node);
    gm_value left = gm_evaluate(function, comparison->left);
    gm_value value = gm_value_no_path();
    for (uint32_t i = 0; i < comparison->ops.count; i++) {
        gm_value right = gm_evaluate(function, comparison->comparators.items[i]);
        value = gm_value_join(value, gm_value_comparison(comparison->ops.items[i], left, right, node));
        left = right;
    }
    return value;
}

/* ---- Names and the rest ---- */

static gm_value of_name(gm_function *function, const gm_node *node) {
    gm_value value = gm_evaluate_name(function, node);
    const gm_name *qualified = value.class_ == GM_VALUE_UNKNOWN ? gm_flow_qualified(function->flow, node) : NULL;
    if (qualified != NULL && strncmp(qualified->text, "torch.", 6) == 0) {
        return gm_value_of_torch_name(function->flow, qualified, node);
    }
    return value;
}

/* The value goes two ways: into the variable, and to whoever holds the expression. */
static gm_value of_named(gm_function *function, const gm_node *node) {
    gm_value value = gm_evaluate(function, gm_as_NamedExpr(node)->value);
    value.traits &= (uint16_t)~GM_VALUE_FRESH;
    return value;
}

static gm_value of_starred(gm_function *function, const gm_node *node) {
    gm_evaluate(function, gm_as_Starred(node)->value);
    return gm_value_unknown(node);
}

typedef gm_value (*evaluator)(gm_function *function, const gm_node *node);

gm_value gm_evaluate_node(gm_function *function, const gm_node *node) {
    static const evaluator evaluators[GM_KIND_COUNT] = {
        [GM_KIND_Constant] = of_constant,
        [GM_KIND_JoinedStr] = of_text,
        [GM_KIND_Lambda] = of_lambda,
        [GM_KIND_Tuple] = of_tuple,
        [GM_KIND_List] = of_list,
        [GM_KIND_Dict] = of_dict,
        [GM_KIND_DictComp] = of_dict,
        [GM_KIND_Set] = of_set,
        [GM_KIND_SetComp] = of_set,
        [GM_KIND_ListComp] = of_list_comp,
        [GM_KIND_GeneratorExp] = of_generator,
        [GM_KIND_BinOp] = of_bin_op,
        [GM_KIND_UnaryOp] = of_unary_op,
        [GM_KIND_BoolOp] = of_bool_op,
        [GM_KIND_IfExp] = of_conditional,
        [GM_KIND_Compare] = of_compare,
        [GM_KIND_Subscript] = gm_evaluate_subscript,
        [GM_KIND_Attribute] = gm_evaluate_attribute,
        [GM_KIND_Name] = of_name,
        [GM_KIND_NamedExpr] = of_named,
        [GM_KIND_Starred] = of_starred,
        [GM_KIND_Call] = gm_evaluate_call,
    };
    evaluator found = evaluators[node->kind];
    return found == NULL ? gm_value_unknown(node) : found(function, node);
}
