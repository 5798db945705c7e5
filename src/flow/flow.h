/* Flow: what the rules ask about a file, a function, a statement, a range of statements.
 *
 *     gm_flow *flow = gm_flow_build(arena, tree);
 *     for each function: gm_function *function = gm_flow_function(flow, node);
 *     gm_region region = gm_region_of(function, if_node->body.items, if_node->body.count);
 *     if (region.traits & GM_REGION_RETURN) ...
 *
 * Functions are analysed when first asked for and kept. A gm_flow belongs to one thread at a time. Results live in the arena.
 * Symbol lists are in order of the symbols' first appearance in the function, without duplicates. */
#ifndef GM_FLOW_FLOW_H
#define GM_FLOW_FLOW_H

#include "flow/cfg.h"
#include "flow/releases.h"
#include "flow/scopes.h"

typedef struct gm_flow {
    gm_arena *arena;
    gm_tree *tree;
    gm_scopes *scopes; /* target 0 */
    const struct gm_torch_facts *facts; /* of the release */
    struct gm_flow_private *hidden;
} gm_flow;

/* One function, lambda or the module body, with its graph and what was computed over it. */
typedef struct gm_function {
    gm_flow *flow;
    gm_scope *scope;
    const gm_node *node;
    gm_cfg *cfg;
    struct gm_accesses *accesses;     /* private; filled when first needed */
    struct gm_liveness *liveness;     /* private; filled when first needed */
    struct gm_assignment *assignment;
    struct gm_reaching *reaching;
    struct gm_environments *environments;
    struct gm_chosen *chosen;         /* private; filled when first needed */
} gm_function;

/* Scopes now, the rest on demand. The code is for a release of torch. */
gm_flow *gm_flow_build(gm_arena *arena, gm_tree *tree, gm_release release);

/* The function of a FunctionDef, AsyncFunctionDef, Lambda or Module node. */
gm_function *gm_flow_function(gm_flow *flow, const gm_node *node);

/* The innermost function (or the module) whose body holds `node`, by position: for the nodes of a function's decorators and
 * defaults that is the function around. Class bodies belong to the function or module around the class; gm_cfg has them as one step. */
gm_function *gm_flow_function_at(gm_flow *flow, const gm_node *node);

/* The statement that directly holds `node` in its block, and the parent of a node (NULL for the module). Parents are indexed on first use. */
const gm_node *gm_flow_parent(gm_flow *flow, const gm_node *node);
const gm_node *gm_flow_statement(gm_flow *flow, const gm_node *node);

/* The closest statement, IfExp, Lambda or module around a node. An expression may be as deep as its file is long: what climbs from many of its
 * parts climbs by this, which passes each level once. */
const gm_node *gm_flow_around(gm_flow *flow, const gm_node *node);

/* ---- Statement ranges: consecutive statements of one body ---- */

/* What a range contains, nested statements included, bodies of nested functions and classes excluded. */
enum {
    GM_REGION_YIELD = 1 << 0,  /* yield, yield from */
    GM_REGION_AWAIT = 1 << 1,  /* await, async for, async with, async comprehension */
    GM_REGION_DELETE = 1 << 2, /* a del statement of any kind */
    GM_REGION_WALRUS = 1 << 3,
    GM_REGION_SUPER = 1 << 4,  /* super() without arguments or `__class__`: cannot move into a nested function */
    GM_REGION_LOCALS = 1 << 5, /* locals(), vars(), dir(), eval, exec: sees every local by name */
    GM_REGION_ERROR = 1 << 6,  /* holds a node that could not be parsed */
};

/* Variables of the function that a range touches. The lists hold locals and cells of the function; free and global names are only in
 * `outer_writes`. */
typedef struct gm_region {
    uint32_t traits;
    gm_symbol_list inputs;       /* may be read before the range has written them: live into the range */
    gm_symbol_list writes;       /* may be bound by it */
    gm_symbol_list certain;      /* bound on every path that falls through its end, and not deleted behind */
    gm_symbol_list outer_writes; /* free and global names that it binds or deletes */
} gm_region;

gm_region gm_region_of(gm_function *function, gm_node *const *statements, uint32_t count);

/* The same for one expression of the function. `certain` are walrus targets that are always bound. */
gm_region gm_region_of_expression(gm_function *function, const gm_node *expression);

/* ---- Variables at a statement ---- */

/* Locals that may be read before being bound again, from where `statement` begins; whether one may be, from where it has ended normally.
 * Captured variables are always live; in a function that calls locals(), vars(), dir(), eval or exec everything is, and every variable of a
 * module. Behind a statement that never ends normally nothing else is live. For a statement that control cannot reach: all locals. */
gm_symbol_list gm_live_before(gm_function *function, const gm_node *statement);
bool gm_is_live_after(gm_function *function, const gm_node *statement, const gm_symbol *symbol);

typedef enum gm_bound {
    GM_BOUND_NEVER,  /* on no path: reading it here raises */
    GM_BOUND_MAYBE,
    GM_BOUND_ALWAYS, /* on every path to here the variable holds a value */
} gm_bound;

/* Whether a local of the function is bound before `statement` begins. A variable that nested functions
 * rebind or delete by `nonlocal` is GM_BOUND_MAYBE once any binding is possible. Unreachable statements: GM_BOUND_ALWAYS. */
gm_bound gm_bound_before(gm_function *function, const gm_node *statement, const gm_symbol *symbol);

/* The binding that a read of a local refers to when only one can reach it: the Name, arg, ... that binds it; else NULL.
 * `use` is a Name of this function, not of a nested one. */
const gm_node *gm_reaching_definition(gm_function *function, const gm_node *use);

/* ---- Names ---- */

/* The dotted name behind an expression when imports of the file and builtins decide it: `F.relu` is "torch.nn.functional.relu" after
 * `import torch.nn.functional as F`, `print` is "builtins.print" when nothing in the file binds it. NULL when it cannot be told, when
 * a name is bound more than once in different ways, or shadowed. Interned in `tree->names`. */
const gm_name *gm_flow_qualified(gm_flow *flow, const gm_node *expression);

/* Whether `gm_flow_qualified` is `name`. */
bool gm_flow_names(gm_flow *flow, const gm_node *expression, const char *name);

#endif
