#include <string.h>

#include "analysis/blocks.h"
#include "analysis/effects_private.h"
#include "analysis/outside_calls.h"
#include "analysis/reach.h"
#include "flow/torch_facts.h"

static const gm_refusal none = {NULL, NULL};

/* ---- Captured variables ---- */

static bool captures(const gm_scope *scope, const gm_name *name) {
    const gm_symbol *symbol = gm_scope_find(scope, name);
    if (symbol != NULL && symbol->binding == GM_BINDING_FREE && !gm_is_comprehension(scope->node)) {
        return true;
    }
    if (symbol != NULL && gm_symbol_is_local(symbol) && scope->kind != GM_SCOPE_CLASS) {
        return false; /* another variable from here on inwards */
    }
    for (uint32_t i = 0; i < scope->children.count; i++) {
        if (captures(scope->children.items[i], name)) {
            return true;
        }
    }
    return false;
}

bool gm_effects_is_captured(const gm_symbol *symbol) {
    for (uint32_t i = 0; i < symbol->scope->children.count; i++) {
        if (captures(symbol->scope->children.items[i], symbol->name)) {
            return true;
        }
    }
    return false;
}

/* ---- Calls ---- */

/* Builtins that read their arguments and nothing else. */
static const char *const pure_builtins[] = {
    "abs",        "all",       "any",   "ascii",  "bin",       "bool",    "bytes",   "callable", "chr",   "complex", "dict",
    "divmod",     "enumerate", "float", "format", "frozenset", "getattr", "hasattr", "hash",     "hex",   "int",     "isinstance",
    "issubclass", "len",       "list",  "max",    "min",       "oct",     "ord",     "pow",      "range", "repr",    "reversed",
    "round",      "set",       "slice", "sorted", "str",       "sum",     "tuple",   "type",     "zip",   "id",      NULL};

/* Functions of the standard library that make texts. */
static const char *const pure_functions[] = {"json.dumps",      "os.path.basename", "os.path.dirname",
                                             "os.path.join",    "pprint.pformat",   "textwrap.dedent",
                                             "textwrap.indent", "textwrap.shorten", NULL};

/* Methods of strings, dictionaries and sequences that change nothing. */
static const char *const pure_methods[] = {
    "capitalize", "casefold",  "center",       "count",        "endswith", "find",   "format",     "get",
    "index",      "isalpha",   "isdigit",      "items",        "join",     "keys",   "ljust",      "lower",
    "lstrip",     "partition", "removeprefix", "removesuffix", "replace",  "rjust",  "rpartition", "rsplit",
    "rstrip",     "split",     "splitlines",   "startswith",   "strip",    "title",  "upper",      "values",
    "zfill",      "as_tuple",  "bit_length",   "is_integer",   "hex",      "decode", "encode",     NULL};

/* Methods of tensors whose name a list, set, deque or dictionary also has, where it mutates. */
static const char *const two_faced_methods[] = {"add", "sort", NULL};

/* Views that fail, or are others, where a tensor lies otherwise in memory. */
static const char *const layout_views[] = {"as_strided", "contiguous", "view", "view_as", "view_as_complex", "view_as_real", NULL};

/* What tells more of a tensor than its values, or asks for a mode of torch. A sink may be handed a copy, which lies in memory without gaps,
 * overlaps and lazy conjugation, and it runs when the modes of the place have ended. */
static bool asks_of_form(const gm_torch_op *op) {
    bool values = op->result == GM_TORCH_TENSOR || op->result == GM_TORCH_TENSORS || (op->flags & GM_TORCH_DATA) != 0;
    return !values || gm_text_in(op->name, layout_views);
}

static bool forbids_data(gm_effects_mode mode) {
    return mode == GM_EFFECTS_SIDE || mode == GM_EFFECTS_TAIL;
}

/* What a side stores into a tensor is stored into a copy while tracing; that cannot be done for a tensor's size or place in memory. */
static gm_refusal of_torch_op(const gm_torch_op *op, const gm_node *call, gm_effects_mode mode) {
    bool stores = (op->flags & GM_TORCH_MUTATES) != 0 && !forbids_data(mode);
    if (stores || (op->flags & GM_TORCH_INPLACE_VIEW) != 0) {
        return gm_effects_refuse("its code changes a tensor in place", call);
    }
    if ((op->flags & GM_TORCH_RANDOM) != 0 && op->space != GM_TORCH_NN) {
        return gm_effects_refuse("its code draws random numbers", call);
    }
    if ((op->flags & GM_TORCH_DATA) != 0 && forbids_data(mode)) {
        return gm_effects_refuse("its code reads the value of a tensor", call);
    }
    if (mode == GM_EFFECTS_SINK && asks_of_form(op)) {
        return gm_effects_refuse("its code asks for more than the values of a tensor", call);
    }
    return none;
}

static bool has_keyword(const gm_Call *call, const char *name) {
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        if (gm_name_is(gm_as_keyword(call->keywords.items[i])->arg, name)) {
            return true;
        }
    }
    return false;
}

static bool has_prefix(const gm_name *name, const char *prefix) {
    return strncmp(name->text, prefix, strlen(prefix)) == 0;
}

/* bool(t), int(t), float(t) read a tensor; everywhere but in a sink that is a graph break of its own. */
static bool reads_data(gm_function *function, const gm_Call *call, const char *builtin) {
    if (call->args.count != 1 || (strcmp(builtin, "bool") != 0 && strcmp(builtin, "int") != 0 && strcmp(builtin, "float") != 0)) {
        return false;
    }
    return gm_value_of(function, call->args.items[0]).class_ == GM_VALUE_TENSOR;
}

/* `map(str, values)`: a builtin calls its first argument, which may be one that reads its arguments and nothing else. */
static bool calls_pure_builtin(gm_function *function, const gm_Call *call, const char *builtin) {
    if ((strcmp(builtin, "map") != 0 && strcmp(builtin, "filter") != 0) || call->args.count < 2) {
        return false;
    }
    const gm_name *first = gm_flow_qualified(function->flow, call->args.items[0]);
    return first != NULL && has_prefix(first, "builtins.") && gm_text_in(first->text + strlen("builtins."), pure_builtins);
}

static gm_refusal of_qualified(gm_function *function, const gm_name *name, const gm_Call *call, gm_effects_mode mode) {
    if (has_prefix(name, "builtins.")) {
        const char *builtin = name->text + strlen("builtins.");
        if (forbids_data(mode) && reads_data(function, call, builtin)) {
            return gm_effects_refuse("its code reads the value of a tensor", &call->base);
        }
        if (mode == GM_EFFECTS_SINK && (strcmp(builtin, "id") == 0 || strcmp(builtin, "hash") == 0)) {
            return gm_effects_refuse("its code asks which object something is", &call->base);
        }
        bool pure = gm_text_in(builtin, pure_builtins) || calls_pure_builtin(function, call, builtin);
        return pure ? none : gm_effects_refuse("its code calls a function with effects", &call->base);
    }
    if (has_prefix(name, "math.") || gm_text_in(name->text, pure_functions)) {
        return none;
    }
    if (mode != GM_EFFECTS_SINK && (has_prefix(name, "torch.nn.") || has_prefix(name, "torch.finfo") || has_prefix(name, "torch.iinfo") ||
                                    has_prefix(name, "torch.is_"))) {
        const gm_torch_op *op = gm_torch_find_qualified(function->flow->facts, name->text);
        return op != NULL ? of_torch_op(op, &call->base, mode) : none;
    }
    if (mode == GM_EFFECTS_SINK && (gm_outside_is_clock(name->text) || has_prefix(name, "statistics."))) {
        return none; /* of a list that grows, the functions of `statistics` tell when the effect happens */
    }
    const gm_torch_op *op = gm_torch_find_qualified(function->flow->facts, name->text);
    if (op != NULL) {
        bool out = (op->flags & GM_TORCH_HAS_OUT) != 0 && has_keyword(call, "out");
        return out ? gm_effects_refuse("its code changes a tensor in place", &call->base) : of_torch_op(op, &call->base, mode);
    }
    if (has_prefix(name, "torch.finfo") || has_prefix(name, "torch.iinfo")) {
        return none;
    }
    return gm_effects_refuse("its code calls a function whose effects are not known", &call->base);
}

static bool is_module_value(gm_function *function, const gm_node *callee) {
    gm_value value = gm_value_of(function, callee);
    return value.form == GM_FORM_MODULE || value.form == GM_FORM_MODULES;
}

/* `self.NAME(...)` where the class is a module and NAME no method of the file: a submodule, which the tracer sees through. */
static bool is_submodule(gm_function *function, const gm_Attribute *callee) {
    const gm_class *class_ = gm_class_around(function);
    return class_ != NULL && class_->is_module && callee->value->kind == GM_KIND_Name &&
           gm_name_is(gm_as_Name(callee->value)->id, "self") && gm_class_attribute(class_, callee->attr) != NULL;
}

static gm_refusal of_method(gm_function *function, const gm_Call *call, gm_effects_mode mode) {
    const gm_Attribute *callee = gm_as_Attribute(call->func);
    if (mode != GM_EFFECTS_SINK && (is_module_value(function, call->func) || is_submodule(function, callee))) {
        return none;
    }
    gm_value receiver = gm_value_of(function, callee->value);
    const gm_torch_op *op = gm_torch_find(function->flow->facts, GM_TORCH_METHOD, callee->attr->text);
    bool tensor = receiver.class_ == GM_VALUE_TENSOR || receiver.class_ == GM_VALUE_MAYBE;
    if (op != NULL && (tensor || (receiver.class_ == GM_VALUE_UNKNOWN && !gm_text_in(op->name, two_faced_methods)))) {
        return of_torch_op(op, &call->base, mode);
    }
    if (gm_text_in(callee->attr->text, pure_methods)) {
        return none;
    }
    return gm_effects_refuse("its code calls a method whose effects are not known", &call->base);
}

static gm_refusal of_callee(gm_analysis *analysis, gm_function *function, const gm_Call *call, gm_effects_mode mode) {
    const gm_node *definition = mode == GM_EFFECTS_SINK ? NULL : gm_reach_callee(analysis, function, &call->base);
    if (definition != NULL) {
        const char *reason = gm_effects_of_callee(analysis, definition);
        return reason == NULL ? none : gm_effects_refuse(reason, &call->base);
    }
    const gm_name *name = gm_flow_qualified(analysis->flow, call->func);
    if (name != NULL) {
        return of_qualified(function, name, call, mode);
    }
    if (call->func->kind == GM_KIND_Attribute) {
        return of_method(function, call, mode);
    }
    if (mode != GM_EFFECTS_SINK && is_module_value(function, call->func)) {
        return none;
    }
    return gm_effects_refuse("its code calls a function whose effects are not known", &call->base);
}

/* ---- Expressions ---- */

typedef struct gm_expression_question {
    gm_analysis *analysis;
    gm_function *function;
    gm_effects_mode mode;
    gm_refusal refusal;
} question;

/* The function of a property of the class around that an attribute of `self` reads, or NULL. */
static const gm_node *property_of(gm_function *function, const gm_Attribute *attribute) {
    const gm_class *class_ = gm_class_around(function);
    if (class_ == NULL || attribute->value->kind != GM_KIND_Name || !gm_name_is(gm_as_Name(attribute->value)->id, "self")) {
        return NULL;
    }
    const gm_list *body = &gm_as_ClassDef(class_->node)->body;
    for (uint32_t i = 0; i < body->count; i++) {
        const gm_node *member = body->items[i];
        if (member->kind == GM_KIND_FunctionDef && gm_as_FunctionDef(member)->name == attribute->attr &&
            gm_as_FunctionDef(member)->decorator_list.count > 0) {
            return member;
        }
    }
    return NULL;
}

static gm_refusal of_attribute(const question *asked, const gm_Attribute *attribute) {
    const gm_node *property = property_of(asked->function, attribute);
    if (property != NULL) {
        const char *reason = gm_effects_of_callee(asked->analysis, property);
        return reason == NULL ? none : gm_effects_refuse(reason, &attribute->base);
    }
    return none;
}

/* A name that nothing binds would raise in the side that Python never enters. */
static gm_refusal of_name(const question *asked, const gm_node *name) {
    const gm_scopes *scopes = asked->analysis->flow->scopes;
    const gm_symbol *symbol = gm_scopes_symbol(scopes, name);
    if (symbol == NULL) {
        return none;
    }
    bool global = symbol->binding == GM_BINDING_GLOBAL_EXPLICIT || symbol->binding == GM_BINDING_GLOBAL_IMPLICIT;
    if (global && gm_symbol_owner(scopes, symbol) == NULL && gm_flow_qualified(asked->analysis->flow, name) == NULL) {
        return gm_effects_refuse("its code reads a name that nothing in the file binds", name);
    }
    return none;
}

/* What runs where it stands may do anything but what the code around it would notice. */
static gm_refusal of_node_in_place(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_NamedExpr: return gm_effects_refuse("the call assigns a variable", node);
    case GM_KIND_Await:
    case GM_KIND_Yield:
    case GM_KIND_YieldFrom: return gm_effects_refuse("its code awaits or yields", node);
    case GM_KIND_TemplateStr:
    case GM_KIND_ErrorExpr: return gm_effects_refuse("its code holds an expression that is not understood", node);
    default: return none;
    }
}

static gm_refusal of_node(const question *asked, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_Name: return of_name(asked, node);
    case GM_KIND_Attribute: return of_attribute(asked, gm_as_Attribute(node));
    case GM_KIND_Call: return of_callee(asked->analysis, asked->function, gm_as_Call(node), asked->mode);
    case GM_KIND_Lambda: return gm_effects_refuse("its code makes a function", node);
    case GM_KIND_NamedExpr: return asked->mode == GM_EFFECTS_SINK ? of_node_in_place(node) : none;
    default: return of_node_in_place(node);
    }
}

/* A method of an object may do anything, and depend on anything, whatever tensors and texts do under its name. */
static bool is_of_object(gm_function *function, const gm_node *callee) {
    if (callee->kind != GM_KIND_Attribute) {
        return false;
    }
    const gm_node *receiver = gm_as_Attribute(callee)->value;
    gm_value value = gm_value_of(function, receiver);
    return (receiver->kind == GM_KIND_Name && gm_name_is(gm_as_Name(receiver)->id, "self")) || value.form == GM_FORM_MODULE ||
           value.form == GM_FORM_MODULES || value.form == GM_FORM_OBJECT;
}

bool gm_effects_in_place(gm_analysis *analysis, gm_function *function, const gm_node *call) {
    return is_of_object(function, gm_as_Call(call)->func) ||
           of_callee(analysis, function, gm_as_Call(call), GM_EFFECTS_SINK).reason != NULL;
}

static bool visit_in_place(const gm_node *node, void *context) {
    gm_refusal *refusal = context;
    *refusal = of_node_in_place(node);
    return refusal->reason == NULL && gm_node_children(node, visit_in_place, refusal);
}

static bool visit_effect(const gm_node *node, void *context) {
    question *asked = context;
    if (asked->mode == GM_EFFECTS_SINK && node->kind == GM_KIND_Call && gm_effects_in_place(asked->analysis, asked->function, node)) {
        return gm_node_children(node, visit_in_place, &asked->refusal);
    }
    gm_refusal refusal = of_node(asked, node);
    if (refusal.reason != NULL) {
        asked->refusal = refusal;
        return false;
    }
    return gm_node_children(node, visit_effect, context);
}

gm_refusal gm_effects_of(gm_analysis *analysis, gm_function *function, const gm_node *expression, gm_effects_mode mode) {
    question asked = {analysis, function, mode, {NULL, NULL}};
    gm_work_below(analysis->arena, expression);
    visit_effect(expression, &asked);
    return asked.refusal;
}
