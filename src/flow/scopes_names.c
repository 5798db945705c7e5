/* First pass: putting names into scopes, and opening and closing scopes. */
#include <string.h>

#include "flow/scopes_visit.h"

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
const gm_name *gm_scopes_spell(scope_builder *builder, const scope_entry *entry, const gm_name *name) {
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
gm_symbol *gm_scopes_add_spelled(scope_builder *builder, scope_entry *entry, const gm_name *name, uint32_t flags, const gm_node *node) {
    gm_symbol *symbol = gm_scope_intern(builder, &entry->scope, name);
    if (node != NULL) {
        check_duplicate(builder, symbol, flags, node);
        gm_scopes_record(builder, node, symbol);
    }
    if (entry->iter_target) {
        if ((symbol->flags & (GM_SYMBOL_GLOBAL | GM_SYMBOL_NONLOCAL)) != 0 && node != NULL) {
            gm_scopes_complain(builder, node, "comprehension inner loop cannot rebind assignment expression target `%s`", name);
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

void gm_scopes_add(scope_builder *builder, const gm_name *name, uint32_t flags, const gm_node *node) {
    const gm_name *spelled = (flags & GM_SYMBOL_TYPE_PARAM) != 0 ? mangle(builder, builder->current, name)
                                                                 : gm_scopes_spell(builder, builder->current, name);
    gm_scopes_add_spelled(builder, builder->current, spelled, flags, node);
}

void gm_scopes_add_text(scope_builder *builder, const char *text, uint32_t flags) {
    gm_scopes_add_spelled(builder, builder->current, gm_names_intern(builder->tree->names, text, strlen(text)), flags, NULL);
}

/* ---- Scopes ---- */

scope_entry *gm_scopes_enter(scope_builder *builder, gm_scope_kind kind, const gm_node *node, const gm_name *name) {
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

void gm_scopes_leave(scope_builder *builder) {
    builder->current = builder->current->outer;
}

/* Annotation scopes directly in a class look the class's names up, too. */
void gm_scopes_see_class(scope_builder *builder, bool sees) {
    builder->current->sees_class = sees;
    if (sees) {
        gm_scopes_add_spelled(builder, builder->current, builder->class_dict, GM_SYMBOL_USED, NULL);
    }
}

void gm_scopes_forbid_nested(scope_builder *builder, const gm_node *node, const char *message) {
    if (builder->current->sees_class && builder->target == 312) {
        gm_scopes_complain(builder, node, message, NULL);
    }
}
