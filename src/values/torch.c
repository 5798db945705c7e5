/* What torch's names give: operators by the generated facts, and the few names around them that are no operators. */
#include <string.h>

#include "flow/torch_names.h"
#include "values/values_private.h"

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *last_part(const char *qualified) {
    const char *dot = strrchr(qualified, '.');
    return dot == NULL ? qualified : dot + 1;
}

/* ---- dtypes ---- */

static const struct {
    const char *name;
    uint8_t dtype;
} dtypes[] = {
    {"bool", GM_DTYPE_BOOL},        {"uint8", GM_DTYPE_INTEGER},      {"int8", GM_DTYPE_INTEGER},      {"int16", GM_DTYPE_INTEGER},
    {"short", GM_DTYPE_INTEGER},    {"int32", GM_DTYPE_INTEGER},      {"int", GM_DTYPE_INTEGER},       {"int64", GM_DTYPE_INTEGER},
    {"long", GM_DTYPE_INTEGER},     {"uint16", GM_DTYPE_INTEGER},     {"uint32", GM_DTYPE_INTEGER},    {"uint64", GM_DTYPE_INTEGER},
    {"float16", GM_DTYPE_FLOATING}, {"half", GM_DTYPE_FLOATING},      {"bfloat16", GM_DTYPE_FLOATING}, {"float32", GM_DTYPE_FLOATING},
    {"float", GM_DTYPE_FLOATING},   {"float64", GM_DTYPE_FLOATING},   {"double", GM_DTYPE_FLOATING},   {"complex64", GM_DTYPE_COMPLEX},
    {"cfloat", GM_DTYPE_COMPLEX},   {"complex128", GM_DTYPE_COMPLEX}, {"cdouble", GM_DTYPE_COMPLEX},
};

/* dtype of "float32", or UNKNOWN. */
static uint8_t dtype_called(const char *name) {
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        if (strcmp(dtypes[i].name, name) == 0) {
            return dtypes[i].dtype;
        }
    }
    return GM_DTYPE_UNKNOWN;
}

static uint8_t dtype_of_qualified(const gm_name *name) {
    bool direct = name != NULL && starts_with(name->text, "torch.") && strchr(name->text + 6, '.') == NULL;
    return direct ? dtype_called(name->text + 6) : GM_DTYPE_UNKNOWN;
}

gm_value_dtype gm_torch_dtype_of(gm_flow *flow, const gm_node *expression) {
    const gm_name *name = gm_flow_qualified(flow, expression);
    if (name != NULL && starts_with(name->text, "builtins.")) {
        const char *builtin = name->text + strlen("builtins.");
        return strcmp(builtin, "bool") == 0 || strcmp(builtin, "int") == 0 || strcmp(builtin, "float") == 0
                   ? (gm_value_dtype)dtype_called(builtin)
                   : GM_DTYPE_UNKNOWN;
    }
    return (gm_value_dtype)dtype_of_qualified(name);
}

/* ---- Names ---- */

gm_value gm_value_of_torch_name(gm_flow *flow, const gm_name *name, const gm_node *node) {
    if (dtype_of_qualified(name) != GM_DTYPE_UNKNOWN) {
        return gm_value_python(GM_FORM_DTYPE, "a dtype", node);
    }
    if (gm_torch_names_have(GM_TORCH_NAMES_NUMBERS, name->text)) {
        return gm_value_python(GM_FORM_FLOAT, "a number", node);
    }
    const char *last = last_part(name->text);
    bool function = gm_torch_find_qualified(flow->facts, name->text) != NULL;
    bool class_ = last[0] >= 'A' && last[0] <= 'Z' && last[1] >= 'a' && last[1] <= 'z';
    return function || class_ ? gm_value_python(function ? GM_FORM_FUNCTION : GM_FORM_CLASS, "a name of torch", node)
                              : gm_value_unknown(node);
}

static bool in_module(gm_function *function) {
    const gm_node *class_def = gm_class_definition_around(function);
    return class_def != NULL && gm_class_is_module(function->flow, class_def);
}

bool gm_torch_is_telling(gm_function *function, const gm_torch_op *op, bool called) {
    struct gm_values_shared *shared = gm_values_shared_of(function->flow);
    if (!shared->torch || called == ((op->flags & GM_TORCH_PROPERTY) != 0)) {
        return false;
    }
    bool arrays = shared->tensors || in_module(function);
    if (gm_torch_names_have(GM_TORCH_NAMES_COMMON_METHODS, op->name)) {
        return arrays && called && gm_torch_names_have(GM_TORCH_NAMES_ARRAY_METHODS, op->name);
    }
    if (op->result == GM_TORCH_UNKNOWN || op->result == GM_TORCH_NONE) {
        return false;
    }
    return arrays || (op->flags & GM_TORCH_NUMPY) == 0;
}

/* ---- Operators ---- */

bool gm_torch_is_fresh(const gm_torch_op *op) {
    unsigned excluded = GM_TORCH_VIEW | GM_TORCH_MUTATES | GM_TORCH_EITHER | GM_TORCH_INPLACE_ARGUMENT | GM_TORCH_INPLACE_VIEW;
    if (op->result != GM_TORCH_TENSOR || (op->flags & excluded) != 0 || gm_torch_names_have(GM_TORCH_NAMES_SHARING, op->name)) {
        return false;
    }
    return (op->flags & (GM_TORCH_POINTWISE | GM_TORCH_CREATES)) != 0 || gm_torch_names_have(GM_TORCH_NAMES_COPIES, op->name);
}

/* A call of an operator, with what is needed again and again. */
typedef struct called_op {
    gm_function *function;
    const gm_torch_op *op;
    const gm_node *node;
    const gm_Call *call;
    const gm_value *receiver; /* of a method; NULL */
    gm_value input;           /* the receiver, or the first argument */
    uint32_t first;           /* number of the first positional argument behind the input */
    bool starred;             /* positions are not known, for `*args` is among them */
    bool named;               /* keywords are not known, for `**kwargs` is among them */
} called_op;

static bool has_starred(const gm_list *arguments) {
    for (uint32_t i = 0; i < arguments->count; i++) {
        if (arguments->items[i]->kind == GM_KIND_Starred) {
            return true;
        }
    }
    return false;
}

static bool has_double_starred(const gm_list *keywords) {
    for (uint32_t i = 0; i < keywords->count; i++) {
        if (gm_as_keyword(keywords->items[i])->arg == NULL) {
            return true;
        }
    }
    return false;
}

static bool is_true(const gm_node *node) {
    return node != NULL && node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == GM_LITERAL_True;
}

static bool is_whole_number(const gm_node *node) {
    if (node->kind == GM_KIND_UnaryOp) {
        node = gm_as_UnaryOp(node)->operand;
    }
    return node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == GM_LITERAL_int;
}

/* Several tensors, one, or either: of operators such as max(x), max(x, dim), max(x, y). */
typedef enum gm_count { ONE, SEVERAL, EITHER } count_of;

static count_of count_of_dim(const called_op *at) {
    if (gm_call_keyword(at->call, "dim") != NULL || gm_call_keyword(at->call, "axis") != NULL) {
        return SEVERAL;
    }
    const gm_node *argument = gm_call_argument(at->call, at->first);
    if (argument == NULL) {
        return at->call->args.count > at->first ? EITHER : ONE;
    }
    if (is_whole_number(argument)) {
        return SEVERAL;
    }
    gm_value value = gm_evaluate(at->function, argument);
    return gm_value_is_tensor(value) ? ONE : gm_value_is_number(value) ? SEVERAL : EITHER;
}

static count_of count_of_result(const called_op *at) {
    static const char *const switches[] = {"return_inverse", "return_counts", "return_indices", "as_tuple", NULL};
    if ((at->op->flags & GM_TORCH_EITHER) == 0 && !starts_with(at->op->name, "unique")) {
        return ONE;
    }
    if (at->starred || at->named) {
        return EITHER;
    }
    if (gm_torch_names_have(GM_TORCH_NAMES_PAIRS_BY_DIM, at->op->name)) {
        return count_of_dim(at);
    }
    for (const char *const *name = switches; *name != NULL; name++) {
        const gm_node *value = gm_call_keyword(at->call, *name);
        if (value != NULL) {
            return is_true(value) ? SEVERAL : ONE;
        }
    }
    if (strcmp(at->op->name, "where") == 0) {
        return at->call->args.count == 1 && at->call->keywords.count == 0 ? SEVERAL : ONE;
    }
    return starts_with(at->op->name, "unique") && at->call->args.count > at->first + 1 ? EITHER : ONE;
}

static uint8_t dtype_by_name(const char *name) {
    if (gm_torch_names_have(GM_TORCH_NAMES_INTEGERS, name)) {
        return GM_DTYPE_INTEGER;
    }
    return gm_torch_names_have(GM_TORCH_NAMES_FLOATING, name) ? GM_DTYPE_FLOATING : GM_DTYPE_UNKNOWN;
}

/* Operators whose result has the dtype of their input. */
static bool keeps_dtype(const gm_torch_op *op) {
    bool view = (op->flags & GM_TORCH_VIEW) != 0 && strcmp(op->name, "to") != 0 && strcmp(op->name, "real") != 0 &&
                strcmp(op->name, "imag") != 0 && !starts_with(op->name, "view_as");
    return view || gm_torch_names_have(GM_TORCH_NAMES_KEEPS_DTYPE, op->name) || (op->flags & GM_TORCH_MUTATES) != 0;
}

/* Element functions of floating point tensors give floating point tensors. */
static bool keeps_floating(const gm_torch_op *op) {
    return (op->flags & GM_TORCH_POINTWISE) != 0 || op->space == GM_TORCH_NN || (op->flags & GM_TORCH_REDUCES) != 0 ||
           strcmp(op->name, "matmul") == 0 || strcmp(op->name, "softmax") == 0 || strcmp(op->name, "cumsum") == 0;
}

/* x.to(dtype), x.to(device), x.to(device, dtype). */
static uint8_t dtype_of_conversion(const called_op *at) {
    const gm_node *first = gm_call_argument(at->call, 0);
    if (first == NULL) {
        return at->call->args.count == 0 && gm_call_keyword(at->call, "other") == NULL ? at->input.dtype : GM_DTYPE_UNKNOWN;
    }
    uint8_t dtype = (uint8_t)gm_torch_dtype_of(at->function->flow, first);
    gm_value target = gm_evaluate(at->function, first);
    bool device = gm_value_is(target, GM_FORM_DEVICE) || gm_value_is(target, GM_FORM_STRING);
    return device && at->call->args.count == 1 ? at->input.dtype : dtype;
}

static uint8_t dtype_of_call(const called_op *at) {
    const gm_node *given = gm_call_keyword(at->call, "dtype");
    if (given != NULL) {
        return (uint8_t)gm_torch_dtype_of(at->function->flow, given);
    }
    if ((at->op->flags & GM_TORCH_BOOLEAN) != 0) {
        return GM_DTYPE_BOOL;
    }
    if (at->named) {
        return GM_DTYPE_UNKNOWN;
    }
    if (at->op->space == GM_TORCH_METHOD && at->call->args.count == 0 && dtype_called(at->op->name) != GM_DTYPE_UNKNOWN) {
        return dtype_called(at->op->name);
    }
    if (strcmp(at->op->name, "to") == 0) {
        return dtype_of_conversion(at);
    }
    uint8_t dtype = dtype_by_name(at->op->name);
    if (dtype != GM_DTYPE_UNKNOWN) {
        return dtype;
    }
    bool keeps = keeps_dtype(at->op) ||
                 (at->input.dtype == GM_DTYPE_FLOATING && keeps_floating(at->op) && at->call->args.count <= at->first);
    return keeps ? at->input.dtype : GM_DTYPE_UNKNOWN;
}

/* Losses reduce unless they are told not to; other reductions unless there is a dim. */
static bool is_reduced(const called_op *at) {
    if (at->starred || at->named) {
        return false;
    }
    if (at->op->space == GM_TORCH_NN) {
        return gm_call_keyword(at->call, "reduction") == NULL && gm_call_keyword(at->call, "reduce") == NULL && at->call->args.count <= 2;
    }
    bool dtype_alone = at->call->keywords.count == 0 || (at->call->keywords.count == 1 && gm_call_keyword(at->call, "dtype") != NULL);
    return at->call->args.count == at->first && dtype_alone;
}

static bool has_scalar_result(const called_op *at) {
    if ((at->op->flags & GM_TORCH_REDUCES) != 0) {
        return is_reduced(at);
    }
    const gm_node *first = gm_call_argument(at->call, 0);
    if ((strcmp(at->op->name, "tensor") == 0 || strcmp(at->op->name, "scalar_tensor") == 0) && first != NULL) {
        return gm_value_is_number(gm_evaluate(at->function, first));
    }
    bool same_shape = (at->op->flags & GM_TORCH_POINTWISE) != 0 || keeps_dtype(at->op);
    bool shaped = (at->op->flags & GM_TORCH_VIEW) != 0;
    bool result = same_shape && !shaped && !at->named && gm_value_is_scalar(at->input);
    for (uint32_t i = at->first; result && i < at->call->args.count; i++) {
        const gm_node *argument = gm_call_argument(at->call, i);
        result = argument != NULL && gm_value_is_scalar(gm_evaluate(at->function, argument));
    }
    return result;
}

/* With numbers of repetitions in a tensor, and no size given. */
static bool repeats_by_data(const called_op *at) {
    const gm_node *repeats = gm_call_argument(at->call, at->first);
    repeats = repeats != NULL ? repeats : gm_call_keyword(at->call, "repeats");
    bool given = repeats != NULL && gm_value_is_tensor(gm_value_used(gm_evaluate(at->function, repeats)));
    return given && gm_call_keyword(at->call, "output_size") == NULL;
}

static bool has_dynamic_shape(const called_op *at) {
    if (strcmp(at->op->name, "repeat_interleave") == 0) {
        return repeats_by_data(at);
    }
    return (at->op->flags & GM_TORCH_DYNAMIC_SHAPE) != 0 && !gm_torch_names_have(GM_TORCH_NAMES_UNSURE_SHAPES, at->op->name);
}

static const char *reason_of(const called_op *at) {
    if (at->receiver != NULL) {
        bool sure = at->receiver->class_ == GM_VALUE_TENSOR;
        return sure ? gm_value_text(at->function->flow, "`%s` of a tensor", at->op->name) : at->receiver->reason;
    }
    const char *package = at->op->space == GM_TORCH_NN ? "F" : "torch";
    return gm_value_text(at->function->flow, "the result of `%s.%s`", package, at->op->name);
}

static gm_value tensor_result(const called_op *at) {
    count_of count = count_of_result(at);
    gm_value_class class_ = at->receiver != NULL ? (gm_value_class)at->receiver->class_ : GM_VALUE_TENSOR;
    if (count == SEVERAL) {
        gm_value value = gm_value_python(GM_FORM_TENSORS, reason_of(at), at->node);
        bool dynamic = has_dynamic_shape(at) || strcmp(at->op->name, "where") == 0;
        value.traits = dynamic ? GM_VALUE_DYNAMIC_SHAPE : 0;
        if (class_ == GM_VALUE_MAYBE) {
            value.class_ = GM_VALUE_UNKNOWN;
        }
        return value;
    }
    class_ = count == EITHER ? GM_VALUE_MAYBE : class_;
    gm_value value = gm_value_make(class_, class_ == GM_VALUE_TENSOR ? GM_FORM_TENSOR : GM_FORM_ANY, reason_of(at), at->node);
    value.dtype = dtype_of_call(at);
    value.traits = at->receiver != NULL ? (uint16_t)(at->receiver->traits & (GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION)) : 0;
    value.traits |= has_dynamic_shape(at) ? GM_VALUE_DYNAMIC_SHAPE : 0;
    value.traits |= count == ONE && has_scalar_result(at) ? GM_VALUE_SCALAR : 0;
    bool fresh = gm_torch_is_fresh(at->op) && gm_call_keyword(at->call, "out") == NULL && gm_call_keyword(at->call, "inplace") == NULL &&
                 gm_call_keyword(at->call, "requires_grad") == NULL && !at->named;
    value.traits |= fresh ? GM_VALUE_FRESH : 0;
    if (at->receiver != NULL && (at->op->flags & GM_TORCH_MUTATES) != 0) {
        value.traits |= (uint16_t)(at->receiver->traits & (GM_VALUE_FRESH | GM_VALUE_SCALAR | GM_VALUE_PARAMETER | GM_VALUE_BUFFER));
    }
    return value;
}

/* A Python value: read out of the tensor's data, or from what is known without them. */
static gm_value python_result(const called_op *at, gm_value_form form) {
    gm_value value = gm_value_python(form, gm_value_text(at->function->flow, "`%s` of a tensor", at->op->name), at->node);
    if ((at->op->flags & GM_TORCH_DATA) == 0) {
        bool size = form == GM_FORM_INT || form == GM_FORM_SIZE;
        value.traits = size ? gm_value_size_traits(at->receiver) : GM_VALUE_FROM_SHAPE;
        return value;
    }
    value.reason = gm_value_text(at->function->flow, "`%s` of a tensor", at->op->name);
    value.traits = gm_value_origin(at->receiver != NULL ? *at->receiver : gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "", at->node));
    return value;
}

static gm_value size_result(const called_op *at) {
    if (at->starred || at->named) {
        return python_result(at, GM_FORM_ANY);
    }
    bool one = strcmp(at->op->name, "size") == 0 && (at->call->args.count > 0 || gm_call_keyword(at->call, "dim") != NULL);
    return python_result(at, one || (strcmp(at->op->name, "stride") == 0 && at->call->args.count > 0) ? GM_FORM_INT : GM_FORM_SIZE);
}

static const uint8_t forms[] = {
    [GM_TORCH_UNKNOWN] = GM_FORM_ANY,   [GM_TORCH_TENSOR] = GM_FORM_TENSOR, [GM_TORCH_TENSORS] = GM_FORM_TENSORS,
    [GM_TORCH_BOOL] = GM_FORM_BOOL,     [GM_TORCH_INT] = GM_FORM_INT,       [GM_TORCH_FLOAT] = GM_FORM_FLOAT,
    [GM_TORCH_SCALAR] = GM_FORM_NUMBER, [GM_TORCH_SIZE] = GM_FORM_SIZE,     [GM_TORCH_STRING] = GM_FORM_STRING,
    [GM_TORCH_DTYPE] = GM_FORM_DTYPE,   [GM_TORCH_DEVICE] = GM_FORM_DEVICE, [GM_TORCH_NONE] = GM_FORM_NONE,
    [GM_TORCH_OTHER] = GM_FORM_ANY,
};

static gm_value other_result(const called_op *at) {
    if (strcmp(at->op->name, "tolist") == 0) {
        return python_result(at, (at->input.traits & GM_VALUE_SCALAR) != 0 ? GM_FORM_NUMBER : GM_FORM_LIST);
    }
    return python_result(at, strcmp(at->op->name, "numpy") == 0 ? GM_FORM_ARRAY : GM_FORM_ANY);
}

gm_value gm_evaluate_torch_op(gm_function *function, const gm_torch_op *op, const gm_node *node, const gm_value *receiver) {
    called_op at = {.function = function, .op = op, .node = node, .call = gm_as_Call(node), .receiver = receiver};
    const gm_node *first = receiver == NULL ? gm_call_argument(at.call, 0) : NULL;
    at.input = receiver != NULL ? *receiver : first != NULL ? gm_value_used(gm_evaluate(function, first)) : gm_value_unknown(node);
    at.first = receiver != NULL ? 0 : 1;
    at.starred = has_starred(&at.call->args);
    at.named = has_double_starred(&at.call->keywords);
    switch ((gm_torch_result)op->result) {
    case GM_TORCH_UNKNOWN: return gm_value_unknown(node);
    case GM_TORCH_TENSOR: return tensor_result(&at);
    case GM_TORCH_TENSORS: {
        gm_value value = gm_value_python(GM_FORM_TENSORS, reason_of(&at), node);
        value.class_ = receiver != NULL && receiver->class_ == GM_VALUE_MAYBE ? GM_VALUE_UNKNOWN : GM_VALUE_NOT;
        return value;
    }
    case GM_TORCH_SIZE: return size_result(&at);
    case GM_TORCH_OTHER: return other_result(&at);
    case GM_TORCH_STRING:
        if (at.starred || at.named) {
            return gm_value_unknown(node);
        }
        return at.call->args.count + at.call->keywords.count > 0 && receiver != NULL
                   ? gm_value_make((gm_value_class)receiver->class_, (gm_value_form)receiver->form, receiver->reason, node)
                   : python_result(&at, GM_FORM_STRING);
    default: return python_result(&at, (gm_value_form)forms[op->result]);
    }
}

gm_value gm_value_torch_property(gm_flow *flow, const gm_torch_op *op, gm_value receiver, const gm_node *node) {
    const char *reason = gm_value_text(flow, "`%s` of a tensor", op->name);
    if (op->result == GM_TORCH_TENSOR) {
        gm_value value = gm_value_make((gm_value_class)receiver.class_, (gm_value_form)receiver.form,
                                       receiver.class_ == GM_VALUE_TENSOR ? reason : receiver.reason, node);
        value.traits = (uint16_t)(receiver.traits & (GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION));
        value.dtype = strcmp(op->name, "real") == 0 || strcmp(op->name, "imag") == 0 ? GM_DTYPE_UNKNOWN : receiver.dtype;
        return value;
    }
    if (op->result == GM_TORCH_UNKNOWN) {
        bool grad = strcmp(op->name, "grad") == 0 && receiver.class_ == GM_VALUE_TENSOR;
        gm_value value = grad ? gm_value_make(GM_VALUE_MAYBE, GM_FORM_TENSOR, reason, node) : gm_value_unknown(node);
        value.traits = grad ? GM_VALUE_OPTIONAL : 0;
        return value;
    }
    gm_value value = gm_value_python((gm_value_form)forms[op->result], reason, node);
    bool size = op->result == GM_TORCH_SIZE || op->result == GM_TORCH_INT;
    value.traits = size ? gm_value_size_traits(&receiver) : 0;
    return value;
}

/* ---- Calls of what is no operator ---- */

static bool is_layer_class(const gm_name *name) {
    char first = last_part(name->text)[0];
    return starts_with(name->text, "torch.nn.") && first >= 'A' && first <= 'Z' && !starts_with(name->text, "torch.nn.utils");
}

static gm_value make_parameter(gm_function *function, const gm_node *node) {
    gm_value value = gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "a parameter", node);
    const gm_node *data = gm_call_argument(gm_as_Call(node), 0);
    gm_value made = data == NULL ? gm_value_unknown(node) : gm_evaluate(function, data);
    value.dtype = made.dtype;
    value.traits = (uint16_t)(GM_VALUE_PARAMETER | (made.traits & GM_VALUE_SCALAR));
    return value;
}

static gm_value make_layer(gm_function *function, const gm_name *name, const gm_node *node) {
    if (strcmp(name->text, "torch.nn.Parameter") == 0 || strcmp(name->text, "torch.nn.parameter.Parameter") == 0 ||
        strcmp(name->text, "torch.nn.Buffer") == 0) {
        return make_parameter(function, node);
    }
    if (gm_torch_names_have(GM_TORCH_NAMES_PARAMETER_LISTS, name->text)) {
        return gm_value_python(GM_FORM_TENSORS, "parameters", node);
    }
    return gm_value_python(gm_torch_names_have(GM_TORCH_NAMES_MODULE_LISTS, name->text) ? GM_FORM_MODULES : GM_FORM_MODULE,
                           "a module of torch.nn", node);
}

gm_value gm_evaluate_torch_call(gm_function *function, const gm_name *name, const gm_node *node) {
    static const struct {
        const char *prefix;
        uint8_t form;
        const char *reason;
    } places[] = {
#define GM_TORCH_CALL(prefix, form, reason) {prefix, form, reason},
#include "values/torch_forms.def"
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (starts_with(name->text, places[i].prefix)) {
            return gm_value_python((gm_value_form)places[i].form, places[i].reason, node);
        }
    }
    if (is_layer_class(name)) {
        return make_layer(function, name, node);
    }
    const char *last = last_part(name->text);
    size_t length = strlen(last);
    if (length >= 6 && strcmp(last + length - 6, "Tensor") == 0) {
        return gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "a constructor of tensors", node);
    }
    return gm_value_unknown(node);
}

gm_value gm_value_of_layer(gm_function *function, const gm_name *type, const gm_node *call) {
    const gm_node *argument = gm_call_argument(gm_as_Call(call), 0);
    if (gm_torch_names_have(GM_TORCH_NAMES_TUPLE_LAYERS, type->text)) {
        return gm_value_python(GM_FORM_TUPLE, "a tuple of a layer", call);
    }
    if (strcmp(type->text, "torch.nn.Identity") == 0) {
        gm_value value = argument == NULL ? gm_value_unknown(call) : gm_evaluate(function, argument);
        value.traits &= (uint16_t)~(GM_VALUE_FRESH | GM_VALUE_LEAF_INPUT);
        return value;
    }
    if (gm_torch_names_have(GM_TORCH_NAMES_OPAQUE_LAYERS, type->text) || strncmp(type->text, "torch.nn.", 9) != 0 ||
        strchr(type->text + 9, '.') != NULL || strstr(type->text, "MaxPool") != NULL) {
        return gm_value_unknown(call);
    }
    gm_value value = gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, gm_value_text(function->flow, "the result of `nn.%s`", type->text + 9),
                                   call);
    return value;
}
