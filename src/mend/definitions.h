/* Assignments `name = value` by the block that they stand in: one variable may be assigned in thousands of branches, each of which asks for the
 * assignment in front of it. */
#ifndef GM_MEND_DEFINITIONS_H
#define GM_MEND_DEFINITIONS_H

#include "analysis/analysis.h"

/* The last assignment that every way to `place` comes by: in a block around it, in front of it, in the same run of the loops around. Or NULL. */
const gm_node *gm_definition_before(gm_analysis *analysis, const gm_place *place, const gm_symbol *symbol);

/* The statement `name = value` of a binder, or NULL. */
const gm_node *gm_definition_of(gm_analysis *analysis, const gm_node *binder);

#endif
