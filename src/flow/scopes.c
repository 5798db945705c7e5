#include "flow/scopes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "flow/scopes_private.h"

static inline uint32_t hash_of_name(const gm_name *name) {
    return gm_hash_near(name->index);
}

GM_MAP_FUNCTIONS(symbols, gm_symbol_map, gm_symbol_slot, const gm_name *, name, hash_of_name, 8)
GM_MAP_FUNCTIONS(definitions, gm_definition_map, gm_definition_slot, const gm_node *, node, gm_hash_pointer, 64)
GM_MAP_FUNCTIONS(opened, gm_scope_map, gm_scope_slot, const gm_node *, node, gm_hash_pointer, 64)

/* ---- Symbols of one scope ---- */

gm_symbol *gm_scope_find(const gm_scope *scope, const gm_name *name) {
    const gm_symbol_slot *slot = name == NULL ? NULL : symbols_find(&scope->by_name, name);
    return slot == NULL ? NULL : slot->symbol;
}

gm_symbol *gm_scope_intern(scope_builder *builder, gm_scope *scope, const gm_name *name) {
    gm_symbol_slot *slot = symbols_at(builder->arena, &scope->by_name, name);
    if (slot->symbol == NULL) {
        gm_symbol *symbol = GM_NEW(builder->arena, gm_symbol);
        symbol->name = name;
        symbol->scope = scope;
        symbol->index = scope->symbols.count;
        symbol->binding = GM_BINDING_GLOBAL_IMPLICIT;
        gm_vec_push(builder->arena, &scope->symbols, symbol);
        slot->symbol = symbol;
    }
    return slot->symbol;
}

/* ---- Nodes to symbols and scopes ---- */

void gm_scopes_record(scope_builder *builder, const gm_node *node, gm_symbol *symbol) {
    builder->scopes->named[node->number] = symbol;
    if (builder->definition != NULL) {
        definitions_at(builder->arena, &builder->scopes->definitions, node)->definition = builder->definition;
    }
}

gm_symbol *gm_scopes_symbol(const gm_scopes *scopes, const gm_node *node) {
    assert(node->number <= scopes->tree->node_count);
    return scopes->named[node->number];
}

const gm_node *gm_scopes_definition(const gm_scopes *scopes, const gm_node *binder) {
    const gm_definition_slot *slot = definitions_find(&scopes->definitions, binder);
    return slot == NULL ? NULL : slot->definition;
}

void gm_scopes_record_scope(scope_builder *builder, const gm_node *node, gm_scope *scope) {
    opened_at(builder->arena, &builder->scopes->opened, node)->scope = scope;
}

gm_scope *gm_scopes_of(const gm_scopes *scopes, const gm_node *node) {
    const gm_scope_slot *slot = opened_find(&scopes->opened, node);
    return slot == NULL ? NULL : slot->scope;
}

void gm_scopes_complain(scope_builder *builder, const gm_node *node, const char *format, const gm_name *name) {
    const char *text = name == NULL ? "" : name->text;
    size_t room = strlen(format) + strlen(text) + 1;
    char *message = gm_arena_alloc(builder->arena, room);
    const char *hole = strstr(format, "%s");
    if (hole == NULL) {
        memcpy(message, format, strlen(format) + 1);
    } else {
        snprintf(message, room, "%.*s%s%s", (int)(hole - format), format, text, hole + 2);
    }
    gm_vec_push(builder->arena, &builder->scopes->diagnostics,
                ((gm_diagnostic){.start = node->start, .end = node->end, .message = message}));
}

/* ---- Questions ---- */

static bool binds_globally(const gm_symbol *symbol) {
    return symbol != NULL && (symbol->flags & (GM_SYMBOL_BOUND | GM_SYMBOL_GLOBAL)) != 0;
}

gm_symbol *gm_symbol_owner(const gm_scopes *scopes, const gm_symbol *symbol) {
    if (gm_symbol_is_local(symbol)) {
        return symbol->scope->symbols.items[symbol->index];
    }
    if (symbol->binding == GM_BINDING_FREE) {
        for (gm_scope *scope = symbol->scope->parent; scope != NULL; scope = scope->parent) {
            gm_symbol *outer = scope->kind == GM_SCOPE_CLASS ? NULL : gm_scope_find(scope, symbol->name);
            if (outer != NULL && gm_symbol_is_local(outer)) {
                return outer;
            }
        }
        return NULL;
    }
    gm_symbol *global = gm_scope_find(scopes->module, symbol->name);
    return binds_globally(global) ? global : NULL;
}

bool gm_symbol_is_builtin(const gm_scopes *scopes, const gm_symbol *symbol) {
    return symbol->binding != GM_BINDING_FREE && (scopes->module->traits & GM_SCOPE_IMPORT_STAR) == 0 &&
           gm_symbol_owner(scopes, symbol) == NULL;
}

static bool is_comprehension(const gm_scope *scope) {
    return scope->kind == GM_SCOPE_FUNCTION && scope->node->kind != GM_KIND_FunctionDef && scope->node->kind != GM_KIND_AsyncFunctionDef &&
           scope->node->kind != GM_KIND_Lambda;
}

gm_scope *gm_scope_frame(gm_scope *scope) {
    while (scope->parent != NULL && scope->kind != GM_SCOPE_CLASS && (scope->kind != GM_SCOPE_FUNCTION || is_comprehension(scope))) {
        scope = scope->parent;
    }
    return scope;
}

/* ---- Building ---- */

static const struct {
    const char *name;
    uint8_t mention;
    uint16_t trait;
} watched[] = {
    {"locals", MENTION_LOCALS, GM_SCOPE_CALLS_LOCALS}, {"vars", MENTION_VARS, GM_SCOPE_CALLS_LOCALS},
    {"dir", MENTION_DIR, GM_SCOPE_CALLS_LOCALS},       {"eval", MENTION_EVAL, GM_SCOPE_CALLS_EVAL},
    {"exec", MENTION_EXEC, GM_SCOPE_CALLS_EVAL},       {"super", MENTION_SUPER, GM_SCOPE_CALLS_SUPER},
};

/* A mention counts unless the file binds the name around it; a comprehension's mention is one of the frame around it. */
static void settle_mentions(scope_builder *builder, scope_entry *entry) {
    const gm_scopes *scopes = builder->scopes;
    uint16_t found = 0;
    for (size_t i = 0; entry->mentions != 0 && i < sizeof watched / sizeof watched[0]; i++) {
        const gm_name *name = gm_names_find(builder->tree->names, watched[i].name, strlen(watched[i].name));
        const gm_symbol *symbol = gm_scope_find(&entry->scope, name);
        bool shadowed = symbol != NULL && (symbol->binding == GM_BINDING_FREE || gm_symbol_owner(scopes, symbol) != NULL);
        if ((entry->mentions & watched[i].mention) != 0 && !shadowed) {
            found |= watched[i].trait;
        }
    }
    gm_scope *frame = gm_scope_frame(&entry->scope);
    entry->scope.traits |= found;
    for (gm_scope *scope = &entry->scope; scope != frame; scope = scope->parent) {
        scope->parent->traits |= found & (GM_SCOPE_CALLS_LOCALS | GM_SCOPE_CALLS_EVAL | GM_SCOPE_CALLS_SUPER);
    }
}

/* Tell variables that inner scopes rebind. */
static void settle_outside(const gm_scopes *scopes, const gm_scope *scope) {
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        const gm_symbol *symbol = scope->symbols.items[i];
        bool declared = (symbol->flags & (GM_SYMBOL_GLOBAL | GM_SYMBOL_NONLOCAL)) != 0;
        if (declared && (symbol->flags & GM_SYMBOL_BOUND) != 0 && scope->parent != NULL) {
            gm_symbol *owner = gm_symbol_owner(scopes, symbol);
            if (owner != NULL) {
                owner->flags |= GM_SYMBOL_OUTSIDE;
            }
        }
    }
}

gm_scopes *gm_scopes_build(gm_arena *arena, gm_tree *tree, gm_version target) {
    scope_builder builder = {.arena = arena, .tree = tree, .target = target};
    builder.scopes = GM_NEW(arena, gm_scopes);
    builder.scopes->tree = tree;
    builder.scopes->named = GM_NEW_ARRAY(arena, gm_symbol *, tree->node_count + 1);
    builder.class_cell = gm_names_intern(tree->names, "__class__", 9);
    builder.class_dict = gm_names_intern(tree->names, "__classdict__", 13);
    builder.implicit = gm_names_intern(tree->names, ".0", 2);
    static const char *const watched_names[GM_WATCHED] = {"locals", "eval", "exec", "super"};
    for (size_t i = 0; i < GM_WATCHED; i++) {
        builder.watched[i] = gm_names_find(tree->names, watched_names[i], strlen(watched_names[i]));
    }
    gm_scopes_collect(&builder);
    gm_scopes_resolve(&builder);
    for (uint32_t i = 0; i < builder.scopes->all.count; i++) {
        settle_mentions(&builder, scope_entry_of(builder.scopes->all.items[i]));
        settle_outside(builder.scopes, builder.scopes->all.items[i]);
    }
    return builder.scopes;
}
