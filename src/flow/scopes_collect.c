/* First pass over the tree: which names occur in which scope, and how. The order of visits follows CPython's, because the order
 * of child scopes and the first error depend on it. */
#include <string.h>

#include "flow/scopes_private.h"
#include "flow/walk.h"

static const char late_future[] = "`from __future__` imports must occur at the beginning of the file";

static void visit(scope_builder *builder, const gm_node *node);

static void visit_list(scope_builder *builder, const gm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != NULL) {
            visit(builder, list->items[i]);
        }
    }
}

static void visit_optional(scope_builder *builder, const gm_node *node) {
    if (node != NULL) {
        visit(builder, node);
    }
}

/* Every field from number `first` on, in the order of the grammar. */
static void visit_fields(scope_builder *builder, const gm_node *node, uint32_t first) {
    const gm_kind_info *info = gm_kind_of(node);
    for (uint32_t i = first; i < info->field_count; i++) {
        const char *field = (const char *)node + info->fields[i].offset;
        if (info->fields[i].type == GM_FIELD_NODE || info->fields[i].type == GM_FIELD_OPTIONAL) {
            visit_optional(builder, *(gm_node *const *)(const void *)field);
        } else if (info->fields[i].type == GM_FIELD_LIST) {
            visit_list(builder, (const gm_list *)(const void *)field);
        }
    }
}

static bool at_least(const scope_builder *builder, gm_version version) {
    return builder->target >= version;
}

/* ---- Names ---- */

static const gm_name *mangle(scope_builder *builder, const scope_entry *entry, const gm_name *name) {
    const gm_name *class_name = entry->private_name;
    if (class_name == NULL || name->length < 2 || name->text[0] != '_' || name->text[1] != '_') {
        return name;
    }
    bool dunder = name->text[name->length - 1] == '_' && name->text[name->length - 2] == '_';
    if (dunder || memchr(name->text, '.', name->length) != NULL) {
        return name;
    }
    size_t skip = strspn(class_name->text, "_");
    if (skip == class_name->length) {
        return name;
    }
    size_t length = 1 + class_name->length - skip + name->length;
    char *text = gm_arena_alloc(builder->arena, length);
    text[0] = '_';
    memcpy(text + 1, class_name->text + skip, class_name->length - skip);
    memcpy(text + 1 + class_name->length - skip, name->text, name->length);
    return gm_names_intern(builder->tree->names, text, length);
}

/* In the brackets of a generic class only its own type parameters are private names of the class. */
static const gm_name *spelling(scope_builder *builder, const scope_entry *entry, const gm_name *name) {
    const gm_name *mangled = mangle(builder, entry, name);
    if (mangled == name || entry->generic_class == NULL) {
        return mangled;
    }
    const gm_symbol *symbol = gm_scope_find(&entry->generic_class->scope, mangled);
    return symbol != NULL && (symbol->flags & GM_SYMBOL_TYPE_PARAM) != 0 ? mangled : name;
}

static void check_duplicate(scope_builder *builder, const gm_symbol *symbol, uint32_t flags, const gm_node *node) {
    if ((flags & symbol->flags & GM_SYMBOL_PARAMETER) != 0) {
        gm_scopes_complain(builder, node, "duplicate argument `%s` in function definition", symbol->name);
    }
    if ((flags & symbol->flags & GM_SYMBOL_TYPE_PARAM) != 0) {
        gm_scopes_complain(builder, node, "duplicate type parameter `%s`", symbol->name);
    }
}

/* Add a spelled name to a scope; `node` (may be NULL for names that Python adds itself) is remembered as its use. */
static gm_symbol *add_spelled(scope_builder *builder, scope_entry *entry, const gm_name *name, uint32_t flags,
                              const gm_node *node) {
    gm_symbol *symbol = gm_scope_intern(builder, &entry->scope, name);
    if (node != NULL) {
        check_duplicate(builder, symbol, flags, node);
        gm_scopes_record(builder, node, symbol);
    }
    if (entry->iter_target) {
        if ((symbol->flags & (GM_SYMBOL_GLOBAL | GM_SYMBOL_NONLOCAL)) != 0 && node != NULL) {
            gm_scopes_complain(builder, node, "comprehension inner loop cannot rebind assignment expression target `%s`",
                               name);
        }
        flags |= GM_SYMBOL_ITERATION;
    }
    symbol->flags |= (uint16_t)flags;
    if ((flags & GM_SYMBOL_BOUND) != 0 && node != NULL) {
        gm_vec_push(builder->arena, &symbol->binders, node);
    }
    if ((flags & GM_SYMBOL_GLOBAL) != 0) {
        gm_scope_intern(builder, builder->scopes->module, name)->flags |= GM_SYMBOL_GLOBAL;
    }
    return symbol;
}

static void add(scope_builder *builder, const gm_name *name, uint32_t flags, const gm_node *node) {
    const gm_name *spelled = (flags & GM_SYMBOL_TYPE_PARAM) != 0 ? mangle(builder, builder->current, name)
                                                                 : spelling(builder, builder->current, name);
    add_spelled(builder, builder->current, spelled, flags, node);
}

static void add_text(scope_builder *builder, const char *text, uint32_t flags) {
    add_spelled(builder, builder->current, gm_names_intern(builder->tree->names, text, strlen(text)), flags, NULL);
}

/* ---- Scopes ---- */

static scope_entry *enter(scope_builder *builder, gm_scope_kind kind, const gm_node *node, const gm_name *name) {
    scope_entry *outer = builder->current;
    scope_entry *entry = GM_NEW(builder->arena, scope_entry);
    gm_scope *scope = &entry->scope;
    *scope = (gm_scope){.kind = (uint8_t)kind, .node = node, .name = name};
    entry->outer = outer;
    entry->function_like = kind != GM_SCOPE_MODULE && kind != GM_SCOPE_CLASS && kind != GM_SCOPE_ANNOTATION;
    builder->current = entry;
    if (outer == NULL) {
        builder->scopes->module = scope;
    } else {
        scope->line = gm_source_position(builder->tree->source, node->start).line;
        scope->parent = &outer->scope;
        scope->owner_class = outer->scope.owner_class;
        scope->traits |= outer->function_like || (outer->scope.traits & GM_SCOPE_NESTED) != 0 ? GM_SCOPE_NESTED : 0;
        entry->private_name = outer->private_name;
        entry->generic_class = outer->generic_class;
        entry->iter_depth = outer->iter_depth;
        entry->hidden = outer->hidden || kind == GM_SCOPE_ANNOTATION;
    }
    if (!entry->hidden) {
        gm_vec_push(builder->arena, &builder->scopes->all, scope);
        if (outer != NULL) {
            gm_vec_push(builder->arena, &outer->scope.children, scope);
        }
    }
    return entry;
}

static void leave(scope_builder *builder) {
    builder->current = builder->current->outer;
}

/* Annotation scopes directly in a class look the class's names up, too. */
static void see_class(scope_builder *builder, bool sees) {
    builder->current->sees_class = sees;
    if (sees) {
        add_spelled(builder, builder->current, builder->class_dict, GM_SYMBOL_USED, NULL);
    }
}

static bool in_class(const scope_builder *builder) {
    return builder->current->scope.kind == GM_SCOPE_CLASS;
}

static void forbid_nested_scope(scope_builder *builder, const gm_node *node, const char *message) {
    if (builder->current->sees_class && builder->target == 312) {
        gm_scopes_complain(builder, node, message, NULL);
    }
}

/* ---- Functions ---- */

/* Under `from __future__ import annotations` CPython 3.10 and later look into annotations for errors only. */
static void visit_annotation(scope_builder *builder, const gm_node *annotation) {
    bool apart = builder->future_annotations && at_least(builder, 310);
    if (annotation == NULL) {
        return;
    }
    if (apart) {
        enter(builder, GM_SCOPE_ANNOTATION, annotation, gm_names_intern(builder->tree->names, "_annotation", 11));
    }
    visit(builder, annotation);
    if (apart) {
        leave(builder);
    }
}

static void visit_list_annotations(scope_builder *builder, const gm_list *arguments) {
    for (uint32_t i = 0; i < arguments->count; i++) {
        visit_annotation(builder, gm_as_arg(arguments->items[i])->annotation);
    }
}

static void visit_annotations(scope_builder *builder, const gm_arguments *arguments, const gm_node *returns) {
    visit_list_annotations(builder, &arguments->posonlyargs);
    visit_list_annotations(builder, &arguments->args);
    if (arguments->vararg != NULL) {
        visit_annotation(builder, gm_as_arg(arguments->vararg)->annotation);
    }
    if (arguments->kwarg != NULL) {
        visit_annotation(builder, gm_as_arg(arguments->kwarg)->annotation);
    }
    visit_list_annotations(builder, &arguments->kwonlyargs);
    visit_annotation(builder, returns);
}

static void add_parameter(scope_builder *builder, const gm_node *node) {
    if (node != NULL && node->kind == GM_KIND_arg && gm_as_arg(node)->arg != NULL) {
        add(builder, gm_as_arg(node)->arg, GM_SYMBOL_PARAMETER, node);
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
    enter(builder, GM_SCOPE_TYPE_PARAMS, node, name);
    see_class(builder, sees);
    if (node->kind == GM_KIND_ClassDef) {
        add_text(builder, ".type_params", GM_SYMBOL_ASSIGNED | GM_SYMBOL_USED);
        add_text(builder, ".generic_base", GM_SYMBOL_ASSIGNED | GM_SYMBOL_USED);
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
static void visit_FunctionDef(scope_builder *builder, const gm_node *node) {
    const gm_FunctionDef *function = (const gm_FunctionDef *)(const void *)node;
    const gm_arguments *arguments = gm_as_arguments(function->args);
    bool generic = function->type_params.count > 0;
    add(builder, function->name, GM_SYMBOL_ASSIGNED, node);
    visit_list(builder, &arguments->defaults);
    visit_list(builder, &arguments->kw_defaults);
    if (at_least(builder, 312)) {
        visit_list(builder, &function->decorator_list);
    }
    if (generic) {
        enter_type_params(builder, node, function->name);
        add_text(builder, ".defaults", GM_SYMBOL_PARAMETER);
        if (any_node(&arguments->kw_defaults)) {
            add_text(builder, ".kwdefaults", GM_SYMBOL_PARAMETER);
        }
        visit_list(builder, &function->type_params);
    }
    visit_annotations(builder, arguments, function->returns);
    if (!at_least(builder, 312)) {
        visit_list(builder, &function->decorator_list);
    }
    scope_entry *entry = enter(builder, GM_SCOPE_FUNCTION, node, function->name);
    gm_scopes_record_scope(builder, node, &entry->scope);
    add_parameters(builder, arguments);
    visit_list(builder, &function->body);
    leave(builder);
    if (generic) {
        leave(builder);
    }
}

static void visit_Lambda(scope_builder *builder, const gm_node *node) {
    const gm_Lambda *lambda = gm_as_Lambda(node);
    const gm_arguments *arguments = gm_as_arguments(lambda->args);
    forbid_nested_scope(builder, node, "cannot use lambda in annotation scope within class scope");
    visit_list(builder, &arguments->defaults);
    visit_list(builder, &arguments->kw_defaults);
    scope_entry *entry = enter(builder, GM_SCOPE_FUNCTION, node, gm_names_intern(builder->tree->names, "lambda", 6));
    gm_scopes_record_scope(builder, node, &entry->scope);
    add_parameters(builder, arguments);
    visit(builder, lambda->body);
    leave(builder);
}

/* ---- Classes ---- */

static void visit_class_body(scope_builder *builder, const gm_ClassDef *class_, bool generic) {
    scope_entry *entry = enter(builder, GM_SCOPE_CLASS, &class_->base, class_->name);
    gm_scopes_record_scope(builder, &class_->base, &entry->scope);
    entry->scope.owner_class = &entry->scope;
    entry->private_name = class_->name;
    entry->generic_class = NULL;
    if (generic) {
        add_text(builder, "__type_params__", GM_SYMBOL_ASSIGNED);
        add_text(builder, ".type_params", GM_SYMBOL_USED);
    }
    visit_list(builder, &class_->body);
    leave(builder);
}

static void visit_ClassDef(scope_builder *builder, const gm_node *node) {
    const gm_ClassDef *class_ = gm_as_ClassDef(node);
    bool generic = class_->type_params.count > 0;
    add(builder, class_->name, GM_SYMBOL_ASSIGNED, node);
    if (at_least(builder, 312)) {
        visit_list(builder, &class_->decorator_list);
    }
    if (generic) {
        enter_type_params(builder, node, class_->name);
        builder->current->private_name = class_->name;
        bool spares_bases = builder->target == 0 || at_least(builder, 313);
        builder->current->generic_class = spares_bases ? builder->current : NULL;
        visit_list(builder, &class_->type_params);
    }
    visit_list(builder, &class_->bases);
    visit_list(builder, &class_->keywords);
    if (!at_least(builder, 312)) {
        visit_list(builder, &class_->decorator_list);
    }
    visit_class_body(builder, class_, generic);
    if (generic) {
        leave(builder);
    }
}

/* ---- Comprehensions ---- */

static void visit_target(scope_builder *builder, const gm_node *target) {
    bool before = builder->current->iter_target;
    builder->current->iter_target = true;
    visit(builder, target);
    builder->current->iter_target = before;
}

static void visit_iterable(scope_builder *builder, const gm_node *iterable) {
    builder->current->iter_depth++;
    visit(builder, iterable);
    builder->current->iter_depth--;
}

static void visit_comprehension(scope_builder *builder, const gm_node *node) {
    const gm_comprehension *part = gm_as_comprehension(node);
    visit_target(builder, part->target);
    visit_iterable(builder, part->iter);
    visit_list(builder, &part->ifs);
    builder->current->scope.traits |= part->is_async ? GM_SCOPE_HAS_AWAIT : 0;
}

typedef struct comprehension_parts {
    const char *name;
    const gm_list *generators;
    const gm_node *element;
    const gm_node *value;
} comprehension_parts;

static void enter_comprehension(scope_builder *builder, const gm_node *node, const char *name, bool generator) {
    forbid_nested_scope(builder, node, "cannot use comprehension in annotation scope within class scope");
    scope_entry *entry =
        enter(builder, GM_SCOPE_FUNCTION, node, gm_names_intern(builder->tree->names, name, strlen(name)));
    gm_scopes_record_scope(builder, node, &entry->scope);
    entry->comprehension = true;
    entry->generator_expression = generator;
    entry->scope.traits |= generator ? GM_SCOPE_HAS_YIELD : 0;
    add_spelled(builder, entry, builder->implicit, GM_SYMBOL_PARAMETER, NULL);
}

static void visit_parts(scope_builder *builder, const gm_node *node, comprehension_parts parts) {
    const gm_comprehension *first = gm_as_comprehension(parts.generators->items[0]);
    visit_iterable(builder, first->iter);
    enter_comprehension(builder, node, parts.name, node->kind == GM_KIND_GeneratorExp);
    builder->current->scope.traits |= first->is_async ? GM_SCOPE_HAS_AWAIT : 0;
    visit_target(builder, first->target);
    visit_list(builder, &first->ifs);
    for (uint32_t i = 1; i < parts.generators->count; i++) {
        visit(builder, parts.generators->items[i]);
    }
    visit_optional(builder, parts.value);
    visit(builder, parts.element);
    leave(builder);
}

static void visit_ListComp(scope_builder *builder, const gm_node *node) {
    const gm_ListComp *list = gm_as_ListComp(node);
    visit_parts(builder, node, (comprehension_parts){"listcomp", &list->generators, list->elt, NULL});
}

static void visit_SetComp(scope_builder *builder, const gm_node *node) {
    const gm_SetComp *set = gm_as_SetComp(node);
    visit_parts(builder, node, (comprehension_parts){"setcomp", &set->generators, set->elt, NULL});
}

static void visit_GeneratorExp(scope_builder *builder, const gm_node *node) {
    const gm_GeneratorExp *generator = gm_as_GeneratorExp(node);
    visit_parts(builder, node, (comprehension_parts){"genexpr", &generator->generators, generator->elt, NULL});
}

static void visit_DictComp(scope_builder *builder, const gm_node *node) {
    const gm_DictComp *dict = gm_as_DictComp(node);
    visit_parts(builder, node, (comprehension_parts){"dictcomp", &dict->generators, dict->key, dict->value});
}

/* ---- Assignment expressions ---- */

static void bind_outside(scope_builder *builder, scope_entry *entry, const gm_Name *target, uint32_t here, uint32_t there) {
    add(builder, target->id, here, &target->base);
    gm_symbol *symbol = add_spelled(builder, entry, spelling(builder, entry, target->id), there, NULL);
    gm_vec_push(builder->arena, &symbol->binders, &target->base);
}

static const char *const walrus_refusals[] = {
    [GM_SCOPE_CLASS] = "assignment expression within a comprehension cannot be used in a class body",
    [GM_SCOPE_TYPE_PARAMS] = "assignment expression within a comprehension cannot be used within the definition of a generic",
    [GM_SCOPE_TYPE_ALIAS] = "assignment expression within a comprehension cannot be used in a type alias",
    [GM_SCOPE_TYPE_VARIABLE] = "assignment expression within a comprehension cannot be used in a type variable bound",
    [GM_SCOPE_ANNOTATION] = "named expression cannot be used within an annotation",
};

/* The target of a walrus in a comprehension is a variable of the function or module around all comprehensions. */
static void extend_scope(scope_builder *builder, const gm_Name *target) {
    for (scope_entry *entry = builder->current; entry != NULL; entry = entry->outer) {
        /* Before 3.13 CPython looks the name up as it is written. */
        bool plain = builder->target != 0 && !at_least(builder, 313);
        const gm_name *name = plain ? target->id : spelling(builder, entry, target->id);
        const gm_symbol *symbol = gm_scope_find(&entry->scope, name);
        uint32_t flags = symbol == NULL ? 0 : symbol->flags;
        if (entry->comprehension) {
            if ((flags & GM_SYMBOL_ITERATION) != 0) {
                gm_scopes_complain(builder, &target->base,
                                   "assignment expression cannot rebind comprehension iteration variable `%s`", target->id);
            }
        } else if (entry->scope.kind == GM_SCOPE_FUNCTION) {
            bool global = (flags & GM_SYMBOL_GLOBAL) != 0;
            bind_outside(builder, entry, target, global ? GM_SYMBOL_GLOBAL : GM_SYMBOL_NONLOCAL, GM_SYMBOL_ASSIGNED);
            return;
        } else if (entry->scope.kind == GM_SCOPE_MODULE) {
            bind_outside(builder, entry, target, GM_SYMBOL_GLOBAL, GM_SYMBOL_GLOBAL);
            return;
        } else {
            gm_scopes_complain(builder, &target->base, walrus_refusals[entry->scope.kind], NULL);
            return;
        }
    }
}

/* Annotation-like scopes evaluate lazily or not at all: nothing may happen in them. */
static void forbid_in_annotation(scope_builder *builder, const gm_node *node, const char *what) {
    static const char *const places[] = {
        [GM_SCOPE_ANNOTATION] = "an annotation",
        [GM_SCOPE_TYPE_VARIABLE] = "a TypeVar bound",
        [GM_SCOPE_TYPE_ALIAS] = "a type alias",
        [GM_SCOPE_TYPE_PARAMS] = "the definition of a generic",
    };
    gm_scope_kind kind = (gm_scope_kind)builder->current->scope.kind;
    if (kind >= GM_SCOPE_ANNOTATION) {
        gm_buffer text;
        gm_buffer_init(&text, builder->arena);
        gm_buffer_printf(&text, "%s cannot be used within %s", what, places[kind]);
        gm_scopes_complain(builder, node, gm_buffer_text(&text), NULL);
    }
}

/* Visit the target of a binding that `definition` explains. */
static void visit_defined(scope_builder *builder, const gm_node *target, const gm_node *definition) {
    builder->definition = target->kind == GM_KIND_Name || target->kind == GM_KIND_alias ? definition : NULL;
    visit(builder, target);
    builder->definition = NULL;
}

static void visit_NamedExpr(scope_builder *builder, const gm_node *node) {
    const gm_NamedExpr *walrus = gm_as_NamedExpr(node);
    forbid_in_annotation(builder, node, "named expression");
    if (builder->current->iter_depth > 0) {
        gm_scopes_complain(builder, node, "assignment expression cannot be used in a comprehension iterable expression",
                           NULL);
    }
    if (builder->current->comprehension && walrus->target->kind == GM_KIND_Name) {
        extend_scope(builder, gm_as_Name(walrus->target));
    }
    visit(builder, walrus->value);
    visit_defined(builder, walrus->target, node);
}

static void forbid_yield(scope_builder *builder, const gm_node *node) {
    forbid_in_annotation(builder, node, "yield expression");
    if (builder->current->comprehension) {
        gm_scopes_complain(builder, node, "`yield` inside a comprehension or generator expression", NULL);
    }
    builder->current->scope.traits |= GM_SCOPE_HAS_YIELD;
}

static void visit_Yield(scope_builder *builder, const gm_node *node) {
    visit_optional(builder, gm_as_Yield(node)->value);
    forbid_yield(builder, node);
}

static void visit_YieldFrom(scope_builder *builder, const gm_node *node) {
    visit(builder, gm_as_YieldFrom(node)->value);
    forbid_yield(builder, node);
}

static void visit_Await(scope_builder *builder, const gm_node *node) {
    forbid_in_annotation(builder, node, "await expression");
    visit(builder, gm_as_Await(node)->value);
    builder->current->scope.traits |= GM_SCOPE_HAS_AWAIT;
}

/* ---- Names and calls ---- */

static bool is_zero_call(const gm_Call *call) {
    return call->args.count == 0 && call->keywords.count == 0;
}

static void mention(scope_builder *builder, const gm_name *name) {
    static const struct {
        const char *text;
        uint8_t bit;
    } always[] = {{"locals", MENTION_LOCALS}, {"eval", MENTION_EVAL}, {"exec", MENTION_EXEC}, {"super", MENTION_SUPER}};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        if (gm_name_is(name, always[i].text)) {
            builder->current->mentions |= always[i].bit;
        }
    }
    if (name == builder->class_cell) {
        builder->current->scope.traits |= GM_SCOPE_NAMES_CLASS;
    }
}

static void visit_Name(scope_builder *builder, const gm_node *node) {
    const gm_Name *name = gm_as_Name(node);
    add(builder, name->id, name->ctx == GM_LOAD ? GM_SYMBOL_USED : GM_SYMBOL_ASSIGNED, node);
    if (name->ctx != GM_LOAD) {
        return;
    }
    mention(builder, name->id);
    if (builder->current->function_like && gm_name_is(name->id, "super")) {
        add_spelled(builder, builder->current, builder->class_cell, GM_SYMBOL_USED, NULL);
    }
}

static void note_call(scope_builder *builder, const gm_Call *call) {
    if (call->func->kind == GM_KIND_Name && is_zero_call(call)) {
        const gm_name *name = gm_as_Name(call->func)->id;
        builder->current->mentions |= gm_name_is(name, "vars") ? MENTION_VARS : 0;
        builder->current->mentions |= gm_name_is(name, "dir") ? MENTION_DIR : 0;
    }
}

static void note_attribute(scope_builder *builder, const gm_name *name) {
    if (gm_name_is(name, "_getframe") || gm_name_is(name, "currentframe")) {
        builder->current->scope.traits |= GM_SCOPE_NAMES_FRAME;
    }
}

/* ---- Statements ---- */

static const char *directive_error(uint32_t flags, bool global) {
    static const char *const texts[2][4] = {
        {"name `%s` is parameter and nonlocal", "name `%s` is used prior to nonlocal declaration",
         "annotated name `%s` can't be nonlocal", "name `%s` is assigned to before nonlocal declaration"},
        {"name `%s` is parameter and global", "name `%s` is used prior to global declaration",
         "annotated name `%s` can't be global", "name `%s` is assigned to before global declaration"},
    };
    unsigned which = (flags & GM_SYMBOL_PARAMETER) != 0 ? 0 : (flags & GM_SYMBOL_USED) != 0 ? 1
                     : (flags & GM_SYMBOL_ANNOTATED) != 0 ? 2 : 3;
    uint32_t relevant = GM_SYMBOL_PARAMETER | GM_SYMBOL_ASSIGNED | GM_SYMBOL_USED | GM_SYMBOL_ANNOTATED;
    return (flags & relevant) == 0 ? NULL : texts[global][which];
}

static void declare(scope_builder *builder, const gm_node *node, const gm_name_list *names, bool global) {
    for (uint32_t i = 0; i < names->count; i++) {
        const gm_name *name = spelling(builder, builder->current, names->items[i]);
        const gm_symbol *symbol = gm_scope_find(&builder->current->scope, name);
        const char *error = directive_error(symbol == NULL ? 0 : symbol->flags, global);
        if (error != NULL) {
            gm_scopes_complain(builder, node, error, name);
        }
        add_spelled(builder, builder->current, name, global ? GM_SYMBOL_GLOBAL : GM_SYMBOL_NONLOCAL, NULL);
    }
}

static void visit_Global(scope_builder *builder, const gm_node *node) {
    declare(builder, node, &gm_as_Global(node)->names, true);
}

static void visit_Nonlocal(scope_builder *builder, const gm_node *node) {
    declare(builder, node, &gm_as_Nonlocal(node)->names, false);
}

static void annotate_name(scope_builder *builder, const gm_AnnAssign *assign) {
    const gm_Name *target = gm_as_Name(assign->target);
    const gm_symbol *symbol = gm_scope_find(&builder->current->scope, spelling(builder, builder->current, target->id));
    uint32_t flags = symbol == NULL ? 0 : symbol->flags;
    bool in_module = builder->current->scope.kind == GM_SCOPE_MODULE;
    if ((flags & (GM_SYMBOL_GLOBAL | GM_SYMBOL_NONLOCAL)) != 0 && !in_module && assign->simple) {
        gm_scopes_complain(builder, assign->target,
                           (flags & GM_SYMBOL_GLOBAL) != 0 ? "annotated name `%s` can't be global"
                                                           : "annotated name `%s` can't be nonlocal",
                           target->id);
    }
    if (assign->simple) {
        add(builder, target->id, GM_SYMBOL_ANNOTATED | GM_SYMBOL_ASSIGNED, assign->target);
    } else if (assign->value != NULL) {
        add(builder, target->id, GM_SYMBOL_ASSIGNED, assign->target);
    }
}

static void visit_AnnAssign(scope_builder *builder, const gm_node *node) {
    const gm_AnnAssign *assign = gm_as_AnnAssign(node);
    if (assign->target->kind == GM_KIND_Name) {
        builder->definition = node;
        annotate_name(builder, assign);
        builder->definition = NULL;
    } else {
        visit(builder, assign->target);
    }
    visit_annotation(builder, assign->annotation);
    visit_optional(builder, assign->value);
}

static void visit_Assign(scope_builder *builder, const gm_node *node) {
    const gm_Assign *assign = gm_as_Assign(node);
    for (uint32_t i = 0; i < assign->targets.count; i++) {
        visit_defined(builder, assign->targets.items[i], node);
    }
    visit(builder, assign->value);
}

static bool is_future(const gm_node *node) {
    return node->kind == GM_KIND_ImportFrom && gm_as_ImportFrom(node)->level == 0 &&
           gm_name_is(gm_as_ImportFrom(node)->module, "__future__");
}

/* No version runs a late import of a feature; most leave it to the compiler to say so. */
static void visit_import(scope_builder *builder, const gm_node *node) {
    if (builder->target == 0 && is_future(node) && node->start >= builder->future_end) {
        gm_scopes_complain(builder, node, late_future, NULL);
    }
    const gm_list *names = node->kind == GM_KIND_Import ? &gm_as_Import(node)->names : &gm_as_ImportFrom(node)->names;
    for (uint32_t i = 0; i < names->count; i++) {
        visit_defined(builder, names->items[i], node);
    }
}

static void visit_alias(scope_builder *builder, const gm_node *node) {
    const gm_alias *alias = gm_as_alias(node);
    const gm_name *name = alias->asname != NULL ? alias->asname : alias->name;
    if (gm_name_is(name, "*")) {
        builder->current->scope.traits |= GM_SCOPE_IMPORT_STAR;
        if (builder->current->scope.kind != GM_SCOPE_MODULE) {
            gm_scopes_complain(builder, node, "`import *` only allowed at module level", NULL);
        }
        return;
    }
    const char *dot = memchr(name->text, '.', name->length);
    if (dot != NULL) {
        name = gm_names_intern(builder->tree->names, name->text, (size_t)(dot - name->text));
    }
    add(builder, name, GM_SYMBOL_IMPORTED, node);
}

/* Both kinds of try; up to 3.12 CPython visits `else` before the handlers. */
static void visit_Try(scope_builder *builder, const gm_node *node) {
    const gm_Try *try = (const gm_Try *)(const void *)node;
    bool in_order = builder->target == 0 || at_least(builder, 313);
    visit_list(builder, &try->body);
    if (!in_order) {
        visit_list(builder, &try->orelse);
    }
    visit_list(builder, &try->handlers);
    if (in_order) {
        visit_list(builder, &try->orelse);
    }
    visit_list(builder, &try->finalbody);
}

static void visit_ExceptHandler(scope_builder *builder, const gm_node *node) {
    const gm_ExceptHandler *handler = gm_as_ExceptHandler(node);
    visit_optional(builder, handler->type);
    if (handler->name != NULL) {
        add(builder, handler->name, GM_SYMBOL_ASSIGNED, node);
    }
    visit_list(builder, &handler->body);
}

/* `elif` chains nest as deep as they are long. */
static void visit_If(scope_builder *builder, const gm_node *node) {
    for (;;) {
        const gm_If *branch = gm_as_If(node);
        visit(builder, branch->test);
        visit_list(builder, &branch->body);
        if (branch->orelse.count != 1 || branch->orelse.items[0]->kind != GM_KIND_If) {
            visit_list(builder, &branch->orelse);
            return;
        }
        node = branch->orelse.items[0];
    }
}

static void visit_Return(scope_builder *builder, const gm_node *node) {
    const gm_Return *statement = gm_as_Return(node);
    if (statement->value != NULL) {
        visit(builder, statement->value);
        builder->current->scope.traits |= GM_SCOPE_HAS_RETURN_VALUE;
    }
}

static void visit_async(scope_builder *builder, const gm_node *node) {
    builder->current->scope.traits |= GM_SCOPE_HAS_AWAIT;
    visit_fields(builder, node, 0);
}

static void visit_MatchAs(scope_builder *builder, const gm_node *node) {
    const gm_MatchAs *match = gm_as_MatchAs(node);
    visit_optional(builder, match->pattern);
    if (match->name != NULL) {
        add(builder, match->name, GM_SYMBOL_ASSIGNED, node);
    }
}

static void visit_MatchStar(scope_builder *builder, const gm_node *node) {
    if (gm_as_MatchStar(node)->name != NULL) {
        add(builder, gm_as_MatchStar(node)->name, GM_SYMBOL_ASSIGNED, node);
    }
}

static void visit_MatchMapping(scope_builder *builder, const gm_node *node) {
    const gm_MatchMapping *match = gm_as_MatchMapping(node);
    visit_list(builder, &match->keys);
    visit_list(builder, &match->patterns);
    if (match->rest != NULL) {
        add(builder, match->rest, GM_SYMBOL_ASSIGNED, node);
    }
}

/* ---- Type parameters ---- */

static void visit_lazy(scope_builder *builder, gm_scope_kind kind, const gm_node *owner, const gm_name *name, bool sees,
                       const gm_node *value) {
    enter(builder, kind, owner, name);
    see_class(builder, sees);
    visit(builder, value);
    leave(builder);
}

static void add_type_param(scope_builder *builder, const gm_node *node, const gm_name *name, const gm_node *bound,
                           const gm_node *default_value) {
    bool sees = builder->current->sees_class;
    add(builder, name, GM_SYMBOL_TYPE_PARAM | GM_SYMBOL_ASSIGNED, node);
    if (bound != NULL) {
        visit_lazy(builder, GM_SCOPE_TYPE_VARIABLE, node, name, sees, bound);
    }
    if (default_value != NULL) {
        visit_lazy(builder, GM_SCOPE_TYPE_VARIABLE, node, name, sees, default_value);
    }
}

static void visit_TypeVar(scope_builder *builder, const gm_node *node) {
    const gm_TypeVar *param = gm_as_TypeVar(node);
    add_type_param(builder, node, param->name, param->bound, param->default_value);
}

static void visit_ParamSpec(scope_builder *builder, const gm_node *node) {
    const gm_ParamSpec *param = gm_as_ParamSpec(node);
    add_type_param(builder, node, param->name, NULL, param->default_value);
}

static void visit_TypeVarTuple(scope_builder *builder, const gm_node *node) {
    const gm_TypeVarTuple *param = gm_as_TypeVarTuple(node);
    add_type_param(builder, node, param->name, NULL, param->default_value);
}

static void visit_TypeAlias(scope_builder *builder, const gm_node *node) {
    const gm_TypeAlias *alias = gm_as_TypeAlias(node);
    const gm_name *name = alias->name->kind == GM_KIND_Name ? gm_as_Name(alias->name)->id : builder->implicit;
    bool sees = in_class(builder);
    visit(builder, alias->name);
    if (alias->type_params.count > 0) {
        enter_type_params(builder, node, name);
        visit_list(builder, &alias->type_params);
    }
    visit_lazy(builder, GM_SCOPE_TYPE_ALIAS, node, name, sees, alias->value);
    if (alias->type_params.count > 0) {
        leave(builder);
    }
}

/* ---- Dispatch ---- */

static void (*const visitors[GM_KIND_COUNT])(scope_builder *, const gm_node *) = {
    [GM_KIND_FunctionDef] = visit_FunctionDef,
    [GM_KIND_AsyncFunctionDef] = visit_FunctionDef,
    [GM_KIND_ClassDef] = visit_ClassDef,
    [GM_KIND_Lambda] = visit_Lambda,
    [GM_KIND_ListComp] = visit_ListComp,
    [GM_KIND_SetComp] = visit_SetComp,
    [GM_KIND_DictComp] = visit_DictComp,
    [GM_KIND_GeneratorExp] = visit_GeneratorExp,
    [GM_KIND_comprehension] = visit_comprehension,
    [GM_KIND_NamedExpr] = visit_NamedExpr,
    [GM_KIND_Yield] = visit_Yield,
    [GM_KIND_YieldFrom] = visit_YieldFrom,
    [GM_KIND_Await] = visit_Await,
    [GM_KIND_Name] = visit_Name,
    [GM_KIND_Global] = visit_Global,
    [GM_KIND_Nonlocal] = visit_Nonlocal,
    [GM_KIND_Assign] = visit_Assign,
    [GM_KIND_Import] = visit_import,
    [GM_KIND_ImportFrom] = visit_import,
    [GM_KIND_AnnAssign] = visit_AnnAssign,
    [GM_KIND_alias] = visit_alias,
    [GM_KIND_Try] = visit_Try,
    [GM_KIND_TryStar] = visit_Try,
    [GM_KIND_ExceptHandler] = visit_ExceptHandler,
    [GM_KIND_If] = visit_If,
    [GM_KIND_Return] = visit_Return,
    [GM_KIND_AsyncFor] = visit_async,
    [GM_KIND_AsyncWith] = visit_async,
    [GM_KIND_MatchAs] = visit_MatchAs,
    [GM_KIND_MatchStar] = visit_MatchStar,
    [GM_KIND_MatchMapping] = visit_MatchMapping,
    [GM_KIND_TypeVar] = visit_TypeVar,
    [GM_KIND_ParamSpec] = visit_ParamSpec,
    [GM_KIND_TypeVarTuple] = visit_TypeVarTuple,
    [GM_KIND_TypeAlias] = visit_TypeAlias,
};

static void visit_spine(scope_builder *builder, const gm_node *node) {
    uint32_t base = builder->spine.count;
    for (const gm_node *left = gm_left_operand(node); left != NULL; left = gm_left_operand(node)) {
        gm_vec_push(builder->arena, &builder->spine, node);
        node = left;
    }
    visit(builder, node);
    while (builder->spine.count > base) {
        node = builder->spine.items[--builder->spine.count];
        if (node->kind == GM_KIND_Call) {
            note_call(builder, gm_as_Call(node));
        } else if (node->kind == GM_KIND_Attribute) {
            note_attribute(builder, gm_as_Attribute(node)->attr);
        }
        visit_fields(builder, node, 1);
    }
}

static void visit(scope_builder *builder, const gm_node *node) {
    if (visitors[node->kind] != NULL) {
        visitors[node->kind](builder, node);
    } else if (gm_left_operand(node) != NULL) {
        visit_spine(builder, node);
    } else {
        visit_fields(builder, node, 0);
    }
}

static bool is_docstring(const gm_node *node) {
    const gm_node *value = node->kind == GM_KIND_Expr ? gm_as_Expr(node)->value : node;
    return value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal == GM_LITERAL_str;
}

static void check_feature(scope_builder *builder, const gm_alias *alias) {
    static const char *const features[] = {"nested_scopes",  "generators",       "division",      "absolute_import",
                                           "with_statement", "print_function",   "unicode_literals", "barry_as_FLUFL",
                                           "generator_stop", "annotations"};
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (gm_name_is(alias->name, features[i])) {
            return;
        }
    }
    /* Up to 3.9 it is the compiler that complains, not the symbol table. */
    if (builder->target == 0 || at_least(builder, 310)) {
        gm_scopes_complain(builder, &alias->base, "future feature `%s` is not defined", alias->name);
    }
}

static void read_features(scope_builder *builder, const gm_ImportFrom *node) {
    for (uint32_t i = 0; i < node->names.count; i++) {
        const gm_alias *alias = gm_as_alias(node->names.items[i]);
        builder->future_annotations |= gm_name_is(alias->name, "annotations");
        check_feature(builder, alias);
    }
}

/* The symbol tables of 3.10 and 3.11 refuse a late import that is on the line of the statement in front of it. */
static void refuse_on_same_line(scope_builder *builder, const gm_list *body, uint32_t at) {
    const gm_source *source = builder->tree->source;
    uint32_t line = gm_source_position(source, body->items[at]->start).line;
    for (uint32_t i = at + 1; i < body->count && gm_source_position(source, body->items[i]->start).line == line; i++) {
        if (is_future(body->items[i])) {
            gm_scopes_complain(builder, body->items[i], late_future, NULL);
            return;
        }
    }
}

/* Future imports stand at the beginning of a module, behind its docstring. */
static void read_future(scope_builder *builder, const gm_Module *module) {
    uint32_t at = module->body.count > 0 && is_docstring(module->body.items[0]) ? 1 : 0;
    while (at < module->body.count && is_future(module->body.items[at])) {
        read_features(builder, gm_as_ImportFrom(module->body.items[at]));
        at++;
    }
    builder->future_end = at < module->body.count ? module->body.items[at]->start : UINT32_MAX;
    if (at < module->body.count && at_least(builder, 310) && !at_least(builder, 312)) {
        refuse_on_same_line(builder, &module->body, at);
    }
}

void gm_scopes_collect(scope_builder *builder) {
    const gm_Module *module = builder->tree->module;
    read_future(builder, module);
    scope_entry *entry = enter(builder, GM_SCOPE_MODULE, &module->base, gm_names_intern(builder->tree->names, "top", 3));
    gm_scopes_record_scope(builder, &module->base, &entry->scope);
    visit_list(builder, &module->body);
    leave(builder);
}
