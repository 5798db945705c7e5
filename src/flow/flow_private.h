/* Shared by the files behind flow.h. */
#ifndef GM_FLOW_FLOW_PRIVATE_H
#define GM_FLOW_FLOW_PRIVATE_H

#include "base/near.h"
#include "base/work.h"
#include "flow/cfg_private.h"
#include "flow/flow.h"
#include "flow/sets.h"

typedef struct gm_function_slot {
    const gm_node *node;
    gm_function *function;
} gm_function_slot;
typedef GM_MAP(gm_function_slot) gm_function_map;

/* Many ask for the same dotted names in turn: the last answers are kept, each in the place that its node hashes to. */
enum { GM_QUALIFIED_SLOTS = 1024 };
typedef struct gm_qualified_slot {
    const gm_node *node;
    const gm_name *name; /* NULL: it has none */
} gm_qualified_slot;

/* A class that a search among bases has been at. */
typedef struct gm_base_slot {
    const gm_node *node;
    uint32_t search;
    uint32_t depth;
} gm_base_slot;
typedef GM_MAP(gm_base_slot) gm_base_map;

struct gm_flow_private {
    gm_function_map functions;
    const gm_node **parents; /* by number, of the statements of the module that are in `indexed`; NULL until somebody asks */
    const gm_node **around;  /* by number, what gm_flow_around has found; NULL until somebody asks */
    bool *indexed;           /* of each statement of the module: the parents below it are known */
    gm_qualified_slot qualified[GM_QUALIFIED_SLOTS];
    gm_base_map bases;
    uint32_t base_searches;
    struct gm_values_shared *values; /* NULL until somebody asks for a value */
};

/* An access in the list of those of its variable. */
typedef struct gm_accesses_item {
    uint32_t step;
    uint32_t decisive; /* the last item of the variable up to this one behind which it is known whether it is bound; UINT32_MAX: none */
    const gm_access *access;
} gm_accesses_item;

typedef struct gm_accesses {
    gm_accesses_item *items; /* those of a variable in order of their steps, one variable behind the other */
    uint32_t *first_of;      /* where those of each variable begin; the next ones begin where they end */
} gm_accesses;

/* The accesses of all variables of a function; made when somebody asks. */
const gm_accesses *gm_accesses_of(gm_function *function);

/* The first access of a variable in a step or behind it, as an index of `items`. */
uint32_t gm_accesses_from(const gm_accesses *all, uint32_t variable, uint32_t step);

/* The variables of a set, in order. */
gm_symbol_list gm_set_list(gm_function *function, const gm_sets *sets, gm_set set);

/* The variables that count as read by whoever runs after the function's statements: captured ones, those of a module, and
 * all when the function looks at its variables by name. */
bool gm_always_live(const gm_function *function, const gm_symbol *symbol);

#endif
