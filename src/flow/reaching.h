/* Reaching definitions: which bindings of a variable a read may see. */
#ifndef GM_FLOW_REACHING_H
#define GM_FLOW_REACHING_H

#include "flow/flow.h"

/* One binding of a variable by a step that control can reach. */
typedef struct gm_definition {
    const gm_node *node; /* the binder */
    gm_symbol *symbol;
    bool nested;   /* by a nested function */
    uint32_t next; /* the next definition of the symbol, or GM_DEFINITION_NONE */
} gm_definition;

#define GM_DEFINITION_NONE UINT32_MAX

typedef struct gm_reaching gm_reaching;

/* Numbers of definitions; the items are valid until the next question. With `all` it is every definition of the variable, and no items are
 * given: in code that runs later, and in functions that are too large to ask about every path. */
typedef struct gm_definition_list {
    const uint32_t *items;
    uint32_t count;
    bool all;
} gm_definition_list;

gm_reaching *gm_reaching_build(gm_function *function);

uint32_t gm_reaching_count(const gm_reaching *reaching);
const gm_definition *gm_reaching_at(const gm_reaching *reaching, uint32_t index);

/* The first definition of a symbol, or GM_DEFINITION_NONE; others follow by `next`. */
uint32_t gm_reaching_first(const gm_reaching *reaching, const gm_symbol *symbol);

/* The definitions that a Name of the function (not of a nested one) may read. False when the node is no read of the function; when control
 * cannot reach it the list is empty. */
bool gm_reaching_of_use(gm_reaching *reaching, const gm_node *use, gm_definition_list *list);

/* The definitions of a symbol that may hold before a statement. False when the node is no statement of the function. */
bool gm_reaching_before(gm_reaching *reaching, const gm_node *statement, const gm_symbol *symbol, gm_definition_list *list);

#endif
