/* Scopes and symbols: who owns a name.
 *
 * `gm_scopes_build` reads a tree once and answers, for every scope, what each name in it is: local, global, free, captured by an
 * inner function. With `target` 308 to 314 the tables are those of that CPython's `symtable` module, symbol for symbol. With
 * target 0 (what rules use) list, set and dict comprehensions always have a scope of their own, as before PEP 709.
 *
 * Private names of classes appear mangled (`_C__x`), as at run time; `gm_scopes_symbol` takes the unmangled node all the same.
 * Everything lives in the arena handed in and is immutable afterwards: any number of threads may read it. */
#ifndef GM_FLOW_SCOPES_H
#define GM_FLOW_SCOPES_H

#include "base/map.h"
#include "syntax/parse.h"
#include "syntax/tree.h"

typedef enum gm_scope_kind {
    GM_SCOPE_MODULE,
    GM_SCOPE_CLASS,
    GM_SCOPE_FUNCTION,      /* def, lambda and the four comprehensions: see `node->kind` */
    GM_SCOPE_ANNOTATION,    /* annotations that are kept as text or evaluated lazily */
    GM_SCOPE_TYPE_PARAMS,   /* the brackets of `def f[T]`, `class C[T]`, `type A[T]` */
    GM_SCOPE_TYPE_ALIAS,    /* the right side of a `type` statement */
    GM_SCOPE_TYPE_VARIABLE, /* bound, constraints or default of a type parameter */
} gm_scope_kind;

/* What a name means in a scope. */
typedef enum gm_binding {
    GM_BINDING_LOCAL,           /* a local of this scope that no inner scope reads */
    GM_BINDING_CELL,            /* a local of this scope that an inner scope captures */
    GM_BINDING_FREE,            /* a local of an enclosing function, captured here (nonlocal included) */
    GM_BINDING_GLOBAL_EXPLICIT, /* declared `global` here (or in an enclosing scope that says so) */
    GM_BINDING_GLOBAL_IMPLICIT, /* bound nowhere around: a module global or a builtin */
} gm_binding;

/* How a name occurs in a scope: bits of gm_symbol.flags. */
enum {
    GM_SYMBOL_GLOBAL = 1 << 0,     /* `global x` */
    GM_SYMBOL_ASSIGNED = 1 << 1,   /* bound by assignment, for, with, import, def, class, del, except, match, walrus */
    GM_SYMBOL_PARAMETER = 1 << 2,
    GM_SYMBOL_NONLOCAL = 1 << 3,   /* `nonlocal x` */
    GM_SYMBOL_USED = 1 << 4,       /* read */
    GM_SYMBOL_IMPORTED = 1 << 5,
    GM_SYMBOL_ANNOTATED = 1 << 6,
    GM_SYMBOL_ITERATION = 1 << 7,  /* target of a comprehension's `for` */
    GM_SYMBOL_TYPE_PARAM = 1 << 8,
    GM_SYMBOL_COMP_CELL = 1 << 9, /* was a cell of an inlined comprehension */
    GM_SYMBOL_OUTSIDE = 1 << 10,   /* an inner scope binds or deletes it, by `global`, `nonlocal` or a walrus */
    GM_SYMBOL_BOUND = GM_SYMBOL_ASSIGNED | GM_SYMBOL_PARAMETER | GM_SYMBOL_IMPORTED | GM_SYMBOL_TYPE_PARAM,
};

typedef struct gm_scope gm_scope;

typedef struct gm_symbol {
    const gm_name *name; /* mangled where Python mangles */
    gm_scope *scope;     /* the scope in which the name occurs (not where it is bound) */
    uint16_t flags;
    uint8_t binding; /* gm_binding */
    uint32_t index;  /* position in scope->symbols: dense, in order of first appearance */
    GM_VEC(const gm_node *) binders; /* the nodes that bind or delete it in this scope, in order: Name, arg, alias, FunctionDef,
                                        ClassDef, ExceptHandler, pattern, ... */
    const struct gm_name *qualified; /* private: what gm_scopes_qualified has found, when `is_qualified` */
    bool is_qualified;
} gm_symbol;

typedef struct gm_symbol_list {
    gm_symbol **items;
    uint32_t count;
} gm_symbol_list;

/* What a scope contains, itself and not what is nested in it: bits of gm_scope.traits. Calls count when the name is not bound
 * in the file around the call: `locals()` after `def locals()` does not. */
enum {
    GM_SCOPE_CALLS_LOCALS = 1 << 0, /* locals() or vars() or dir() without arguments, in the scope or a comprehension of it */
    GM_SCOPE_CALLS_EVAL = 1 << 1,   /* eval or exec */
    GM_SCOPE_CALLS_SUPER = 1 << 2,  /* super() */
    GM_SCOPE_IMPORT_STAR = 1 << 3,
    GM_SCOPE_HAS_YIELD = 1 << 4,    /* a generator (comprehension scopes of generator expressions included) */
    GM_SCOPE_HAS_AWAIT = 1 << 5,
    GM_SCOPE_NESTED = 1 << 6,       /* inside a function, at any depth */
    GM_SCOPE_NAMES_FRAME = 1 << 7, /* mentions `_getframe`, `currentframe`, `stack` of inspect or sys */
};

typedef struct gm_symbol_slot {
    const gm_name *name;
    gm_symbol *symbol;
} gm_symbol_slot;
typedef GM_MAP(gm_symbol_slot) gm_symbol_map;

struct gm_scope {
    uint8_t kind; /* gm_scope_kind */
    uint16_t traits;
    const gm_node *node;   /* Module, FunctionDef, AsyncFunctionDef, Lambda, ClassDef, a comprehension, TypeAlias, TypeVar, ... */
    const gm_name *name;   /* "top", "f", "lambda", "listcomp", ... as symtable says */
    uint32_t line;         /* as symtable says */
    gm_scope *parent;      /* NULL for the module */
    gm_scope *owner_class; /* the innermost class scope around, itself included: for `self` and mangling; or NULL */
    GM_VEC(gm_scope *) children; /* in symtable's order */
    GM_VEC(gm_symbol *) symbols; /* in order of first appearance */
    gm_symbol_map by_name;       /* private */
};

/* The statement behind a binding. Private, as the next. */
typedef struct gm_definition_slot {
    const gm_node *node;
    const gm_node *definition;
} gm_definition_slot;
typedef GM_MAP(gm_definition_slot) gm_definition_map;

typedef struct gm_scope_slot {
    const gm_node *node;
    gm_scope *scope;
} gm_scope_slot;
typedef GM_MAP(gm_scope_slot) gm_scope_map;

typedef struct gm_scopes {
    const gm_tree *tree;
    gm_scope *module;
    GM_VEC(gm_scope *) all; /* every scope in order of its beginning, comprehensions that were inlined included */
    gm_symbol **named;      /* what a node names, by number; private */
    gm_definition_map definitions;   /* private */
    gm_scope_map opened;             /* by a node; private */
    gm_diagnostics diagnostics; /* what CPython reports as SyntaxError from its symbol table: `nonlocal x` in a module ... */
} gm_scopes;

/* Build the tables of a tree. Works on trees with diagnostics too. Interns mangled names into `tree->names`. */
gm_scopes *gm_scopes_build(gm_arena *arena, gm_tree *tree, gm_version target);

/* The scope that `node` opens (function, lambda, class, comprehension, module), or NULL. */
gm_scope *gm_scopes_of(const gm_scopes *scopes, const gm_node *node);

/* The symbol that a node names, in the scope where the node stands: for Name, arg, alias (what it binds), FunctionDef, ClassDef,
 * ExceptHandler with a name, MatchAs, MatchStar, MatchMapping with a rest, type parameters. NULL for other nodes. */
gm_symbol *gm_scopes_symbol(const gm_scopes *scopes, const gm_node *node);

/* The statement behind a binding: Import or ImportFrom of an alias, Assign of a Name that is one of its targets, AnnAssign and NamedExpr
 * of a Name; NULL for other nodes. */
const gm_node *gm_scopes_definition(const gm_scopes *scopes, const gm_node *binder);

/* The symbol called `name` (mangled spelling) in a scope, or NULL when the name does not occur there. */
gm_symbol *gm_scope_find(const gm_scope *scope, const gm_name *name);

/* The symbol in the scope that owns the variable: follows free names outwards and global names to the module. Returns the module's
 * symbol for a global that the module's own code binds, the symbol itself for locals, NULL for a name that nothing in the file
 * binds (a builtin, a star import, an injected global). */
gm_symbol *gm_symbol_owner(const gm_scopes *scopes, const gm_symbol *symbol);

/* Whether a name is certainly the builtin of that name: nothing in the file binds it and no `import *` is in the module. */
bool gm_symbol_is_builtin(const gm_scopes *scopes, const gm_symbol *symbol);

/* The dotted name behind an expression, when imports, plain aliases (`F = torch.nn.functional`) and builtins decide it: after
 * `import torch.nn.functional as F`, `F.relu` is "torch.nn.functional.relu"; `print` is "builtins.print" when the file binds no `print`;
 * after `from ..utils import logging`, `logging` is "..utils.logging". NULL when a name is bound in different ways or shadowed.
 * Interned in `tree->names`: one thread at a time. */
const gm_name *gm_scopes_qualified(const gm_scopes *scopes, const gm_node *expression);

/* Local or cell: a variable of this scope. */
static inline bool gm_symbol_is_local(const gm_symbol *symbol) {
    return symbol->binding == GM_BINDING_LOCAL || symbol->binding == GM_BINDING_CELL;
}

/* The innermost function or lambda scope (not a comprehension), class or module around a scope, itself included. */
gm_scope *gm_scope_frame(gm_scope *scope);

#endif
