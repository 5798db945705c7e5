/* First pass: functions, lambdas, classes, type parameters and type aliases. */
#include "flow/scopes_visit.h"

static bool in_class(const scope_builder *builder) {
    return builder->current->scope.kind == GM_SCOPE_CLASS;
}

/* ---- Functions ---- */

/* Under `from __future__ import annotations` CPython 3.10 and later look into annotations for errors only. */
void gm_scopes_visit_annotation(scope_builder *builder, const gm_node *annotation) {
    bool apart = builder->future_annotations && scopes_at_least(builder, 310);
    if (annotation == NULL) {
        return;
    }
    if (apart) {
        gm_scopes_enter(builder, GM_SCOPE_ANNOTATION, annotation, gm_names_intern(builder->tree->names, "_annotation", 11));
    }
    gm_scopes_visit(builder, annotation);
    if (apart) {
        gm_scopes_leave(builder);
    }
}

static void visit_list_annotations(scope_builder *builder, const gm_list *arguments) {
    for (uint32_t i = 0; i < arguments->count; i++) {
        gm_scopes_visit_annotation(builder, gm_as_arg(arguments->items[i])->annotation);
    }
}

static void visit_annotations(scope_builder *builder, const gm_arguments *arguments, const gm_node *returns) {
    visit_list_annotations(builder, &arguments->posonlyargs);
    visit_list_annotations(builder, &arguments->args);
    if (arguments->vararg != NULL) {
        gm_scopes_visit_annotation(builder, gm_as_arg(arguments->vararg)->annotation);
    }
    if (arguments->kwarg != NULL) {
        gm_scopes_visit_annotation(builder, gm_as_arg(arguments->kwarg)->annotation);
    }
    visit_list_annotations(builder, &arguments->kwonlyargs);
    gm_scopes_visit_annotation(builder, returns);
}

static void add_parameter(scope_builder *builder, const gm_node *node) {
    if (node != NULL && node->kind == GM_KIND_arg && gm_as_arg(node)->arg != NULL) {
        gm_scopes_add(builder, gm_as_arg(node)->arg, GM_SYMBOL_PARAMETER, node);
    }
}

static void add_parameters(scope_builder *builder, const gm_arguments *arguments) {
    const gm_list *const lists[] = {&arguments->posonlyargs, &arguments->args, &arguments->kwonlyargs};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (uint32_t k = 0; k < lists[i]->count; k++) {
            add_parameter(builder, lists[i]->items[k]);
        }
    }
    add_parameter(builder, arguments->vararg);
    add_parameter(builder, arguments->kwarg);
}

static void enter_type_params(scope_builder *builder, const gm_node *node, const gm_name *name) {
    bool sees = in_class(builder);
    gm_scopes_enter(builder, GM_SCOPE_TYPE_PARAMS, node, name);
    gm_scopes_see_class(builder, sees);
    if (node->kind == GM_KIND_ClassDef) {
        gm_scopes_add_text(builder, ".type_params", GM_SYMBOL_ASSIGNED | GM_SYMBOL_USED);
        gm_scopes_add_text(builder, ".generic_base", GM_SYMBOL_ASSIGNED | GM_SYMBOL_USED);
    }
}

static bool any_node(const gm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != NULL) {
            return true;
        }
    }
    return false;
}

/* FunctionDef and AsyncFunctionDef have the same fields. */
void gm_scopes_visit_FunctionDef(scope_builder *builder, const gm_node *node) {
    const gm_FunctionDef *function = (const gm_FunctionDef *)(const void *)node;
    const gm_arguments *arguments = gm_as_arguments(function->args);
    bool generic = function->type_params.count > 0;
    gm_scopes_add(builder, function->name, GM_SYMBOL_ASSIGNED, node);
    gm_scopes_visit_list(builder, &arguments->defaults);
    gm_scopes_visit_list(builder, &arguments->kw_defaults);
    if (scopes_at_least(builder, 312)) {
        gm_scopes_visit_list(builder, &function->decorator_list);
    }
    if (generic) {
        enter_type_params(builder, node, function->name);
        gm_scopes_add_text(builder, ".defaults", GM_SYMBOL_PARAMETER);
        if (any_node(&arguments->kw_defaults)) {
            gm_scopes_add_text(builder, ".kwdefaults", GM_SYMBOL_PARAMETER);
        }
        gm_scopes_visit_list(builder, &function->type_params);
    }
    visit_annotations(builder, arguments, function->returns);
    if (!scopes_at_least(builder, 312)) {
        gm_scopes_visit_list(builder, &function->decorator_list);
    }
    scope_entry *entry = gm_scopes_enter(builder, GM_SCOPE_FUNCTION, node, function->name);
    gm_scopes_record_scope(builder, node, &entry->scope);
    add_parameters(builder, arguments);
    gm_scopes_visit_list(builder, &function->body);
    gm_scopes_leave(builder);
    if (generic) {
        gm_scopes_leave(builder);
    }
}

void gm_scopes_visit_Lambda(scope_builder *builder, const gm_node *node) {
    const gm_Lambda *lambda = gm_as_Lambda(node);
    const gm_arguments *arguments = gm_as_arguments(lambda->args);
    gm_scopes_forbid_nested(builder, node, "cannot use lambda in annotation scope within class scope");
    gm_scopes_visit_list(builder, &arguments->defaults);
    gm_scopes_visit_list(builder, &arguments->kw_defaults);
    scope_entry *entry = gm_scopes_enter(builder, GM_SCOPE_FUNCTION, node, gm_names_intern(builder->tree->names, "lambda", 6));
    gm_scopes_record_scope(builder, node, &entry->scope);
    add_parameters(builder, arguments);
    gm_scopes_visit(builder, lambda->body);
    gm_scopes_leave(builder);
}

/* ---- Classes ---- */

static void visit_class_body(scope_builder *builder, const gm_ClassDef *class_, bool generic) {
    scope_entry *entry = gm_scopes_enter(builder, GM_SCOPE_CLASS, &class_->base, class_->name);
    gm_scopes_record_scope(builder, &class_->base, &entry->scope);
    entry->scope.owner_class = &entry->scope;
    entry->private_name = class_->name;
    entry->generic_class = NULL;
    if (generic) {
        gm_scopes_add_text(builder, "__type_params__", GM_SYMBOL_ASSIGNED);
        gm_scopes_add_text(builder, ".type_params", GM_SYMBOL_USED);
    }
    gm_scopes_visit_list(builder, &class_->body);
    gm_scopes_leave(builder);
}

void gm_scopes_visit_ClassDef(scope_builder *builder, const gm_node *node) {
    const gm_ClassDef *class_ = gm_as_ClassDef(node);
    bool generic = class_->type_params.count > 0;
    gm_scopes_add(builder, class_->name, GM_SYMBOL_ASSIGNED, node);
    if (scopes_at_least(builder, 312)) {
        gm_scopes_visit_list(builder, &class_->decorator_list);
    }
    if (generic) {
        enter_type_params(builder, node, class_->name);
        builder->current->private_name = class_->name;
        bool spares_bases = builder->target == 0 || scopes_at_least(builder, 313);
        builder->current->generic_class = spares_bases ? builder->current : NULL;
        gm_scopes_visit_list(builder, &class_->type_params);
    }
    gm_scopes_visit_list(builder, &class_->bases);
    gm_scopes_visit_list(builder, &class_->keywords);
    if (!scopes_at_least(builder, 312)) {
        gm_scopes_visit_list(builder, &class_->decorator_list);
    }
    visit_class_body(builder, class_, generic);
    if (generic) {
        gm_scopes_leave(builder);
    }
}

/* ---- Type parameters ---- */

static void visit_lazy(scope_builder *builder, gm_scope_kind kind, const gm_node *owner, const gm_name *name, bool sees,
                       const gm_node *value) {
    gm_scopes_enter(builder, kind, owner, name);
    gm_scopes_see_class(builder, sees);
    gm_scopes_visit(builder, value);
    gm_scopes_leave(builder);
}

static void add_type_param(scope_builder *builder, const gm_node *node, const gm_name *name, const gm_node *bound,
                           const gm_node *default_value) {
    bool sees = builder->current->sees_class;
    gm_scopes_add(builder, name, GM_SYMBOL_TYPE_PARAM | GM_SYMBOL_ASSIGNED, node);
    if (bound != NULL) {
        visit_lazy(builder, GM_SCOPE_TYPE_VARIABLE, node, name, sees, bound);
    }
    if (default_value != NULL) {
        visit_lazy(builder, GM_SCOPE_TYPE_VARIABLE, node, name, sees, default_value);
    }
}

void gm_scopes_visit_TypeVar(scope_builder *builder, const gm_node *node) {
    const gm_TypeVar *param = gm_as_TypeVar(node);
    add_type_param(builder, node, param->name, param->bound, param->default_value);
}

void gm_scopes_visit_ParamSpec(scope_builder *builder, const gm_node *node) {
    const gm_ParamSpec *param = gm_as_ParamSpec(node);
    add_type_param(builder, node, param->name, NULL, param->default_value);
}

void gm_scopes_visit_TypeVarTuple(scope_builder *builder, const gm_node *node) {
    const gm_TypeVarTuple *param = gm_as_TypeVarTuple(node);
    add_type_param(builder, node, param->name, NULL, param->default_value);
}

void gm_scopes_visit_TypeAlias(scope_builder *builder, const gm_node *node) {
    const gm_TypeAlias *alias = gm_as_TypeAlias(node);
    const gm_name *name = alias->name->kind == GM_KIND_Name ? gm_as_Name(alias->name)->id : builder->implicit;
    bool sees = in_class(builder);
    gm_scopes_visit(builder, alias->name);
    if (alias->type_params.count > 0) {
        enter_type_params(builder, node, name);
        gm_scopes_visit_list(builder, &alias->type_params);
    }
    visit_lazy(builder, GM_SCOPE_TYPE_ALIAS, node, name, sees, alias->value);
    if (alias->type_params.count > 0) {
        gm_scopes_leave(builder);
    }
}
