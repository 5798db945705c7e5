/* First pass: comprehensions, assignment expressions, and what may not stand in comprehensions and annotations. */
#include <string.h>

#include "flow/scopes_visit.h"

/* ---- Comprehensions ---- */

static void visit_target(scope_builder *builder, const gm_node *target) {
    bool before = builder->current->iter_target;
    builder->current->iter_target = true;
    gm_scopes_visit(builder, target);
    builder->current->iter_target = before;
}

static void visit_iterable(scope_builder *builder, const gm_node *iterable) {
    builder->current->iter_depth++;
    gm_scopes_visit(builder, iterable);
    builder->current->iter_depth--;
}

void gm_scopes_visit_comprehension(scope_builder *builder, const gm_node *node) {
    const gm_comprehension *part = gm_as_comprehension(node);
    visit_target(builder, part->target);
    visit_iterable(builder, part->iter);
    gm_scopes_visit_list(builder, &part->ifs);
    builder->current->scope.traits |= part->is_async ? GM_SCOPE_HAS_AWAIT : 0;
}

typedef struct comprehension_parts {
    const char *name;
    const gm_list *generators;
    const gm_node *element;
    const gm_node *value;
} comprehension_parts;

static void enter_comprehension(scope_builder *builder, const gm_node *node, const char *name, bool generator) {
    gm_scopes_forbid_nested(builder, node, "cannot use comprehension in annotation scope within class scope");
    scope_entry *entry = gm_scopes_enter(builder, GM_SCOPE_FUNCTION, node, gm_names_intern(builder->tree->names, name, strlen(name)));
    gm_scopes_record_scope(builder, node, &entry->scope);
    entry->comprehension = true;
    entry->generator_expression = generator;
    entry->scope.traits |= generator ? GM_SCOPE_HAS_YIELD : 0;
    gm_scopes_add_spelled(builder, entry, builder->implicit, GM_SYMBOL_PARAMETER, NULL);
}

static void visit_parts(scope_builder *builder, const gm_node *node, comprehension_parts parts) {
    const gm_comprehension *first = gm_as_comprehension(parts.generators->items[0]);
    visit_iterable(builder, first->iter);
    enter_comprehension(builder, node, parts.name, node->kind == GM_KIND_GeneratorExp);
    builder->current->scope.traits |= first->is_async ? GM_SCOPE_HAS_AWAIT : 0;
    visit_target(builder, first->target);
    gm_scopes_visit_list(builder, &first->ifs);
    for (uint32_t i = 1; i < parts.generators->count; i++) {
        gm_scopes_visit(builder, parts.generators->items[i]);
    }
    gm_scopes_visit_optional(builder, parts.value);
    gm_scopes_visit(builder, parts.element);
    gm_scopes_leave(builder);
}

void gm_scopes_visit_ListComp(scope_builder *builder, const gm_node *node) {
    const gm_ListComp *list = gm_as_ListComp(node);
    visit_parts(builder, node, (comprehension_parts){"listcomp", &list->generators, list->elt, NULL});
}

void gm_scopes_visit_SetComp(scope_builder *builder, const gm_node *node) {
    const gm_SetComp *set = gm_as_SetComp(node);
    visit_parts(builder, node, (comprehension_parts){"setcomp", &set->generators, set->elt, NULL});
}

void gm_scopes_visit_GeneratorExp(scope_builder *builder, const gm_node *node) {
    const gm_GeneratorExp *generator = gm_as_GeneratorExp(node);
    visit_parts(builder, node, (comprehension_parts){"genexpr", &generator->generators, generator->elt, NULL});
}

void gm_scopes_visit_DictComp(scope_builder *builder, const gm_node *node) {
    const gm_DictComp *dict = gm_as_DictComp(node);
    visit_parts(builder, node, (comprehension_parts){"dictcomp", &dict->generators, dict->key, dict->value});
}

/* ---- Assignment expressions ---- */

static void bind_outside(scope_builder *builder, scope_entry *entry, const gm_Name *target, uint32_t here, uint32_t there) {
    gm_scopes_add(builder, target->id, here, &target->base);
    gm_symbol *symbol = gm_scopes_add_spelled(builder, entry, gm_scopes_spell(builder, entry, target->id), there, NULL);
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
        bool plain = builder->target != 0 && !scopes_at_least(builder, 313);
        const gm_name *name = plain ? target->id : gm_scopes_spell(builder, entry, target->id);
        const gm_symbol *symbol = gm_scope_find(&entry->scope, name);
        uint32_t flags = symbol == NULL ? 0 : symbol->flags;
        if (entry->comprehension) {
            bool reads_count = builder->target != 0 && !scopes_at_least(builder, 312); /* `for x[0] in y` binds no `x` */
            if ((flags & GM_SYMBOL_ITERATION) != 0 && (reads_count || (flags & GM_SYMBOL_ASSIGNED) != 0)) {
                gm_scopes_complain(builder, &target->base, "assignment expression cannot rebind comprehension iteration variable `%s`",
                                   target->id);
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

void gm_scopes_visit_NamedExpr(scope_builder *builder, const gm_node *node) {
    const gm_NamedExpr *walrus = gm_as_NamedExpr(node);
    forbid_in_annotation(builder, node, "named expression");
    if (builder->current->iter_depth > 0) {
        gm_scopes_complain(builder, node, "assignment expression cannot be used in a comprehension iterable expression", NULL);
    }
    if (builder->current->comprehension && walrus->target->kind == GM_KIND_Name) {
        extend_scope(builder, gm_as_Name(walrus->target));
    }
    gm_scopes_visit(builder, walrus->value);
    gm_scopes_visit_defined(builder, walrus->target, node);
}

static void forbid_yield(scope_builder *builder, const gm_node *node) {
    forbid_in_annotation(builder, node, "yield expression");
    if (builder->current->comprehension) {
        gm_scopes_complain(builder, node, "`yield` inside a comprehension or generator expression", NULL);
    }
    builder->current->scope.traits |= GM_SCOPE_HAS_YIELD;
}

void gm_scopes_visit_Yield(scope_builder *builder, const gm_node *node) {
    gm_scopes_visit_optional(builder, gm_as_Yield(node)->value);
    forbid_yield(builder, node);
}

void gm_scopes_visit_YieldFrom(scope_builder *builder, const gm_node *node) {
    gm_scopes_visit(builder, gm_as_YieldFrom(node)->value);
    forbid_yield(builder, node);
}

void gm_scopes_visit_Await(scope_builder *builder, const gm_node *node) {
    forbid_in_annotation(builder, node, "await expression");
    gm_scopes_visit(builder, gm_as_Await(node)->value);
    builder->current->scope.traits |= GM_SCOPE_HAS_AWAIT;
}
