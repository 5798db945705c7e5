/* Shared by the files behind scopes.h: collecting (scopes_collect.c and what scopes_visit.h lists), resolving (scopes_resolve.c),
 * asking (scopes.c). */
#ifndef GM_FLOW_SCOPES_PRIVATE_H
#define GM_FLOW_SCOPES_PRIVATE_H

#include "base/buffer.h"
#include "base/table.h"
#include "flow/scopes.h"

/* Builtins that see more than their arguments; a bit each in scope_entry.mentions. */
enum {
    MENTION_LOCALS = 1 << 0,
    MENTION_VARS = 1 << 1, /* called without arguments */
    MENTION_DIR = 1 << 2,  /* called without arguments */
    MENTION_EVAL = 1 << 3,
    MENTION_EXEC = 1 << 4,
    MENTION_SUPER = 1 << 5,
};

/* A scope while it is built; `scope` first, so that a gm_scope of this module is also an entry. */
typedef struct scope_entry {
    gm_scope scope;
    struct scope_entry *outer; /* the entry around it; for annotation scopes, which are nobody's child, too */
    const gm_name *private_name; /* class whose private names are mangled here, or NULL */
    struct scope_entry *generic_class; /* the brackets of a generic class, of whose names only its parameters are mangled */
    bool function_like;          /* lookups of inner scopes see its names */
    bool comprehension;
    bool generator_expression;
    bool sees_class;     /* an annotation scope directly in a class body: also looks into the class */
    bool iter_target;    /* visiting the target of a comprehension's `for` */
    bool hidden;         /* inside an annotation that CPython never analyses */
    bool inlined;
    uint32_t iter_depth; /* inside that many outermost iterables of comprehensions */
    uint8_t mentions;
} scope_entry;

enum { GM_WATCHED = 4, GM_WATCHED_SUPER = 3 };

typedef struct scope_builder {
    gm_arena *arena;
    gm_tree *tree;
    gm_scopes *scopes;
    gm_version target;
    bool future_annotations;
    uint32_t future_end; /* where the first statement starts in front of which future imports may stand */
    scope_entry *current;
    const gm_node *definition; /* the statement that explains the binding being visited */
    GM_VEC(const gm_node *) spine; /* stack of left-leaning expressions, which may be deep */
    GM_VEC(const gm_node *) directives; /* the first `global` or `nonlocal` of each symbol that has one */
    gm_table directive_of;              /* by symbol */
    const gm_name *class_cell;     /* "__class__" */
    const gm_name *class_dict;     /* "__classdict__" */
    const gm_name *implicit;       /* ".0" */
    const gm_name *watched[GM_WATCHED]; /* `locals`, `eval`, `exec`, `super`; NULL: the file does not have the name */
} scope_builder;

static inline scope_entry *scope_entry_of(gm_scope *scope) {
    return (scope_entry *)scope;
}

/* First pass: every scope with the raw flags of its names. */
void gm_scopes_collect(scope_builder *builder);

/* Second pass: what each name is; comprehensions are inlined where the target does that. */
void gm_scopes_resolve(scope_builder *builder);

/* The symbol `name` in a scope, made when it is new. */
gm_symbol *gm_scope_intern(scope_builder *builder, gm_scope *scope, const gm_name *name);

/* Remember what `node` names. */
void gm_scopes_record(scope_builder *builder, const gm_node *node, gm_symbol *symbol);
void gm_scopes_record_scope(scope_builder *builder, const gm_node *node, gm_scope *scope);

/* A diagnostic over `node`; `format` has at most one %s, for `name` (which may be NULL). */
void gm_scopes_complain(scope_builder *builder, const gm_node *node, const char *format, const gm_name *name);

#endif
