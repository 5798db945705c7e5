/* The names of a range of statements that are no variables of its function. */
#ifndef GM_FLOW_OUTER_NAMES_H
#define GM_FLOW_OUTER_NAMES_H

#include "base/table.h"
#include "base/vec.h"
#include "flow/scopes.h"

/* Names that are no variables of the function, each once. */
typedef struct gm_outer_names {
    GM_VEC(gm_symbol *) symbols;
    gm_table known; /* by name, when they are more than a few */
} gm_outer_names;

/* Add the symbol unless its name is there. */
void gm_outer_names_add(gm_arena *arena, gm_outer_names *names, gm_symbol *symbol);

#endif
