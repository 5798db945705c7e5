/* The control-flow graph of one function or module body.
 *
 * A block is a run of steps without a jump in or out. A step is a simple statement or the part of a compound statement that is
 * evaluated at once: the test of an `if`, the iterator of a `for`, the binding of its target, the head of a `with`. Short
 * circuits (`and`, `or`, conditional expressions, comprehensions) stay inside their step. Nested functions and classes are one step:
 * decorators, defaults and the binding of the name (a class body also runs inside that step).
 *
 * Exceptions: every step may raise, before, in or after its accesses. A block inside `try` or `with` has `handler`, the block where
 * control goes then (the handler chain, the `finally`, the exit of the `with`); without one it leaves the function through
 * `GM_CFG_RAISE`. These transfers are not among the edges. A `finally` body exists twice: for the normal way into it, and for
 * all others together, with edges to whatever may follow one of them. A context manager may swallow an exception, unless it is known
 * not to (those of torch, `open`, `nullcontext`, ...). All this is conservative: every real path is a path of the graph. */
#ifndef GM_FLOW_CFG_H
#define GM_FLOW_CFG_H

#include "flow/scopes.h"

typedef enum gm_step_kind {
    GM_STEP_STATEMENT, /* a simple statement, or a whole def or class */
    GM_STEP_TEST,      /* If.test, While.test; node is that expression */
    GM_STEP_ITERATE,   /* For.iter is evaluated; node is the For */
    GM_STEP_NEXT,      /* the loop has another item: its target is bound; node is the For */
    GM_STEP_ENTER,     /* one withitem: expression, enter, target; node is the withitem */
    GM_STEP_EXIT,      /* `__exit__` of a with; node is the With */
    GM_STEP_SUBJECT,   /* Match.subject; node is the Match */
    GM_STEP_CASE,      /* pattern and guard are tried; node is the match_case */
    GM_STEP_HANDLER,   /* the type of `except T as e` is compared; node is the ExceptHandler */
    GM_STEP_BIND,      /* after a success: the names of the pattern or the name of the handler; node is the match_case or ExceptHandler */
    GM_STEP_UNBIND,    /* the name of `except ... as e` is deleted at the end of the handler; node is the ExceptHandler */
    GM_STEP_ENTRY,     /* the parameters are bound; node is the function */
} gm_step_kind;

typedef struct gm_step {
    const gm_node *node;
    uint8_t kind;             /* gm_step_kind */
    uint32_t first_access;    /* range in gm_cfg.accesses, in order of evaluation */
    uint32_t access_count;
} gm_step;

/* One reading, binding or deletion of a variable of the function by a step. */
typedef enum gm_access_kind { GM_ACCESS_READ, GM_ACCESS_WRITE, GM_ACCESS_DELETE } gm_access_kind;

typedef struct gm_access {
    const gm_node *node; /* the Name, arg, alias, ... */
    gm_symbol *symbol;   /* in the function's own scope: a read in a lambda or comprehension counts as one of the outer variable */
    uint8_t kind;        /* gm_access_kind */
    bool maybe;          /* under a short circuit, in a comprehension's body or a nested function: need not happen */
    bool nested;         /* by a nested function, lambda or class body: may happen at any later time, too */
} gm_access;

/* Why control goes along an edge. */
typedef enum gm_edge_kind {
    GM_EDGE_NEXT,
    GM_EDGE_TRUE,  /* test true, loop has an item, case matches */
    GM_EDGE_FALSE,
    GM_EDGE_BACK,  /* to a loop head */
    GM_EDGE_BREAK,
    GM_EDGE_CONTINUE,
    GM_EDGE_RETURN,
    GM_EDGE_RAISE, /* an explicit raise or failing assert, and leaving a finally with an exception */
} gm_edge_kind;

typedef struct gm_edge {
    uint32_t from;
    uint32_t to;
    uint8_t kind; /* gm_edge_kind */
} gm_edge;

enum {
    GM_CFG_ENTRY = 0,  /* block indexes that every graph has; the entry binds the parameters */
    GM_CFG_RETURN = 1, /* normal end: return, or falling off the end */
    GM_CFG_RAISE = 2,  /* end by an exception */
    GM_CFG_NONE = -1,
};

typedef struct gm_block {
    uint32_t first_step; /* range in gm_cfg.steps */
    uint32_t step_count;
    int32_t handler;     /* where an exception of a step goes, or GM_CFG_NONE for straight out of the function */
    uint32_t first_successor; /* range in gm_cfg.successors / predecessors: indexes of gm_cfg.edges */
    uint32_t successor_count;
    uint32_t first_predecessor;
    uint32_t predecessor_count;
    int32_t order;       /* position in reverse post order, -1: unreachable */
    uint32_t loop_depth;
} gm_block;

typedef GM_MAP(struct gm_cfg_slot) gm_cfg_places;

typedef struct gm_cfg {
    const gm_scopes *scopes;
    gm_scope *scope; /* of the function or module */
    const gm_node *node;
    GM_VEC(gm_block) blocks;
    GM_VEC(gm_step) steps;
    GM_VEC(gm_access) accesses;
    bool *deleted; /* of each symbol of the scope: whether an access deletes it; NULL when none does */
    GM_VEC(gm_edge) edges;
    uint32_t *successors;
    uint32_t *predecessors;
    uint32_t *order; /* blocks in reverse post order, reachable ones only */
    uint32_t reachable_count;
    gm_cfg_places places; /* statement to block and step; private */
    GM_VEC(struct gm_cfg_slot) more_places;
} gm_cfg;

/* The graph of a FunctionDef, AsyncFunctionDef, Lambda or Module node of `scopes` (built with target 0). */
gm_cfg *gm_cfg_build(gm_arena *arena, const gm_scopes *scopes, const gm_node *node);

/* The block in which a statement of this body (not of nested functions and classes) begins, with the index of its first step in
 * `gm_cfg.steps`. Statements of a `finally` may have two places: the first is given. False for a node that is no statement of this body. */
bool gm_cfg_place(const gm_cfg *cfg, const gm_node *statement, uint32_t *block, uint32_t *step);

/* Invariants: ranges, edge symmetry, order. Returns NULL or a text that says what is wrong; for asserts and tests. */
const char *gm_cfg_verify(const gm_cfg *cfg);

#endif
