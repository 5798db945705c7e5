/* Second pass: from the raw flags of each scope to what its names are.
 *
 *     def f():
 *         x = 1            x: a cell of f, for g reads it
 *         def g():
 *             return x, y  x: free in g; y: global, for no function around binds it
 *
 * Problem: what a name is depends on scopes on both sides. Whether `x` of g is free is known from the outside in; whether `x` of f is a cell is
 * known from the inside out.
 *
 * Idea: one walk over the tree of scopes. On the way down, each name has flags that tell what the functions around bind; on the way up, each
 * scope returns the list of names that are free in it, and the scope around turns its own locals among them into cells and passes on the rest. That is
 * analyze_block of CPython, name for name, for the symbol tables are compared with those of CPython. CPython copies a set of names for each
 * scope; here a journal holds the flags as they were, and is undone when a scope is left: the time is that of the names in a scope, not of the names around.
 * A class hides what it binds from the functions in it. A comprehension of Python 3.12 is resolved as a scope, and then merged into the one around.
 *
 * Sources: CPython, Python/symtable.c (analyze_block, analyze_name, inline_comprehension); PEP 227 nested scopes, PEP 695 type parameters,
 * PEP 709 inlined comprehensions. Appel, Modern Compiler Implementation (1998), 5.1: a table with an undo stack in place of tables that
 * share their parts. */
#include "flow/scopes_private.h"

typedef GM_VEC(const gm_name *) name_list;

enum { SEEN_BOUND = 1, SEEN_TYPE_PARAM = 2 };

typedef struct undo {
    uint32_t name;
    uint8_t before;
} undo;

typedef struct scope_resolver {
    scope_builder *builder;
    gm_arena *arena;
    uint8_t *seen;   /* SEEN_... by index of the name: what the scopes around say */
    uint32_t *stamp; /* by index of the name: the last merge that met it */
    uint32_t merges;
    GM_VEC(undo) journal;
} scope_resolver;

static bool has(const scope_resolver *resolver, const gm_name *name, uint8_t bit) {
    return (resolver->seen[name->index] & bit) != 0;
}

static void set(scope_resolver *resolver, const gm_name *name, uint8_t bits, uint8_t cleared) {
    uint8_t before = resolver->seen[name->index];
    gm_vec_push(resolver->arena, &resolver->journal, ((undo){name->index, before}));
    resolver->seen[name->index] = (uint8_t)((before & ~cleared) | bits);
}

static bool has_class_dict(const scope_resolver *resolver) {
    return resolver->builder->target == 0 || resolver->builder->target >= 312;
}

static void undo_to(scope_resolver *resolver, uint32_t mark) {
    while (resolver->journal.count > mark) {
        undo last = resolver->journal.items[--resolver->journal.count];
        resolver->seen[last.name] = last.before;
    }
}

/* ---- One name ---- */

/* At the statement that declares the name. */
static void complain(scope_resolver *resolver, const gm_symbol *symbol, const char *format) {
    uint32_t at = gm_table_find(&resolver->builder->directive_of, gm_table_pointer(symbol));
    const gm_node *node = at == GM_TABLE_NONE ? symbol->scope->node : resolver->builder->directives.items[at];
    gm_scopes_complain(resolver->builder, node, format, symbol->name);
}

static void resolve_nonlocal(scope_resolver *resolver, gm_symbol *symbol, name_list *free) {
    if (symbol->scope->parent == NULL) {
        complain(resolver, symbol, "nonlocal declaration not allowed at module level");
        return;
    }
    if (!has(resolver, symbol->name, SEEN_BOUND)) {
        complain(resolver, symbol, "no binding for nonlocal `%s` found");
        return;
    }
    if (has(resolver, symbol->name, SEEN_TYPE_PARAM)) {
        complain(resolver, symbol, "nonlocal binding not allowed for type parameter `%s`");
    }
    symbol->binding = GM_BINDING_FREE;
    gm_vec_push(resolver->arena, free, symbol->name);
}

/* A name that an annotation scope finds in the class it stands in is looked up there at run time. */
static bool found_in_class(const gm_scope *class_scope, gm_symbol *symbol) {
    const gm_symbol *member = class_scope == NULL ? NULL : gm_scope_find(class_scope, symbol->name);
    if (member == NULL) {
        return false;
    }
    if ((member->flags & GM_SYMBOL_GLOBAL) != 0) {
        symbol->binding = GM_BINDING_GLOBAL_EXPLICIT;
        return true;
    }
    if ((member->flags & GM_SYMBOL_BOUND) != 0 && (member->flags & GM_SYMBOL_NONLOCAL) == 0) {
        symbol->binding = GM_BINDING_GLOBAL_IMPLICIT;
        return true;
    }
    return false;
}

static void note_type_param(scope_resolver *resolver, const gm_symbol *symbol) {
    bool param = (symbol->flags & GM_SYMBOL_TYPE_PARAM) != 0;
    set(resolver, symbol->name, param ? SEEN_TYPE_PARAM : 0, param ? 0 : SEEN_TYPE_PARAM);
}

static void resolve_name(scope_resolver *resolver, gm_symbol *symbol, const gm_scope *class_scope, name_list *free) {
    if ((symbol->flags & GM_SYMBOL_GLOBAL) != 0) {
        if ((symbol->flags & GM_SYMBOL_NONLOCAL) != 0) {
            complain(resolver, symbol, "name `%s` is nonlocal and global");
        }
        symbol->binding = GM_BINDING_GLOBAL_EXPLICIT;
        set(resolver, symbol->name, 0, SEEN_BOUND);
    } else if ((symbol->flags & GM_SYMBOL_NONLOCAL) != 0) {
        resolve_nonlocal(resolver, symbol, free);
    } else if ((symbol->flags & GM_SYMBOL_BOUND) != 0) {
        symbol->binding = GM_BINDING_LOCAL;
        note_type_param(resolver, symbol);
    } else if (!found_in_class(class_scope, symbol) && has(resolver, symbol->name, SEEN_BOUND)) {
        symbol->binding = GM_BINDING_FREE;
        gm_vec_push(resolver->arena, free, symbol->name);
    }
}

/* ---- Inlined comprehensions (PEP 709) ---- */

static bool free_in_child(const gm_scope *scope, const gm_name *name) {
    for (uint32_t i = 0; i < scope->children.count; i++) {
        const gm_symbol *symbol = gm_scope_find(scope->children.items[i], name);
        if (symbol != NULL && symbol->binding == GM_BINDING_FREE) {
            return true;
        }
    }
    return false;
}

static void discard(name_list *list, const gm_name *name) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] != name) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Move the names of an inlined comprehension into the scope around it. */
static void inline_into(scope_resolver *resolver, gm_scope *scope, gm_scope *inner, name_list *inner_free, name_list *cells) {
    bool in_class = scope->kind == GM_SCOPE_CLASS;
    for (uint32_t i = 0; i < inner->symbols.count; i++) {
        const gm_symbol *symbol = inner->symbols.items[i];
        uint8_t binding = symbol->binding;
        if ((symbol->flags & GM_SYMBOL_PARAMETER) != 0) {
            continue;
        }
        if (binding == GM_BINDING_CELL || (symbol->flags & GM_SYMBOL_COMP_CELL) != 0) {
            gm_vec_push(resolver->arena, cells, symbol->name);
        }
        if (in_class && binding == GM_BINDING_FREE && symbol->name == resolver->builder->class_cell && resolver->builder->target >= 313) {
            binding = GM_BINDING_GLOBAL_IMPLICIT;
            discard(inner_free, symbol->name);
        }
        gm_symbol *outer = gm_scope_find(scope, symbol->name);
        if (outer == NULL) {
            outer = gm_scope_intern(resolver->builder, scope, symbol->name);
            outer->flags = symbol->flags;
            outer->binding = binding;
        } else if ((outer->flags & GM_SYMBOL_BOUND) != 0 && !in_class && !free_in_child(inner, symbol->name)) {
            discard(inner_free, symbol->name);
        }
    }
    scope_entry_of(inner)->inlined = true;
}

/* The children of inlined comprehensions take their places. */
static void splice_children(scope_resolver *resolver, gm_scope *scope) {
    bool any = false;
    for (uint32_t i = 0; i < scope->children.count; i++) {
        any |= scope_entry_of(scope->children.items[i])->inlined;
    }
    if (!any) {
        return;
    }
    GM_VEC(gm_scope *) spliced = {0};
    for (uint32_t i = 0; i < scope->children.count; i++) {
        gm_scope *child = scope->children.items[i];
        if (!scope_entry_of(child)->inlined) {
            gm_vec_push(resolver->arena, &spliced, child);
            continue;
        }
        for (uint32_t k = 0; k < child->children.count; k++) {
            gm_vec_push(resolver->arena, &spliced, child->children.items[k]);
        }
    }
    scope->children.items = spliced.items;
    scope->children.count = spliced.count;
    scope->children.capacity = spliced.capacity;
}

/* ---- One scope ---- */

static bool inlines(const scope_resolver *resolver, const gm_scope *scope, gm_scope *child) {
    const scope_entry *entry = scope_entry_of(child);
    return resolver->builder->target >= 312 && entry->comprehension && !entry->generator_expression &&
           !((const scope_entry *)(const void *)scope)->sees_class;
}

static void merge(scope_resolver *resolver, name_list *into, const name_list *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        gm_vec_push(resolver->arena, into, from->items[i]);
    }
}

static void deduplicate(scope_resolver *resolver, name_list *list) {
    uint32_t kept = 0;
    resolver->merges++;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t index = list->items[i]->index;
        if (resolver->stamp[index] != resolver->merges) {
            resolver->stamp[index] = resolver->merges;
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Locals that inner scopes capture become cells and are no longer free further out. */
static void settle_cells(scope_resolver *resolver, gm_scope *scope, name_list *free, const name_list *cells) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < free->count; i++) {
        gm_symbol *symbol = gm_scope_find(scope, free->items[i]);
        if (symbol != NULL && symbol->binding == GM_BINDING_LOCAL) {
            symbol->binding = GM_BINDING_CELL;
        } else {
            free->items[kept++] = free->items[i];
        }
    }
    free->count = kept;
    for (uint32_t i = 0; i < cells->count; i++) {
        gm_symbol *symbol = gm_scope_find(scope, cells->items[i]);
        symbol->binding = symbol->binding == GM_BINDING_LOCAL ? GM_BINDING_CELL : symbol->binding;
        symbol->flags |= resolver->builder->target >= 312 ? GM_SYMBOL_COMP_CELL : 0;
    }
}

/* A free name of an inner scope passes through this one. */
static void pass_free_through(scope_resolver *resolver, gm_scope *scope, const name_list *free) {
    for (uint32_t i = 0; i < free->count; i++) {
        if (gm_scope_find(scope, free->items[i]) == NULL && has(resolver, free->items[i], SEEN_BOUND)) {
            gm_scope_intern(resolver->builder, scope, free->items[i])->binding = GM_BINDING_FREE;
        }
    }
}

/* Inner scopes do not see what a class binds, nor what it declares global; only that a name is no type parameter any more. */
static void expose_class(scope_resolver *resolver, gm_scope *scope, uint32_t mark) {
    undo_to(resolver, mark);
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        if (scope->symbols.items[i]->binding == GM_BINDING_LOCAL) {
            note_type_param(resolver, scope->symbols.items[i]);
        }
    }
    set(resolver, resolver->builder->class_cell, SEEN_BOUND, 0);
    if (has_class_dict(resolver)) {
        set(resolver, resolver->builder->class_dict, SEEN_BOUND, 0);
    }
}

/* What the scopes inside may see of this one. */
static void expose_names(scope_resolver *resolver, gm_scope *scope, uint32_t mark) {
    if (scope->kind == GM_SCOPE_CLASS) {
        expose_class(resolver, scope, mark);
        return;
    }
    for (uint32_t i = 0; scope->parent != NULL && i < scope->symbols.count; i++) {
        const gm_symbol *symbol = scope->symbols.items[i];
        if (symbol->binding == GM_BINDING_LOCAL) {
            set(resolver, symbol->name, SEEN_BOUND, 0);
        }
    }
}

static const gm_scope *class_for(gm_scope *scope, gm_scope *child, const gm_scope *class_scope) {
    if (!scope_entry_of(child)->sees_class) {
        return NULL;
    }
    return class_scope != NULL ? class_scope : scope->kind == GM_SCOPE_CLASS ? scope : NULL;
}

static void resolve_scope(scope_resolver *resolver, gm_scope *scope, const gm_scope *class_scope, name_list *free) {
    uint32_t mark = resolver->journal.count;
    name_list inner = {0};
    name_list cells = {0};
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        resolve_name(resolver, scope->symbols.items[i], class_scope, free);
    }
    expose_names(resolver, scope, mark);
    for (uint32_t i = 0; i < scope->children.count; i++) {
        gm_scope *child = scope->children.items[i];
        name_list child_free = {0};
        resolve_scope(resolver, child, class_for(scope, child, class_scope), &child_free);
        if (inlines(resolver, scope, child)) {
            inline_into(resolver, scope, child, &child_free, &cells);
        }
        merge(resolver, &inner, &child_free);
    }
    splice_children(resolver, scope);
    deduplicate(resolver, &inner);
    if (scope->kind == GM_SCOPE_CLASS) {
        discard(&inner, resolver->builder->class_cell);
        if (has_class_dict(resolver)) {
            discard(&inner, resolver->builder->class_dict);
        }
    } else if (scope->parent != NULL) {
        settle_cells(resolver, scope, &inner, &cells);
    }
    undo_to(resolver, mark);
    pass_free_through(resolver, scope, &inner);
    merge(resolver, free, &inner);
}

void gm_scopes_resolve(scope_builder *builder) {
    scope_resolver resolver = {.builder = builder, .arena = builder->arena};
    name_list free = {0};
    resolver.seen = GM_NEW_ARRAY(builder->arena, uint8_t, builder->tree->names->count);
    resolver.stamp = GM_NEW_ARRAY(builder->arena, uint32_t, builder->tree->names->count);
    resolve_scope(&resolver, builder->scopes->module, NULL, &free);
}
