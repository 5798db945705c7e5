/* What `self.NAME` holds. */
#include <string.h>

#include "base/buffer.h"
#include "flow/bases.h"
#include "flow/walk.h"
#include "syntax/literal.h"
#include "values/values_private.h"

GM_MAP_FUNCTIONS(classes, gm_class_map, gm_class_slot, const gm_node *, node, gm_hash_pointer, 16)
GM_MAP_FUNCTIONS(attributes, gm_attribute_map, gm_attribute_slot, const gm_name *, name, gm_hash_pointer, 16)

/* ---- Definitions of the file ---- */

const gm_node *gm_flow_definition_of(gm_flow *flow, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(flow->scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(flow->scopes, symbol);
    if (owner == NULL || owner->binders.count != 1 || (owner->flags & (GM_SYMBOL_OUTSIDE | GM_SYMBOL_PARAMETER)) != 0) {
        return NULL;
    }
    const gm_node *binder = owner->binders.items[0];
    bool definition = binder->kind == GM_KIND_ClassDef || binder->kind == GM_KIND_FunctionDef || binder->kind == GM_KIND_AsyncFunctionDef;
    return definition ? binder : NULL;
}

const gm_node *gm_class_base(gm_flow *flow, const gm_node *base) {
    const gm_node *definition = base->kind == GM_KIND_Name ? gm_flow_definition_of(flow, base) : NULL;
    return definition != NULL && definition->kind == GM_KIND_ClassDef ? definition : NULL;
}

static bool names_module(const gm_node *base) {
    static const char *const tails[] = {"Module", "PreTrainedModel", "Model", "Layer", "Block", "Attention", "MLP", "Embedding", "Norm"};
    const gm_name *name = base->kind == GM_KIND_Name        ? gm_as_Name(base)->id
                          : base->kind == GM_KIND_Attribute ? gm_as_Attribute(base)->attr
                                                            : NULL;
    if (name != NULL && (strstr(name->text, "Output") != NULL || strstr(name->text, "Cache") != NULL)) {
        return false;
    }
    for (size_t i = 0; name != NULL && i < sizeof tails / sizeof tails[0]; i++) {
        if (gm_text_ends_with(name->text, tails[i])) {
            return true;
        }
    }
    return false;
}

/* Classes that are no modules, whatever their names end with. */
static bool is_other_class(const char *name) {
    static const char *const prefixes[] = {"builtins.", "torch.autograd", "pydantic.", "typing.", "abc.", "enum."};
    if (strstr(name, "cache_utils.") != NULL) {
        return true;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_outer_module(gm_flow *flow, const gm_node *base) {
    const gm_name *name = gm_flow_qualified(flow, base);
    bool other = name != NULL && is_other_class(name->text);
    bool known = name != NULL && strncmp(name->text, "torch.nn.", 9) == 0;
    return known || (!other && gm_values_shared_of(flow)->torch && names_module(base));
}

static bool is_module(gm_base_search *search, const gm_node *class_def, uint32_t depth) {
    const gm_list *bases = &gm_as_ClassDef(class_def)->bases;
    uint32_t reached = depth > 0 ? depth - 1 : 0; /* what other files define is looked at one step further */
    for (uint32_t i = 0; gm_bases_go_on(search, i, bases->count, reached); i++) {
        const gm_node *definition = gm_class_base(search->flow, bases->items[i]);
        if (definition == NULL ? is_outer_module(search->flow, bases->items[i])
                               : gm_bases_enter(search, definition, depth + 1) && is_module(search, definition, depth + 1)) {
            return true;
        }
    }
    return false;
}

/* ---- Attributes ---- */

typedef struct class_build {
    gm_flow *flow;
    gm_class *facts;
    gm_function *method; /* whose body is being looked at; NULL for the body of the class */
    bool init;
} class_build;

static gm_attribute *attribute_called(class_build *build, const gm_name *name) {
    gm_class *facts = build->facts;
    gm_attribute_slot *slot = attributes_at(build->flow->arena, &facts->by_name, name);
    if (slot->number == 0) {
        gm_attribute attribute = {.name = name, .value = gm_value_no_path()};
        gm_vec_push(build->flow->arena, &facts->attributes, attribute);
        slot->number = facts->attributes.count;
    }
    return &facts->attributes.items[slot->number - 1];
}

/* The qualified class when an expression makes an instance of one; a class of this file goes by its own name. */
static const gm_name *type_of(class_build *build, const gm_node *value) {
    if (value == NULL || value->kind != GM_KIND_Call) {
        return NULL;
    }
    const gm_node *callee = gm_as_Call(value)->func;
    const gm_node *definition = callee->kind == GM_KIND_Name ? gm_flow_definition_of(build->flow, callee) : NULL;
    if (definition != NULL) {
        return definition->kind == GM_KIND_ClassDef ? gm_as_ClassDef(definition)->name : NULL;
    }
    return gm_flow_qualified(build->flow, callee);
}

static gm_function *evaluator_of(const class_build *build) {
    return build->method != NULL ? build->method : gm_flow_function(build->flow, &build->flow->tree->module->base);
}

/* The class of the items of `nn.ModuleList([C() for ...])`, when it is one. */
static const gm_name *item_type_of(class_build *build, const gm_node *value) {
    if (value == NULL || value->kind != GM_KIND_Call) {
        return NULL;
    }
    const gm_node *items = gm_call_argument(gm_as_Call(value), 0);
    if (items == NULL) {
        return NULL;
    }
    if (items->kind == GM_KIND_ListComp || items->kind == GM_KIND_GeneratorExp) {
        return type_of(build, items->kind == GM_KIND_ListComp ? gm_as_ListComp(items)->elt : gm_as_GeneratorExp(items)->elt);
    }
    const gm_name *type = NULL;
    for (uint32_t i = 0; items->kind == GM_KIND_List && i < gm_as_List(items)->elts.count; i++) {
        const gm_name *next = type_of(build, gm_as_List(items)->elts.items[i]);
        if (next == NULL || (type != NULL && next != type)) {
            return NULL;
        }
        type = next;
    }
    return type;
}

static void add(class_build *build, const gm_name *name, gm_value value, const gm_node *made, const gm_node *binder) {
    const gm_name *type = type_of(build, made);
    const gm_name *items = gm_value_is(value, GM_FORM_MODULES) ? item_type_of(build, made) : NULL;
    if (gm_value_has_tensor(value) && (value.traits & (GM_VALUE_PARAMETER | GM_VALUE_BUFFER)) != 0) {
        bool buffer = (value.traits & GM_VALUE_BUFFER) != 0;
        value.reason = gm_value_text(build->flow, "`%s` is a %s", name->text, buffer ? "buffer" : "parameter");
    }
    gm_attribute *attribute = attribute_called(build, name);
    value.traits &= (uint16_t)~(GM_VALUE_FRESH | GM_VALUE_LEAF_INPUT | GM_VALUE_CONSTANT);
    if (attribute->binder == NULL) {
        attribute->binder = binder;
        attribute->type = type;
        attribute->item_type = items;
    } else {
        attribute->type = attribute->type == type ? type : NULL;
        attribute->item_type = attribute->item_type == items ? items : NULL;
    }
    attribute->value = gm_value_join(attribute->value, value);
    attribute->places++;
    attribute->outside_init = attribute->outside_init || (build->method != NULL && !build->init);
}

/* `self.NAME` as a target. */
static const gm_name *own_attribute(const class_build *build, const gm_node *target) {
    if (build->method == NULL || target->kind != GM_KIND_Attribute || gm_as_Attribute(target)->value->kind != GM_KIND_Name) {
        return NULL;
    }
    return gm_class_of_self(build->method, gm_as_Attribute(target)->value) != NULL ? gm_as_Attribute(target)->attr : NULL;
}

static const gm_name *target_name(const class_build *build, const gm_node *target) {
    if (build->method == NULL) {
        return target->kind == GM_KIND_Name ? gm_as_Name(target)->id : NULL;
    }
    return own_attribute(build, target);
}

static gm_value value_in(const class_build *build, const gm_node *expression) {
    gm_value value = gm_evaluate(evaluator_of(build), expression);
    return value.class_ == GM_VALUE_NO_PATH ? gm_value_unknown(expression) : value;
}

static void add_targets(class_build *build, const gm_node *target, const gm_node *value, const gm_node *statement) {
    const gm_list *items = target->kind == GM_KIND_Tuple  ? &gm_as_Tuple(target)->elts
                           : target->kind == GM_KIND_List ? &gm_as_List(target)->elts
                                                          : NULL;
    for (uint32_t i = 0; items != NULL && i < items->count; i++) {
        const gm_name *name = target_name(build, items->items[i]);
        if (name != NULL) {
            add(build, name, gm_value_unknown(statement), NULL, statement);
        }
    }
    const gm_name *name = items == NULL ? target_name(build, target) : NULL;
    if (name != NULL) {
        add(build, name, value_in(build, value), value, statement);
    }
}

static void add_assign(class_build *build, const gm_node *node) {
    const gm_Assign *assign = gm_as_Assign(node);
    for (uint32_t i = 0; i < assign->targets.count; i++) {
        add_targets(build, assign->targets.items[i], assign->value, node);
    }
}

/* An annotation stands where the value tells nothing. */
static void add_annotated(class_build *build, const gm_node *node) {
    const gm_AnnAssign *assign = gm_as_AnnAssign(node);
    const gm_name *name = target_name(build, assign->target);
    if (name == NULL) {
        return;
    }
    gm_value promised = gm_value_of_annotation(build->flow, assign->annotation);
    if (gm_value_has_tensor(promised)) {
        promised.reason = gm_value_text(build->flow, "`%s` is annotated as a tensor", name->text);
    }
    gm_value value = promised.class_ != GM_VALUE_UNKNOWN || assign->value == NULL ? promised : value_in(build, assign->value);
    add(build, name, value, assign->value, node);
}

static void add_augmented(class_build *build, const gm_node *node) {
    const gm_name *name = target_name(build, gm_as_AugAssign(node)->target);
    if (name != NULL) {
        gm_value value = value_in(build, gm_as_AugAssign(node)->value);
        add(build, name, value.class_ == GM_VALUE_NOT ? value : gm_value_unknown(node), NULL, node);
    }
}

/* The text of a string constant as a name, or NULL. */
static const gm_name *text_of(gm_flow *flow, const gm_node *node) {
    if (node == NULL || node->kind != GM_KIND_Constant || gm_as_Constant(node)->value.literal != GM_LITERAL_str) {
        return NULL;
    }
    gm_buffer buffer;
    gm_buffer_init(&buffer, flow->arena);
    gm_literal_decode(flow->tree->source, &gm_as_Constant(node)->value, &buffer);
    return gm_names_intern(flow->tree->names, buffer.bytes == NULL ? "" : buffer.bytes, buffer.length);
}

/* self.register_buffer("name", value), register_parameter, add_module. */
static void add_registered(class_build *build, const gm_node *node) {
    static const char *const methods[] = {"register_buffer", "register_parameter", "add_module", "register_module", NULL};
    const gm_Call *call = gm_as_Call(node);
    const gm_name *method = own_attribute(build, call->func);
    if (method == NULL || !gm_text_in(method->text, methods)) {
        return;
    }
    const gm_node *named = gm_call_argument(call, 0) != NULL ? gm_call_argument(call, 0) : gm_call_keyword(call, "name");
    const gm_name *name = text_of(build->flow, named);
    const gm_node *given = gm_call_argument(call, 1);
    given = given != NULL ? given : gm_call_keyword(call, "tensor");
    if (name == NULL || given == NULL) {
        return;
    }
    gm_value value = value_in(build, given);
    bool module = strstr(method->text, "module") != NULL;
    if (!module && (value.class_ == GM_VALUE_UNKNOWN || value.class_ == GM_VALUE_MAYBE)) {
        bool none = (value.traits & GM_VALUE_OPTIONAL) != 0;
        value = gm_value_make(none ? GM_VALUE_MAYBE : GM_VALUE_TENSOR, GM_FORM_TENSOR, value.reason, node);
        value.traits = none ? GM_VALUE_OPTIONAL : 0;
    }
    if (!module && gm_value_has_tensor(value)) {
        bool buffer = strcmp(method->text, "register_buffer") == 0;
        value.traits |= buffer ? GM_VALUE_BUFFER : GM_VALUE_PARAMETER;
    }
    add(build, name, value, given, node);
}

static bool visit_attribute(const gm_node *node, const gm_node *parent, void *context) {
    class_build *build = context;
    if (parent == NULL) {
        return true;
    }
    switch ((gm_kind)node->kind) {
    case GM_KIND_Assign: add_assign(build, node); return false;
    case GM_KIND_AnnAssign: add_annotated(build, node); return false;
    case GM_KIND_AugAssign: add_augmented(build, node); return false;
    case GM_KIND_Call:
        if (build->method != NULL) {
            add_registered(build, node);
        }
        return false;
    default:
        return !gm_is_definition(node) && (gm_is_stmt(node) || node->kind == GM_KIND_ExceptHandler || node->kind == GM_KIND_match_case);
    }
}

static bool is_init(const gm_node *definition) {
    return definition->kind == GM_KIND_FunctionDef && gm_name_is(gm_as_FunctionDef(definition)->name, "__init__");
}

static void add_methods(class_build *build, const gm_list *body, bool init) {
    for (uint32_t i = 0; i < body->count; i++) {
        const gm_node *definition = body->items[i];
        if (gm_is_def(definition) && is_init(definition) == init) {
            build->method = gm_flow_function(build->flow, definition);
            build->init = init;
            gm_walk(build->flow->arena, definition, visit_attribute, build);
        }
    }
}

/* What was found of methods while the class was not known is found again when it is asked for. */
static void forget_methods(gm_flow *flow, const gm_list *body) {
    for (uint32_t i = 0; i < body->count; i++) {
        if (gm_is_def(body->items[i])) {
            gm_flow_function(flow, body->items[i])->environments = NULL;
        }
    }
}

/* `self.x = None` alone is a place that others fill. */
static void weaken_empty(gm_class *facts) {
    for (uint32_t i = 0; i < facts->attributes.count; i++) {
        gm_value *value = &facts->attributes.items[i].value;
        if (gm_value_is(*value, GM_FORM_NONE) || value->class_ == GM_VALUE_NO_PATH) {
            *value = gm_value_unknown(facts->attributes.items[i].binder);
        }
    }
}

/* The facts of a class, of whose attributes nothing need be known. */
static gm_class *facts_of(gm_flow *flow, const gm_node *class_def) {
    gm_class_slot *slot = classes_at(flow->arena, &gm_values_shared_of(flow)->classes, class_def);
    if (slot->facts == NULL) {
        gm_class *facts = GM_NEW(flow->arena, gm_class);
        slot->facts = facts;
        facts->node = class_def;
        gm_base_search search = gm_bases_search(flow);
        facts->is_module = is_module(&search, class_def, 0);
    }
    return slot->facts;
}

bool gm_class_is_module(gm_flow *flow, const gm_node *class_def) {
    return facts_of(flow, class_def)->is_module;
}

const gm_class *gm_class_of(gm_flow *flow, const gm_node *class_def) {
    gm_class *facts = facts_of(flow, class_def);
    if (facts->looked_at) {
        gm_values_shared_of(flow)->put_off += !facts->complete;
        return facts;
    }
    facts->looked_at = true;
    class_build build = {.flow = flow, .facts = facts};
    const gm_list *body = &gm_as_ClassDef(class_def)->body;
    gm_walk(flow->arena, class_def, visit_attribute, &build);
    add_methods(&build, body, true);
    add_methods(&build, body, false);
    weaken_empty(facts);
    forget_methods(flow, body);
    facts->complete = true;
    return facts;
}

/* ---- Questions ---- */

const gm_node *gm_class_definition_around(gm_function *function) {
    const gm_scope *scope = function->scope->parent;
    while (scope != NULL && scope->kind == GM_SCOPE_TYPE_PARAMS) {
        scope = scope->parent;
    }
    bool method = gm_is_def(function->node) && scope != NULL && scope->kind == GM_SCOPE_CLASS;
    return method ? scope->node : NULL;
}

const gm_class *gm_class_around(gm_function *function) {
    const gm_node *class_def = gm_class_definition_around(function);
    return class_def == NULL ? NULL : gm_class_of(function->flow, class_def);
}

const gm_attribute *gm_class_attribute(const gm_class *class_, const gm_name *name) {
    const gm_attribute_slot *slot = attributes_find(&class_->by_name, name);
    return slot == NULL ? NULL : &class_->attributes.items[slot->number - 1];
}

static const gm_node *first_parameter(const gm_node *definition) {
    const gm_arguments *arguments = gm_as_arguments(definition->kind == GM_KIND_FunctionDef ? gm_as_FunctionDef(definition)->args
                                                                                            : gm_as_AsyncFunctionDef(definition)->args);
    if (arguments->posonlyargs.count > 0) {
        return arguments->posonlyargs.items[0];
    }
    return arguments->args.count > 0 ? arguments->args.items[0] : NULL;
}

const gm_node *gm_class_of_self(gm_function *function, const gm_node *expression) {
    if (expression->kind != GM_KIND_Name || !gm_name_is(gm_as_Name(expression)->id, "self")) {
        return NULL;
    }
    const gm_symbol *symbol = gm_scopes_symbol(function->flow->scopes, expression);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(function->flow->scopes, symbol);
    if (owner == NULL || owner->binders.count != 1 || !gm_is_def(owner->scope->node) ||
        first_parameter(owner->scope->node) != owner->binders.items[0]) {
        return NULL;
    }
    const gm_scope *scope = owner->scope->parent;
    while (scope != NULL && scope->kind == GM_SCOPE_TYPE_PARAMS) {
        scope = scope->parent;
    }
    return scope != NULL && scope->kind == GM_SCOPE_CLASS ? scope->node : NULL;
}

static const gm_node *method_in(gm_base_search *search, const gm_node *class_def, const gm_name *name, uint32_t depth) {
    const gm_ClassDef *definition = gm_as_ClassDef(class_def);
    for (uint32_t i = definition->body.count; i-- > 0;) {
        const gm_node *node = definition->body.items[i];
        if (gm_is_def(node) &&
            (node->kind == GM_KIND_FunctionDef ? gm_as_FunctionDef(node)->name : gm_as_AsyncFunctionDef(node)->name) == name) {
            return node;
        }
    }
    for (uint32_t i = 0; gm_bases_go_on(search, i, definition->bases.count, depth); i++) {
        const gm_node *base = gm_class_base(search->flow, definition->bases.items[i]);
        bool enter = base != NULL && gm_bases_enter(search, base, depth + 1);
        const gm_node *found = enter ? method_in(search, base, name, depth + 1) : NULL;
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const gm_node *gm_class_method(gm_flow *flow, const gm_node *class_def, const gm_name *name) {
    gm_base_search search = gm_bases_search(flow);
    return method_in(&search, class_def, name, 0);
}

bool gm_class_has_operators(gm_flow *flow, const gm_node *class_def) {
    static const char *const methods[] = {
        "__eq__",      "__ne__",       "__lt__",     "__le__",       "__gt__",     "__ge__",      "__add__",     "__radd__",
        "__sub__",     "__rsub__",     "__mul__",    "__rmul__",     "__mod__",    "__rmod__",    "__truediv__", "__rtruediv__",
        "__pow__",     "__floordiv__", "__matmul__", "__and__",      "__or__",     "__xor__",     "__rpow__",    "__rfloordiv__",
        "__rmatmul__", "__rand__",     "__ror__",    "__rxor__",     "__lshift__", "__rlshift__", "__rshift__",  "__rrshift__",
        "__iadd__",    "__isub__",     "__imul__",   "__itruediv__", "__ior__",    "__iand__"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        const gm_name *name = gm_names_find(flow->tree->names, methods[i], strlen(methods[i]));
        if (name != NULL && gm_class_method(flow, class_def, name) != NULL) {
            return true;
        }
    }
    return false;
}

static const gm_attribute *attribute_in(gm_base_search *search, const gm_node *class_def, const gm_name *name, uint32_t depth) {
    const gm_class *facts = gm_class_of(search->flow, class_def);
    const gm_attribute *attribute = gm_class_attribute(facts, name);
    const gm_list *bases = &gm_as_ClassDef(class_def)->bases;
    for (uint32_t i = 0; attribute == NULL && gm_bases_go_on(search, i, bases->count, depth); i++) {
        const gm_node *base = gm_class_base(search->flow, bases->items[i]);
        bool enter = base != NULL && gm_bases_enter(search, base, depth + 1);
        attribute = enter ? attribute_in(search, base, name, depth + 1) : NULL;
    }
    return attribute;
}

const gm_attribute *gm_class_attribute_of(gm_flow *flow, const gm_node *class_def, const gm_name *name) {
    gm_base_search search = gm_bases_search(flow);
    return attribute_in(&search, class_def, name, 0);
}

static bool is_property(gm_flow *flow, const gm_node *method) {
    const gm_list *decorators = method->kind == GM_KIND_FunctionDef ? &gm_as_FunctionDef(method)->decorator_list
                                                                    : &gm_as_AsyncFunctionDef(method)->decorator_list;
    return decorators->count == 1 && (gm_flow_names(flow, decorators->items[0], "builtins.property") ||
                                      gm_flow_names(flow, decorators->items[0], "functools.cached_property"));
}

gm_value gm_evaluate_self(gm_function *function, const gm_node *class_def, const gm_node *attribute) {
    const gm_name *name = gm_as_Attribute(attribute)->attr;
    if (gm_name_is(name, "training")) {
        return gm_value_python(GM_FORM_BOOL, "a flag of a module", attribute);
    }
    const gm_attribute *found = gm_class_attribute_of(function->flow, class_def, name);
    if (found != NULL) {
        return found->value.class_ == GM_VALUE_NO_PATH ? gm_value_unknown(attribute) : found->value;
    }
    const gm_node *method = gm_class_method(function->flow, class_def, name);
    if (method == NULL) {
        return gm_value_unknown(attribute);
    }
    return is_property(function->flow, method) ? gm_value_of_result(function->flow, method)
                                               : gm_value_python(GM_FORM_FUNCTION, "a method", attribute);
}
