/* Plans: what a rule wants done with one place of the code, before anything is written.
 *
 * A plan names nodes and variables; the writers in src/mend turn it into text of their dialect. Plans nest by position: a plan whose
 * node lies in a side of another plan's node is carried out inside the mended form of that side. */
#ifndef GM_ANALYSIS_PLAN_H
#define GM_ANALYSIS_PLAN_H

#include "flow/flow.h"

typedef enum gm_plan_kind {
    GM_PLAN_BRANCH,   /* If: both sides run, the assigned locals are selected */
    GM_PLAN_RETURN,   /* If, or an Assign of a conditional expression: each side runs to the end of the function */
    GM_PLAN_ARGUMENT, /* If: both sides are one call of the same function; the argument in which they differ is selected */
    GM_PLAN_SELECT,   /* IfExp: both values are computed, one is selected */
    GM_PLAN_CHECK,    /* If or Assert: one side never completes; the other goes on under a guard */
    GM_PLAN_DEFER,    /* Expr, With, If of Exprs, or a Call that gives None: it runs after the compiled call */
    GM_PLAN_RECORD,   /* the same for a statement that writes to an object which nobody looks at before the call has ended */
    GM_PLAN_DROP,     /* If: the body changes nothing when the test is false, so the test can go */
} gm_plan_kind;

/* Where a statement stands: its block, and the place of the statement that owns the block. */
typedef struct gm_place {
    const gm_list *list;
    uint32_t index;
    const gm_node *owner;         /* the compound statement or function that holds the block */
    const struct gm_place *outer; /* of `owner`; NULL when that is the function */
    bool tail;                    /* when the block ends, control goes on behind `owner`, up to the end of the function */
} gm_place;

/* An expression that a deferred effect reads when it would have happened, and the parameter that holds it later. */
typedef struct gm_capture {
    const gm_node *node;
    const char *parameter; /* the variable's own name for a plain variable */
    bool first;            /* the first capture of this parameter: later ones read the same value */
    bool length;           /* all captures of this parameter are asked for their length alone, when the effect happens */
    bool numbers;          /* all captures of this parameter only read the numbers in it: it may be a tensor without history */
    bool kept;             /* it has to be a number or a text, which is not known before the code is traced */
    bool items;            /* the same, or a container of such that they are taken out of */
    bool file;             /* it is None, or a text file that is printed into */
    bool called;           /* a call whose effects are not known, which is made where it stands; or an expression around it */
    bool key;              /* RECORD: one of the plan's keys */
} gm_capture;

typedef struct gm_capture_list {
    gm_capture *items; /* in order of position, not nested */
    uint32_t count;
} gm_capture_list;

/* `levels` of a plan whose trace asks the arguments of the call for them. */
#define GM_PLAN_LEVELS_TRACED UINT32_MAX

typedef struct gm_plan {
    uint8_t kind; /* gm_plan_kind */
    const struct gm_rule *rule;
    const gm_node *node;      /* the statement, or the IfExp or Call in it */
    const gm_node *statement; /* the statement that holds `node`, or `node` */
    const gm_place *place;    /* of `statement` */
    gm_function *function;
    const gm_node *test;
    bool negated;    /* CHECK: fires when the test is false */
    gm_list then;    /* statements of the sides; of the side that goes on in `then` for CHECK */
    gm_list orelse;
    const gm_node *then_value; /* SELECT, ARGUMENT, RETURN of an Assign: the values of the sides */
    const gm_node *else_value;
    gm_symbol_list operands; /* locals that the sides receive, all of them bound */
    gm_symbol_list targets;  /* BRANCH: locals that the sides return */
    gm_symbol_list globals;  /* BRANCH, RETURN: globals that the sides bind */
    gm_capture_list captures; /* DEFER, RECORD */
    bool watched;             /* DEFER, RECORD: something is computed later that Python computes before a capture that is `called` */
    const char *sink;         /* DEFER, RECORD: name of the function around, as tracebacks show it */
    uint32_t levels;          /* DEFER: frames of the stack that the statement looks at, its own included; 0 for its own alone */
    uint32_t level_position;  /* DEFER, levels traced: the place of the argument that tells them (analysis/stack_levels.h) */
    const char *path;         /* RECORD: the object that is written to, "self.losses" */
    const char *action;       /* RECORD: "=" for an attribute or global, "[]" for an item, "[].append" or the name of a method */
    gm_list keys;             /* RECORD: the keys between the object and the container that keeps a tensor, "[].append" */
    bool live;                /* RECORD: tensors that are evaluated where the statement stands, and kept as they are */
    const gm_symbol *object;  /* RECORD: the variable that `path` starts with; NULL for a global, which the sink reads itself */
    bool declares;            /* RECORD: the sink binds the global in `path` */
    uint32_t weight;          /* statements of the mended form, copies of the rest of the function included */
    uint32_t depth;           /* RETURN: how many of them are nested in its mended form, itself included */
    uint32_t indents;         /* BRANCH: levels of indentation of its mended form */
} gm_plan;

#endif
