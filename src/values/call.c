/* Values of calls. */
#include <string.h>

#include "flow/torch_names.h"
#include "flow/walk.h"
#include "values/values_private.h"

/* Functions whose results depend on one another further than this are not looked into. */
enum { RESULT_DEPTH = 4 };

const gm_node *gm_call_keyword(const gm_Call *call, const char *name) {
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        if (gm_name_is(gm_as_keyword(call->keywords.items[i])->arg, name)) {
            return gm_as_keyword(call->keywords.items[i])->value;
        }
    }
    return NULL;
}

const gm_node *gm_call_argument(const gm_Call *call, uint32_t index) {
    for (uint32_t i = 0; i <= index; i++) {
        if (i >= call->args.count || call->args.items[i]->kind == GM_KIND_Starred) {
            return NULL;
        }
    }
    return call->args.items[index];
}

static bool starts_with(const gm_name *name, const char *prefix) {
    return strncmp(name->text, prefix, strlen(prefix)) == 0;
}

/* ---- Results of functions of the file ---- */

typedef struct result_search {
    gm_function *function;
    gm_value value;
    bool yields;
} result_search;

static bool join_return(const gm_node *node, const gm_node *parent, void *context) {
    result_search *search = context;
    if (parent != NULL && gm_is_definition(node)) {
        return false;
    }
    search->yields = search->yields || node->kind == GM_KIND_Yield || node->kind == GM_KIND_YieldFrom;
    if (node->kind == GM_KIND_Return) {
        const gm_node *value = gm_as_Return(node)->value;
        search->value = gm_value_join(search->value, value == NULL ? gm_value_python(GM_FORM_NONE, "nothing is returned", node)
                                                                   : gm_evaluate(search->function, value));
    }
    return true;
}

static const gm_node *returns_of(const gm_node *definition) {
    return definition->kind == GM_KIND_FunctionDef ? gm_as_FunctionDef(definition)->returns : gm_as_AsyncFunctionDef(definition)->returns;
}

/* Whether control can come to the end of the body. */
static bool falls_off(const gm_cfg *cfg) {
    const gm_block *end = &cfg->blocks.items[GM_CFG_RETURN];
    for (uint32_t i = 0; i < end->predecessor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->predecessors[end->first_predecessor + i]];
        if (edge->kind != GM_EDGE_RETURN && cfg->blocks.items[edge->from].order >= 0) {
            return true;
        }
    }
    return false;
}

static gm_value computed_result(gm_flow *flow, const gm_node *definition) {
    gm_function *function = gm_flow_function(flow, definition);
    struct gm_environments *environments = gm_values_environments(function);
    if (environments->has_result || !environments->known) {
        gm_values_shared_of(flow)->put_off += !environments->has_result;
        return environments->has_result ? environments->result : gm_value_unknown(definition);
    }
    result_search search = {function, gm_value_no_path(), false};
    gm_walk(flow->arena, definition, join_return, &search);
    if (falls_off(function->cfg)) {
        search.value = gm_value_join(search.value, gm_value_python(GM_FORM_NONE, "nothing is returned", definition));
    }
    bool unknown = search.yields || search.value.class_ == GM_VALUE_NO_PATH;
    gm_value value = unknown ? gm_value_unknown(definition) : search.value;
    value.traits &= (uint16_t)~(GM_VALUE_LEAF_INPUT | GM_VALUE_FRESH | GM_VALUE_CONSTANT);
    environments->result = value;
    environments->has_result = true;
    return value;
}

/* A decorator may make anything of a function; these do not. */
static bool is_plain(gm_flow *flow, const gm_node *definition) {
    const gm_list *decorators = gm_def_decorators(definition);
    for (uint32_t i = 0; i < decorators->count; i++) {
        const gm_node *decorator = decorators->items[i];
        const gm_name *name = gm_flow_qualified(flow, decorator->kind == GM_KIND_Call ? gm_as_Call(decorator)->func : decorator);
        if (name == NULL || !gm_torch_names_have(GM_TORCH_NAMES_PLAIN_DECORATORS, name->text)) {
            return false;
        }
    }
    return true;
}

gm_value gm_value_of_result(gm_flow *flow, const gm_node *definition) {
    struct gm_values_shared *shared = gm_values_shared_of(flow);
    if (definition->kind == GM_KIND_AsyncFunctionDef || !is_plain(flow, definition)) {
        return gm_value_unknown(definition);
    }
    if (returns_of(definition) != NULL) {
        gm_value value = gm_value_of_annotation(flow, returns_of(definition));
        if (gm_value_has_tensor(value)) {
            value.reason = gm_value_text(flow, "the result of `%s`", gm_def_name(definition)->text);
        }
        if (value.class_ != GM_VALUE_UNKNOWN) {
            return value;
        }
    }
    if (shared->results >= RESULT_DEPTH) {
        shared->put_off++;
        return gm_value_unknown(definition);
    }
    uint32_t depth = shared->depth;
    shared->results++;
    shared->depth = 0;
    gm_value value = computed_result(flow, definition);
    shared->depth = depth;
    shared->results--;
    return value;
}

/* ---- Modules ---- */

static gm_value call_class_instance(gm_function *function, const gm_node *class_def) {
    const gm_name *forward = gm_names_find(function->flow->tree->names, "forward", 7);
    const gm_node *method = forward == NULL ? NULL : gm_class_method(function->flow, class_def, forward);
    return method == NULL ? gm_value_unknown(class_def) : gm_value_of_result(function->flow, method);
}

/* The class of the file called so, or NULL. */
static const gm_node *class_called(gm_flow *flow, const gm_name *name) {
    const gm_symbol *symbol = gm_scope_find(flow->scopes->module, name);
    const gm_node *binder = symbol != NULL && symbol->binders.count == 1 ? symbol->binders.items[0] : NULL;
    return binder != NULL && binder->kind == GM_KIND_ClassDef ? binder : NULL;
}

/* A call of an instance of a class of torch.nn or of this file. */
static gm_value call_instance(gm_function *function, const gm_name *type, const gm_node *call) {
    if (type == NULL) {
        return gm_value_unknown(call);
    }
    if (starts_with(type, "torch.nn.")) {
        return gm_value_of_layer(function, type, call);
    }
    const gm_node *class_def = class_called(function->flow, type);
    return class_def == NULL ? gm_value_unknown(call) : call_class_instance(function, class_def);
}

/* A call of `self.NAME`: a method, or what an attribute holds; whether one is known. */
static bool call_on_self(gm_function *function, const gm_node *class_def, const gm_node *call, gm_value *value) {
    const gm_name *name = gm_as_Attribute(gm_as_Call(call)->func)->attr;
    const gm_node *method = gm_class_method(function->flow, class_def, name);
    if (method != NULL) {
        *value = gm_value_of_result(function->flow, method);
        return true;
    }
    const gm_attribute *attribute = gm_class_attribute_of(function->flow, class_def, name);
    if (attribute == NULL) {
        return false;
    }
    *value = call_instance(function, attribute->type, call);
    return true;
}

/* ---- Methods ---- */

static gm_value method_of_python(gm_function *function, gm_value receiver, const gm_node *node) {
    static const char *const tests[] = {"startswith", "endswith", "isdigit", "isalpha", "isnumeric", "is_integer", NULL};
    static const char *const counts[] = {"count", "index", "find", "rfind", "numel", "bit_length", NULL};
    const gm_name *name = gm_as_Attribute(gm_as_Call(node)->func)->attr;
    (void)function;
    gm_value value = gm_value_unknown(node);
    if (gm_text_in(name->text, tests)) {
        value = gm_value_python(GM_FORM_BOOL, "a bool", node);
    } else if (gm_text_in(name->text, counts)) {
        value = gm_value_python(GM_FORM_INT, "a count", node);
    } else if (receiver.form == GM_FORM_STRING || receiver.form == GM_FORM_BYTES) {
        value = gm_value_python(GM_FORM_ANY, "a method of a string", node);
    } else if (receiver.form == GM_FORM_LOGGER) {
        static const char *const questions[] = {"getChild", "isEnabledFor", "getEffectiveLevel", "hasHandlers", "makeRecord", "findCaller",
                                                NULL};
        bool asked = gm_text_in(name->text, questions);
        value = gm_name_is(name, "getChild") ? gm_value_python(GM_FORM_LOGGER, "a logger", node)
                                             : gm_value_python(asked ? GM_FORM_ANY : GM_FORM_NONE, "a method of a logger", node);
    } else if (receiver.form == GM_FORM_ARRAY || gm_value_is_number(receiver)) {
        value = gm_value_python(receiver.form == GM_FORM_ARRAY ? GM_FORM_ARRAY : GM_FORM_ANY, receiver.reason, node);
    }
    value.traits = value.class_ == GM_VALUE_NOT ? gm_value_origin(receiver) : 0;
    return value;
}

/* A method of an object that nothing is known of. */
static gm_value method_of_unknown(gm_function *function, const gm_torch_op *op, const gm_node *node) {
    if (op == NULL || (op->flags & GM_TORCH_PROPERTY) != 0) {
        return gm_value_unknown(node);
    }
    if (gm_torch_is_telling(function, op, true)) {
        gm_value receiver = gm_value_make(GM_VALUE_MAYBE, GM_FORM_ANY, gm_value_text(function->flow, "`%s` is called on it", op->name),
                                          node);
        receiver.traits = GM_VALUE_BY_USE;
        return gm_evaluate_torch_op(function, op, node, &receiver);
    }
    bool python = op->result == GM_TORCH_BOOL || op->result == GM_TORCH_INT || op->result == GM_TORCH_SIZE || op->result == GM_TORCH_SCALAR;
    gm_value value = gm_value_unknown(node);
    if (python && (op->flags & GM_TORCH_DATA) == 0) {
        value = gm_value_python(GM_FORM_ANY, "a property of an object", node);
    } else if (python) {
        value.traits = GM_VALUE_MAYBE_DATA;
        value.reason = gm_value_text(function->flow, "`%s` of what may be a tensor", op->name);
    }
    return value;
}

static gm_value call_method(gm_function *function, const gm_node *node) {
    const gm_Attribute *callee = gm_as_Attribute(gm_as_Call(node)->func);
    const gm_node *class_def = gm_class_of_self(function, callee->value);
    gm_value value = gm_value_unknown(node);
    if (class_def != NULL && call_on_self(function, class_def, node, &value)) {
        return value;
    }
    gm_value receiver = gm_evaluate(function, callee->value);
    if (receiver.class_ == GM_VALUE_NO_PATH) {
        return receiver;
    }
    receiver = gm_value_used(receiver);
    const gm_torch_op *op = gm_torch_find(function->flow->facts, GM_TORCH_METHOD, callee->attr->text);
    if (gm_value_has_tensor(receiver)) {
        return op == NULL ? gm_value_unknown(node) : gm_evaluate_torch_op(function, op, node, &receiver);
    }
    if (receiver.class_ == GM_VALUE_NOT && !gm_value_is_closed(receiver)) {
        return method_of_python(function, receiver, node);
    }
    bool setting = gm_is_setting(callee->value);
    return setting || receiver.class_ == GM_VALUE_NOT ? gm_value_unknown(node) : method_of_unknown(function, op, node);
}

/* ---- Functions of other packages ---- */

/* Functions that give back what they are given, in another arrangement. */
static const char *const arrangements[] = {
    "einops.rearrange", "einops.reduce", "einops.repeat", "copy.copy", "copy.deepcopy", "typing.cast", NULL};

static gm_value call_arrangement(gm_function *function, const gm_name *name, const gm_node *node) {
    bool cast = strcmp(name->text, "typing.cast") == 0;
    const gm_node *argument = gm_call_argument(gm_as_Call(node), cast ? 1 : 0);
    gm_value value = argument == NULL ? gm_value_unknown(node) : gm_evaluate(function, argument);
    if (!cast && gm_value_has_tensor(value)) {
        value.traits &= GM_VALUE_BY_USE | GM_VALUE_BY_ANNOTATION | GM_VALUE_OPTIONAL;
    }
    return starts_with(name, "einops.") && gm_value_is(value, GM_FORM_TENSORS) ? gm_value_item(value, node) : value;
}

static gm_value call_math(gm_function *function, const gm_node *node) {
    gm_value value = gm_value_python(GM_FORM_NUMBER, "a number", node);
    for (uint32_t i = 0; i < gm_as_Call(node)->args.count; i++) {
        gm_value argument = gm_evaluate(function, gm_as_Call(node)->args.items[i]);
        value.traits = gm_value_origins(value.traits, gm_value_origin(argument));
        value.reason = gm_value_origin(argument) != 0 ? argument.reason : value.reason;
    }
    return value;
}

/* Readings of the clock: numbers, of which it is not known here how the tracer sees them. */
static const char *const clocks[] = {"time.time", "time.perf_counter", "time.monotonic", "time.process_time", "time.thread_time", NULL};
static const char *const whole_clocks[] = {"time.time_ns",         "time.perf_counter_ns", "time.monotonic_ns",
                                           "time.process_time_ns", "time.thread_time_ns",  NULL};

static gm_value call_clock(const gm_name *name, const gm_node *node) {
    gm_value value = gm_value_python(gm_text_in(name->text, clocks) ? GM_FORM_FLOAT : GM_FORM_INT, "a reading of the clock", node);
    value.traits = GM_VALUE_UNSURE_DATA;
    return value;
}

static bool is_logger_maker(const gm_name *name) {
    static const char *const makers[] = {"logging.getLogger", "logging.LoggerAdapter", "logging.Logger", NULL};
    return gm_text_in(name->text, makers) || gm_text_ends_with(name->text, ".get_logger") || gm_text_ends_with(name->text, ".getLogger");
}

static gm_value call_qualified(gm_function *function, const gm_name *name, const gm_node *node) {
    if (starts_with(name, "builtins.")) {
        return gm_evaluate_builtin(function, name->text + strlen("builtins."), node);
    }
    if (starts_with(name, "torch.")) {
        const gm_torch_op *op = gm_torch_find_qualified(function->flow->facts, name->text);
        return op != NULL && op->result != GM_TORCH_UNKNOWN ? gm_evaluate_torch_op(function, op, node, NULL)
                                                            : gm_evaluate_torch_call(function, name, node);
    }
    if (is_logger_maker(name)) {
        return gm_value_python(GM_FORM_LOGGER, "a logger", node);
    }
    if (gm_text_in(name->text, arrangements)) {
        return call_arrangement(function, name, node);
    }
    if (gm_text_in(name->text, clocks) || gm_text_in(name->text, whole_clocks)) {
        return call_clock(name, node);
    }
    if (starts_with(name, "math.") && strchr(name->text + strlen("math."), '.') == NULL) {
        return call_math(function, node);
    }
    return starts_with(name, "numpy.") ? gm_value_python(GM_FORM_ARRAY, "made by numpy", node) : gm_value_unknown(node);
}

/* A def or class of the file that is called by name. */
static gm_value call_definition(gm_function *function, const gm_node *definition, const gm_node *node) {
    if (definition->kind != GM_KIND_ClassDef) {
        return gm_value_of_result(function->flow, definition);
    }
    if (gm_class_is_logger(function->flow, definition)) {
        return gm_value_python(GM_FORM_LOGGER, "a logger", node);
    }
    bool module = gm_class_is_module(function->flow, definition);
    gm_value value = module ? gm_value_python(GM_FORM_MODULE, "a module", node) : gm_value_unknown(node);
    value.traits = !module || gm_class_has_operators(function->flow, definition) ? GM_VALUE_OWN_OPERATORS : 0;
    return value;
}

/* `layer(x)` in a loop over `self.layers`, `self.layers[i](x)`. */
static gm_value call_item(gm_function *function, const gm_node *callee, const gm_node *node) {
    const gm_node *items = gm_attribute_of_item(function, callee);
    if (items == NULL) {
        gm_evaluate(function, callee);
        return gm_value_unknown(node);
    }
    const gm_node *class_def = gm_class_of_self(function, gm_as_Attribute(items)->value);
    const gm_attribute *attribute = gm_class_attribute_of(function->flow, class_def, gm_as_Attribute(items)->attr);
    return call_instance(function, attribute == NULL ? NULL : attribute->item_type, node);
}

gm_value gm_evaluate_call(gm_function *function, const gm_node *node) {
    const gm_node *callee = gm_as_Call(node)->func;
    const gm_name *name = gm_flow_qualified(function->flow, callee);
    if (name != NULL && strncmp(name->text, "torch.Tensor.", 13) != 0) {
        gm_value value = call_qualified(function, name, node);
        if (value.class_ != GM_VALUE_UNKNOWN || value.traits != 0 || starts_with(name, "torch.")) {
            return value;
        }
    }
    if (callee->kind == GM_KIND_Attribute) {
        return call_method(function, node);
    }
    const gm_node *definition = callee->kind == GM_KIND_Name ? gm_flow_definition_of(function->flow, callee) : NULL;
    if (definition != NULL) {
        return call_definition(function, definition, node);
    }
    return call_item(function, callee, node);
}

/* ---- Questions ---- */

const gm_torch_op *gm_called_torch_op(gm_function *function, const gm_node *call, bool *method) {
    const gm_node *callee = gm_as_Call(call)->func;
    const gm_name *name = gm_flow_qualified(function->flow, callee);
    if (method != NULL) {
        *method = false;
    }
    if (name != NULL && starts_with(name, "torch.")) {
        return gm_torch_find_qualified(function->flow->facts, name->text);
    }
    const gm_torch_op *op = callee->kind == GM_KIND_Attribute
                                ? gm_torch_find(function->flow->facts, GM_TORCH_METHOD, gm_as_Attribute(callee)->attr->text)
                                : NULL;
    if (op == NULL || name != NULL || !gm_value_has_tensor(gm_evaluate(function, gm_as_Attribute(callee)->value))) {
        return NULL;
    }
    if (method != NULL) {
        *method = true;
    }
    return op;
}

bool gm_is_logger(gm_function *function, const gm_node *expression) {
    const gm_name *name = gm_flow_qualified(function->flow, expression);
    if (name != NULL && strcmp(name->text, "loguru.logger") == 0) {
        return true;
    }
    return gm_value_is(gm_evaluate(function, expression), GM_FORM_LOGGER);
}
