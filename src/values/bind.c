/* Values that bindings give to their variables. */
#include <string.h>

#include "base/search.h"
#include "values/values_private.h"

/* ---- Parameters ---- */

static const gm_arguments *arguments_of(const gm_node *function) {
    switch ((gm_kind)function->kind) {
    case GM_KIND_FunctionDef: return gm_as_arguments(gm_as_FunctionDef(function)->args);
    case GM_KIND_AsyncFunctionDef: return gm_as_arguments(gm_as_AsyncFunctionDef(function)->args);
    case GM_KIND_Lambda: return gm_as_arguments(gm_as_Lambda(function)->args);
    default: return NULL;
    }
}

/* Where a parameter stands in a list of them, which is in order of position; the length of the list when it is in another one. */
static uint32_t index_of(const gm_list *parameters, const gm_node *parameter) {
    uint32_t low = 0;
    for (uint32_t high = parameters->count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (parameters->items[middle]->start < parameter->start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < parameters->count && parameters->items[low] == parameter ? low : parameters->count;
}

/* The default of a parameter, or NULL. */
static const gm_node *default_of(const gm_arguments *arguments, const gm_node *parameter) {
    uint32_t keyword = index_of(&arguments->kwonlyargs, parameter);
    if (keyword < arguments->kwonlyargs.count) {
        return keyword < arguments->kw_defaults.count ? arguments->kw_defaults.items[keyword] : NULL;
    }
    uint32_t at = index_of(&arguments->posonlyargs, parameter);
    at += at < arguments->posonlyargs.count ? 0 : index_of(&arguments->args, parameter);
    uint32_t positional = arguments->posonlyargs.count + arguments->args.count;
    bool has = positional - at <= arguments->defaults.count;
    return has ? arguments->defaults.items[arguments->defaults.count - (positional - at)] : NULL;
}

/* What a default tells of a parameter without annotation: flags and strings stay what they are. */
static gm_value of_default(const gm_node *value, const gm_node *parameter) {
    if (value->kind != GM_KIND_Constant) {
        return gm_value_unknown(parameter);
    }
    switch ((gm_literal)gm_as_Constant(value)->value.literal) {
    case GM_LITERAL_True:
    case GM_LITERAL_False: return gm_value_python(GM_FORM_BOOL, "its default", parameter);
    case GM_LITERAL_str: return gm_value_python(GM_FORM_ANY, "its default", parameter); /* `device="cpu"` takes a torch.device as well */
    default: return gm_value_unknown(parameter);
    }
}

static bool is_none(const gm_node *node) {
    return node != NULL && node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == GM_LITERAL_None;
}

/* Whether nothing but the length and single items of a parameter are asked: a size, whatever its annotation says. */
static bool is_used_as_size(gm_function *function, const gm_node *node) {
    const gm_name *length = gm_names_find(function->flow->tree->names, "len", 3);
    if (length == NULL || gm_scope_find(function->scope, length) == NULL) {
        return false; /* before the uses are looked for, which few functions need */
    }
    const gm_symbol *symbol = gm_scope_find(function->scope, gm_as_arg(node)->arg);
    const gm_value_usage *usage = symbol == NULL || symbol->binding == GM_BINDING_CELL ? NULL : gm_values_usage(function, symbol);
    return usage != NULL && usage->measured && !usage->opened;
}

static gm_value of_annotated_parameter(gm_function *function, const gm_node *node, const gm_node *fallback) {
    gm_value value = gm_value_of_annotation(function->flow, gm_as_arg(node)->annotation);
    gm_value given = fallback == NULL ? gm_value_unknown(node) : of_default(fallback, node);
    if (gm_value_has_tensor(value) && is_used_as_size(function, node)) {
        return gm_value_unknown(node);
    }
    if (gm_value_has_tensor(value) && given.class_ == GM_VALUE_NOT) {
        return gm_value_unknown(node); /* the default belies the annotation: a flag, or a tensor in its place */
    }
    if (gm_value_has_tensor(value)) {
        value.reason = gm_value_text(function->flow, "`%s` is annotated as a tensor", gm_as_arg(node)->arg->text);
        value.evidence = node;
    }
    return is_none(fallback) ? gm_value_join(value, gm_value_python(GM_FORM_NONE, "its default", node)) : value;
}

static gm_value of_self(gm_function *function, const gm_node *node) {
    const gm_node *class_def = gm_class_definition_around(function);
    bool module = class_def != NULL && gm_class_is_module(function->flow, class_def);
    gm_value value = module ? gm_value_python(GM_FORM_MODULE, "the module", node)
                            : gm_value_python(GM_FORM_ANY, "the object of the method", node);
    value.traits = !module || gm_class_has_operators(function->flow, class_def) ? GM_VALUE_OWN_OPERATORS : 0;
    return value;
}

static bool is_first(const gm_arguments *arguments, const gm_node *node) {
    return arguments->posonlyargs.count > 0 ? arguments->posonlyargs.items[0] == node
                                            : arguments->args.count > 0 && arguments->args.items[0] == node;
}

static gm_value of_parameter(gm_function *function, const gm_node *node) {
    const gm_arguments *arguments = arguments_of(function->node);
    if (arguments == NULL) {
        return gm_value_unknown(node);
    }
    if (arguments->vararg == node || arguments->kwarg == node) {
        return gm_value_python(arguments->vararg == node ? GM_FORM_TUPLE : GM_FORM_DICT, "further arguments", node);
    }
    if (is_first(arguments, node) && gm_name_is(gm_as_arg(node)->arg, "self")) {
        return of_self(function, node);
    }
    if (is_first(arguments, node) && gm_name_is(gm_as_arg(node)->arg, "cls")) {
        return gm_value_python(GM_FORM_ANY, "the class of the method", node); /* a call of it makes an object */
    }
    const gm_node *fallback = default_of(arguments, node);
    gm_value value = gm_value_unknown(node);
    if (gm_as_arg(node)->annotation != NULL) {
        value = of_annotated_parameter(function, node, fallback);
    } else if (fallback != NULL) {
        value = of_default(fallback, node);
    }
    value.traits |= GM_VALUE_LEAF_INPUT;
    return value;
}

/* ---- Iteration ---- */

/* `range(...)`, `enumerate(...)`: whether an expression is a call of a builtin. */
static bool is_builtin_call(gm_function *function, const gm_node *node, const char *name) {
    return node->kind == GM_KIND_Call && gm_flow_names(function->flow, gm_as_Call(node)->func, name);
}

static gm_value of_range(gm_function *function, const gm_node *call) {
    gm_value value = gm_value_python(GM_FORM_INT, "a count", call);
    for (uint32_t i = 0; i < gm_as_Call(call)->args.count; i++) {
        gm_value bound = gm_evaluate(function, gm_as_Call(call)->args.items[i]);
        bool data = gm_value_has_tensor(bound) || (bound.class_ == GM_VALUE_NOT && (bound.traits & GM_VALUE_FROM_DATA) != 0);
        value.traits = gm_value_origins(value.traits, data ? GM_VALUE_FROM_DATA : 0);
    }
    return value;
}

/* The receiver of `x.NAME()`, or NULL. */
static const gm_node *receiver_of(const gm_node *node, const char *name) {
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->func->kind != GM_KIND_Attribute || gm_as_Call(node)->args.count != 0) {
        return NULL;
    }
    const gm_Attribute *callee = gm_as_Attribute(gm_as_Call(node)->func);
    return gm_name_is(callee->attr, name) ? callee->value : NULL;
}

/* `xs` of `xs`, `xs[1:]` and `reversed(xs)`. */
static const gm_node *items_behind(gm_function *function, const gm_node *iterable) {
    if (iterable->kind == GM_KIND_Subscript && gm_as_Subscript(iterable)->slice->kind == GM_KIND_Slice) {
        return gm_as_Subscript(iterable)->value;
    }
    bool reversed = is_builtin_call(function, iterable, "builtins.reversed");
    const gm_node *argument = reversed ? gm_call_argument(gm_as_Call(iterable), 0) : NULL;
    return argument != NULL ? argument : iterable;
}

gm_value gm_evaluate_iteration(gm_function *function, const gm_node *iterable) {
    if (is_builtin_call(function, iterable, "builtins.range")) {
        return of_range(function, iterable);
    }
    if (is_builtin_call(function, iterable, "builtins.enumerate") || is_builtin_call(function, iterable, "builtins.zip")) {
        return gm_value_python(GM_FORM_TUPLE, "a tuple of several iterables", iterable);
    }
    const gm_node *modules = receiver_of(iterable, "values");
    if (modules != NULL && gm_value_is(gm_evaluate(function, modules), GM_FORM_MODULES)) {
        return gm_value_python(GM_FORM_MODULE, "a module of a dict of modules", iterable);
    }
    if (receiver_of(iterable, "parameters") != NULL) {
        gm_value value = gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "a parameter", iterable);
        value.traits = GM_VALUE_PARAMETER;
        return value;
    }
    return gm_value_item(gm_evaluate(function, items_behind(function, iterable)), iterable);
}

/* Part `index` of what an iterable gives, when each item is a tuple: `for i, x in enumerate(xs)`. */
static gm_value of_iterated_part(gm_function *function, const gm_node *iterable, uint32_t index) {
    const gm_node *argument = NULL;
    if (is_builtin_call(function, iterable, "builtins.enumerate")) {
        if (index == 0) {
            return gm_value_python(GM_FORM_INT, "a count", iterable);
        }
        argument = gm_call_argument(gm_as_Call(iterable), 0);
    } else if (is_builtin_call(function, iterable, "builtins.zip")) {
        argument = gm_call_argument(gm_as_Call(iterable), index);
    } else if (receiver_of(iterable, "items") != NULL) {
        gm_value value = gm_evaluate(function, receiver_of(iterable, "items"));
        bool modules = gm_value_is(value, GM_FORM_MODULES) && index == 1;
        return modules ? gm_value_python(GM_FORM_MODULE, "a module of a dict of modules", iterable) : gm_value_unknown(iterable);
    } else if (receiver_of(iterable, "named_parameters") != NULL || receiver_of(iterable, "named_buffers") != NULL) {
        return index == 1 ? gm_value_make(GM_VALUE_TENSOR, GM_FORM_TENSOR, "a parameter", iterable)
                          : gm_value_python(GM_FORM_STRING, "the name of a parameter", iterable);
    } else {
        return gm_value_item(gm_value_item(gm_evaluate(function, iterable), iterable), iterable);
    }
    return argument == NULL ? gm_value_unknown(iterable) : gm_evaluate_iteration(function, argument);
}

/* ---- Targets ---- */

enum { PATH_LIMIT = 8, ITEM_LIMIT = 256 };

/* Where a name stands in the targets of a statement: `(a, (b, c)) = ...` has c at 1, 1. */
typedef struct target_path {
    uint32_t items[PATH_LIMIT]; /* from the name outwards */
    uint32_t count;
    const gm_node *holder; /* the statement or part with the targets */
    bool starred;
    bool lost;
} target_path;

static const gm_list *items_of(const gm_node *node) {
    return node->kind == GM_KIND_Tuple ? &gm_as_Tuple(node)->elts : node->kind == GM_KIND_List ? &gm_as_List(node)->elts : NULL;
}

/* Positions behind a starred item are unknown, and so are those behind the first few hundred: each name looks for its own. */
static bool index_in(const gm_list *items, const gm_node *item, uint32_t *index) {
    for (uint32_t i = 0; i < items->count && i < ITEM_LIMIT; i++) {
        if (items->items[i] == item) {
            *index = i;
            return true;
        }
        if (items->items[i]->kind == GM_KIND_Starred) {
            return false;
        }
    }
    return false;
}

static target_path path_of(gm_flow *flow, const gm_node *name) {
    target_path path = {.count = 0};
    const gm_node *child = name;
    const gm_node *at = gm_flow_parent(flow, name);
    for (; at != NULL && (items_of(at) != NULL || at->kind == GM_KIND_Starred); at = gm_flow_parent(flow, at)) {
        if (at->kind == GM_KIND_Starred) {
            path.starred = true;
        } else if (path.count == PATH_LIMIT || !index_in(items_of(at), child, &path.items[path.count])) {
            path.lost = true;
            path.count = path.count == PATH_LIMIT ? 0 : path.count;
            path.count++;
        } else {
            path.count++;
        }
        child = at;
    }
    path.holder = at;
    return path;
}

/* Go down a path in what an expression gives; a tuple that is written out is entered. */
static gm_value follow(gm_function *function, const gm_node *expression, const target_path *path, uint32_t depth) {
    while (depth > 0) {
        const gm_list *items = items_of(expression);
        uint32_t index = path->items[depth - 1];
        if (items == NULL || index >= items->count) {
            break;
        }
        for (uint32_t i = 0; i <= index; i++) {
            if (items->items[i]->kind == GM_KIND_Starred) {
                return gm_value_unknown(expression);
            }
        }
        expression = items->items[index];
        depth--;
    }
    gm_value value = gm_evaluate(function, expression);
    for (; depth > 0; depth--) {
        value = gm_value_item(value, expression);
    }
    return value;
}

static gm_value of_path(gm_function *function, const gm_node *expression, const target_path *path) {
    if (path->lost) {
        gm_value value = gm_evaluate(function, expression);
        return path->count == 1 && (gm_value_is(value, GM_FORM_TENSORS) || gm_value_is(value, GM_FORM_SIZE)) && !path->starred
                   ? gm_value_item(value, expression)
                   : gm_value_unknown(expression);
    }
    if (path->starred) {
        gm_value value = gm_evaluate(function, expression);
        bool same = gm_value_is(value, GM_FORM_TENSORS) || gm_value_is(value, GM_FORM_SIZE);
        return same ? value : gm_value_python(GM_FORM_LIST, "the rest of a list", expression);
    }
    return follow(function, expression, path, path->count);
}

/* With several targets, as in `a = b = ...`, all hold the same object. */
static gm_value of_assign(gm_function *function, const gm_Assign *assign, const target_path *path) {
    gm_value value = of_path(function, assign->value, path);
    if (assign->targets.count > 1) {
        value.traits &= (uint16_t)~GM_VALUE_FRESH;
    }
    return value;
}

static gm_value of_loop_target(gm_function *function, const gm_node *iterable, const target_path *path) {
    if (path->lost || path->starred || path->count > 2) {
        return gm_value_unknown(iterable);
    }
    if (path->count == 0) {
        return gm_evaluate_iteration(function, iterable);
    }
    gm_value value = of_iterated_part(function, iterable, path->items[path->count - 1]);
    return path->count == 2 ? gm_value_item(value, iterable) : value;
}

static gm_value of_augmented(gm_function *function, const gm_AugAssign *assign) {
    gm_value left = gm_evaluate(function, assign->target);
    return gm_value_augmented(assign->op, left, gm_evaluate(function, assign->value), &assign->base);
}

/* The iterable that a target of a loop gets its items from. */
static const gm_node *iterable_of(gm_function *function, const gm_node *iterable, const target_path *path) {
    if (path->lost || path->starred || path->count > 1) {
        return NULL;
    }
    if (path->count == 0) {
        return items_behind(function, iterable);
    }
    const gm_node *argument = NULL;
    if (is_builtin_call(function, iterable, "builtins.enumerate") && path->items[0] == 1) {
        argument = gm_call_argument(gm_as_Call(iterable), 0);
    } else if (is_builtin_call(function, iterable, "builtins.zip")) {
        argument = gm_call_argument(gm_as_Call(iterable), path->items[0]);
    }
    return argument == NULL ? NULL : items_behind(function, argument);
}

static const gm_node *iterated_by(gm_function *function, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(function->flow->scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(function->flow->scopes, symbol);
    if (owner == NULL || owner->binders.count != 1 || owner->binders.items[0]->kind != GM_KIND_Name) {
        return NULL;
    }
    target_path path = path_of(function->flow, owner->binders.items[0]);
    if (path.holder == NULL || (path.holder->kind != GM_KIND_For && path.holder->kind != GM_KIND_comprehension)) {
        return NULL;
    }
    const gm_node *iterable = path.holder->kind == GM_KIND_For ? gm_as_For(path.holder)->iter : gm_as_comprehension(path.holder)->iter;
    return iterable_of(function, iterable, &path);
}

const gm_node *gm_attribute_of_item(gm_function *function, const gm_node *item) {
    const gm_node *items = NULL;
    if (item->kind == GM_KIND_Name) {
        items = iterated_by(function, item);
    } else if (item->kind == GM_KIND_Subscript && gm_as_Subscript(item)->slice->kind != GM_KIND_Slice) {
        items = gm_as_Subscript(item)->value;
    }
    bool own = items != NULL && items->kind == GM_KIND_Attribute && gm_class_of_self(function, gm_as_Attribute(items)->value) != NULL;
    return own ? items : NULL;
}

/* An annotated assignment: the annotation where the value tells nothing. */
static gm_value of_annotated(gm_function *function, const gm_AnnAssign *assign) {
    gm_value value = assign->value == NULL ? gm_value_unknown(&assign->base) : gm_evaluate(function, assign->value);
    if (value.class_ != GM_VALUE_UNKNOWN) {
        return value;
    }
    gm_value promised = gm_value_of_annotation(function->flow, assign->annotation);
    if (gm_value_has_tensor(promised) && assign->target->kind == GM_KIND_Name) {
        promised.reason = gm_value_text(function->flow, "`%s` is annotated as a tensor", gm_as_Name(assign->target)->id->text);
    }
    return promised.class_ == GM_VALUE_UNKNOWN ? value : promised;
}

static gm_value of_target(gm_function *function, const gm_node *node) {
    target_path path = path_of(function->flow, node);
    if (path.holder == NULL) {
        return gm_value_unknown(node);
    }
    switch ((gm_kind)path.holder->kind) {
    case GM_KIND_Assign: return of_assign(function, gm_as_Assign(path.holder), &path);
    case GM_KIND_AnnAssign: return of_annotated(function, gm_as_AnnAssign(path.holder));
    case GM_KIND_AugAssign: return of_augmented(function, gm_as_AugAssign(path.holder));
    case GM_KIND_NamedExpr: return gm_evaluate(function, path.holder);
    case GM_KIND_For: return of_loop_target(function, gm_as_For(path.holder)->iter, &path);
    case GM_KIND_comprehension: return of_loop_target(function, gm_as_comprehension(path.holder)->iter, &path);
    default: return gm_value_unknown(node);
    }
}

/* A variable goes by its own name in reasons that do not speak of another one. */
static gm_value of_name(gm_function *function, const gm_node *node) {
    gm_value value = of_target(function, node);
    bool data = gm_value_has_tensor(value) || (value.traits & (GM_VALUE_FROM_DATA | GM_VALUE_MAYBE_DATA)) != 0;
    if (data && value.class_ != GM_VALUE_NO_PATH && strstr(value.reason, " comes from ") == NULL && strstr(value.reason, " is ") == NULL) {
        value.reason = gm_value_text(function->flow, "`%s` comes from %s", gm_as_Name(node)->id->text, value.reason);
    }
    return value;
}

/* A metaclass may answer operators between classes. */
static gm_value of_class(const gm_node *binder) {
    gm_value value = gm_value_python(GM_FORM_CLASS, "a class", binder);
    value.traits = gm_as_ClassDef(binder)->keywords.count > 0 ? GM_VALUE_OWN_OPERATORS : 0;
    return value;
}

gm_value gm_evaluate_binder(gm_function *function, const gm_node *binder) {
    switch ((gm_kind)binder->kind) {
    case GM_KIND_Name: return gm_as_Name(binder)->ctx == GM_DEL ? gm_value_no_path() : of_name(function, binder);
    case GM_KIND_arg: return of_parameter(function, binder);
    case GM_KIND_FunctionDef:
    case GM_KIND_AsyncFunctionDef: return gm_value_python(GM_FORM_FUNCTION, "a function", binder);
    case GM_KIND_ClassDef: return of_class(binder);
    case GM_KIND_ExceptHandler: return gm_value_python(GM_FORM_PLAIN, "an exception", binder);
    default: return gm_value_unknown(binder);
    }
}
