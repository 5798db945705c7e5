/* Values of calls of builtins. */
#include <string.h>

#include "values/values_private.h"

typedef gm_value (*builtin)(gm_function *function, const char *name, const gm_node *node);

static gm_value argument_value(gm_function *function, const gm_node *node, uint32_t index) {
    const gm_node *argument = gm_call_argument(gm_as_Call(node), index);
    return argument == NULL ? gm_value_unknown(node) : gm_evaluate(function, argument);
}

static gm_value make_bool(gm_function *function, const char *name, const gm_node *node) {
    (void)name;
    for (uint32_t i = 0; i < gm_as_Call(node)->args.count; i++) {
        gm_evaluate(function, gm_as_Call(node)->args.items[i]);
    }
    return gm_value_python(GM_FORM_BOOL, "a test of types", node);
}

static gm_value make_string(gm_function *function, const char *name, const gm_node *node) {
    (void)function;
    (void)name;
    return gm_value_python(GM_FORM_STRING, "a string", node);
}

static gm_value make_other(gm_function *function, const char *name, const gm_node *node) {
    return gm_value_python(GM_FORM_ANY, gm_value_text(function->flow, "a result of `%s`", name), node);
}

/* bytes(x); of a tensor of whole numbers, as well. */
static gm_value make_bytes(gm_function *function, const char *name, const gm_node *node) {
    (void)function;
    (void)name;
    return gm_value_python(GM_FORM_BYTES, "bytes", node);
}

/* range, zip, iterators: no arithmetic, and equal to nothing else. */
static gm_value make_plain(gm_function *function, const char *name, const gm_node *node) {
    gm_value value = make_other(function, name, node);
    value.form = GM_FORM_PLAIN;
    return value;
}

static gm_value make_set(gm_function *function, const char *name, const gm_node *node) {
    gm_value value = make_other(function, name, node);
    value.form = GM_FORM_SET;
    return value;
}

static gm_value make_dict(gm_function *function, const char *name, const gm_node *node) {
    gm_value value = make_other(function, name, node);
    value.form = GM_FORM_DICT;
    return value;
}

/* Tensor has a method of its own behind `reversed`, which gives a tensor. */
static gm_value make_reversed(gm_function *function, const char *name, const gm_node *node) {
    gm_value argument = gm_value_used(argument_value(function, node, 0));
    if (gm_value_has_tensor(argument)) {
        argument.traits &= GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION;
        return argument;
    }
    return argument.class_ == GM_VALUE_NOT ? make_plain(function, name, node) : make_other(function, name, node);
}

static gm_value make_none(gm_function *function, const char *name, const gm_node *node) {
    (void)function;
    (void)name;
    return gm_value_python(GM_FORM_NONE, "nothing is returned", node);
}

static gm_value make_length(gm_function *function, const char *name, const gm_node *node) {
    gm_value value = gm_value_python(GM_FORM_INT, gm_value_text(function->flow, "a result of `%s`", name), node);
    gm_value argument = argument_value(function, node, 0);
    bool list = argument.class_ == GM_VALUE_NOT && (argument.traits & GM_VALUE_FROM_DATA) != 0;
    value.traits = list ? GM_VALUE_FROM_DATA : gm_value_has_tensor(argument) ? gm_value_size_traits(&argument) : 0;
    value.reason = list ? argument.reason : value.reason;
    return value;
}

/* int(x), float(x), bool(x): a number that may be that of a tensor. */
static gm_value make_number(gm_function *function, const char *name, const gm_node *node) {
    gm_value_form form = strcmp(name, "int") == 0     ? GM_FORM_INT
                         : strcmp(name, "bool") == 0  ? GM_FORM_BOOL
                         : strcmp(name, "float") == 0 ? GM_FORM_FLOAT
                                                      : GM_FORM_NUMBER;
    gm_value value = gm_value_python(form, gm_value_text(function->flow, "a result of `%s`", name), node);
    const gm_node *first = gm_call_argument(gm_as_Call(node), 0);
    if (first != NULL) {
        gm_value argument = gm_evaluate(function, first);
        if (argument.class_ == GM_VALUE_NO_PATH) {
            return argument;
        }
        value.traits = gm_value_origin(argument);
        bool data = gm_value_has_tensor(gm_value_used(argument));
        value.reason = data                                                   ? gm_value_text(function->flow, "`%s` of a tensor", name)
                       : value.traits != 0 && argument.class_ == GM_VALUE_NOT ? argument.reason
                                                                              : value.reason;
    }
    return value;
}

/* abs(x), round(x): of the kind of their argument, but that the absolute value of a complex one is real. */
static gm_value make_same(gm_function *function, const char *name, const gm_node *node) {
    gm_value value = gm_value_used(argument_value(function, node, 0));
    if (gm_value_has_tensor(value)) {
        value.traits &= GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION | GM_VALUE_SCALAR;
        value.traits |= GM_VALUE_FRESH;
        value.dtype = value.dtype == GM_DTYPE_COMPLEX && strcmp(name, "abs") == 0 ? GM_DTYPE_FLOATING : value.dtype;
    } else if (gm_value_is(value, GM_FORM_BOOL)) {
        value.form = GM_FORM_INT;
    }
    return value;
}

/* list(x), tuple(x), sorted(x). */
static gm_value make_sequence(gm_function *function, const char *name, const gm_node *node) {
    gm_value_form form = strcmp(name, "tuple") == 0 ? GM_FORM_TUPLE : GM_FORM_LIST;
    gm_value argument = gm_value_used(argument_value(function, node, 0));
    if (gm_value_is(argument, GM_FORM_TENSORS) || gm_value_is(argument, GM_FORM_MODULES) || gm_value_is(argument, GM_FORM_SIZE)) {
        return argument;
    }
    gm_value value = gm_value_python(form, gm_value_text(function->flow, "a result of `%s`", name), node);
    if (gm_value_is_tensor(argument)) {
        value.form = GM_FORM_TENSORS;
    } else {
        value.traits = (uint16_t)(argument.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA | GM_VALUE_UNSURE_DATA));
    }
    return value;
}

/* max(xs), min(xs): an item. */
static gm_value make_item(gm_function *function, const gm_node *node) {
    gm_value argument = gm_value_used(argument_value(function, node, 0));
    gm_value item = gm_value_item(argument, node);
    if (gm_value_is_tensor(item)) {
        item.class_ = GM_VALUE_MAYBE; /* there may be none, and a default */
    }
    if (item.class_ != GM_VALUE_NOT || gm_value_is(argument, GM_FORM_SIZE)) {
        return item;
    }
    gm_value value = gm_value_unknown(node);
    bool data = (item.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA)) != 0;
    value.traits = data ? GM_VALUE_MAYBE_DATA : 0;
    value.reason = data ? item.reason : value.reason;
    return value;
}

/* What a sum begins with, and what it is where there are no items. */
static gm_value start_of_sum(gm_function *function, const gm_node *node) {
    const gm_node *start = gm_call_argument(gm_as_Call(node), 1);
    start = start != NULL ? start : gm_call_keyword(gm_as_Call(node), "start");
    return start != NULL ? gm_evaluate(function, start) : gm_value_python(GM_FORM_INT, "a sum of nothing", node);
}

/* sum(xs): what adding the items to the start gives. */
static gm_value make_sum(gm_function *function, const char *name, const gm_node *node) {
    (void)name;
    gm_value argument = gm_value_used(argument_value(function, node, 0));
    gm_value item = gm_value_item(argument, node);
    bool size = gm_value_is(argument, GM_FORM_SIZE);
    if (!size && !gm_value_has_tensor(item)) {
        return make_item(function, node);
    }
    gm_value start = start_of_sum(function, node);
    gm_value sum = gm_value_arithmetic(GM_OP_Add, start, item, node);
    if (size || gm_value_has_tensor(start)) {
        return size ? sum : gm_value_join(start, sum);
    }
    sum.class_ = gm_value_is_tensor(sum) ? GM_VALUE_MAYBE : sum.class_; /* of none it is the start */
    sum.reason = "a sum of tensors";
    return sum;
}

/* max(a, b), min(a, b): one of the arguments, by comparing them. */
static gm_value make_choice(gm_function *function, const char *name, const gm_node *node) {
    (void)name;
    const gm_Call *call = gm_as_Call(node);
    if (call->args.count == 1) {
        return make_item(function, node);
    }
    gm_value value = gm_value_no_path();
    uint16_t origin = 0;
    for (uint32_t i = 0; i < call->args.count; i++) {
        if (call->args.items[i]->kind == GM_KIND_Starred) {
            return gm_value_unknown(node);
        }
        gm_value argument = gm_evaluate(function, call->args.items[i]);
        origin = gm_value_origins(origin, argument.class_ == GM_VALUE_NOT ? argument.traits : 0);
        value = gm_value_join(value, argument);
    }
    if (value.class_ == GM_VALUE_NOT) {
        value.traits = origin;
    }
    value.traits &= (uint16_t)~(GM_VALUE_FRESH | GM_VALUE_CONSTANT);
    return value;
}

/* any(xs), all(xs): the truth of the items. */
static gm_value make_quantifier(gm_function *function, const char *name, const gm_node *node) {
    gm_value argument = gm_value_used(argument_value(function, node, 0));
    gm_value item = gm_value_item(argument, node);
    gm_value value = gm_value_python(GM_FORM_BOOL, gm_value_text(function->flow, "a result of `%s`", name), node);
    value.traits = (uint16_t)(gm_value_origin(item) & ~(unsigned)GM_VALUE_FROM_SHAPE);
    value.reason = (value.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA)) != 0 ? item.reason : value.reason;
    return value;
}

static gm_value get_attribute(gm_function *function, const char *name, const gm_node *node) {
    (void)function;
    (void)name;
    const gm_node *object = gm_call_argument(gm_as_Call(node), 0);
    return object != NULL && gm_is_setting(object) ? gm_value_python(GM_FORM_ANY, "configuration", node) : gm_value_unknown(node);
}

static gm_value make_unknown(gm_function *function, const char *name, const gm_node *node) {
    (void)function;
    (void)name;
    return gm_value_unknown(node);
}

gm_value gm_evaluate_builtin(gm_function *function, const char *name, const gm_node *node) {
    static const struct {
        const char *name;
        builtin make;
    } builtins[] = {
        {"len", make_length},     {"int", make_number},       {"float", make_number},    {"bool", make_number},
        {"complex", make_number}, {"isinstance", make_bool},  {"issubclass", make_bool}, {"hasattr", make_bool},
        {"callable", make_bool},  {"str", make_string},       {"repr", make_string},     {"format", make_string},
        {"chr", make_string},     {"ord", make_length},       {"id", make_length},       {"hash", make_length},
        {"range", make_plain},    {"enumerate", make_plain},  {"zip", make_plain},       {"map", make_plain},
        {"filter", make_plain},   {"iter", make_plain},       {"dict", make_dict},       {"set", make_set},
        {"frozenset", make_set},  {"slice", make_plain},      {"type", make_plain},      {"open", make_plain},
        {"divmod", make_other},   {"bytes", make_bytes},      {"bytearray", make_bytes}, {"print", make_none},
        {"setattr", make_none},   {"delattr", make_none},     {"abs", make_same},        {"round", make_same},
        {"list", make_sequence},  {"tuple", make_sequence},   {"sorted", make_sequence}, {"reversed", make_reversed},
        {"sum", make_sum},        {"max", make_choice},       {"min", make_choice},      {"any", make_quantifier},
        {"all", make_quantifier}, {"getattr", get_attribute}, {"object", make_plain},    {"super", make_unknown},
        {"next", make_unknown},
    };
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (strcmp(builtins[i].name, name) == 0) {
            return builtins[i].make(function, name, node);
        }
    }
    return gm_value_unknown(node);
}
