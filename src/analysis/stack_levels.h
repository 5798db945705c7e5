/* How many frames of the stack a warning or a log record looks at. */
#ifndef GM_ANALYSIS_STACK_LEVELS_H
#define GM_ANALYSIS_STACK_LEVELS_H

#include "analysis/analysis.h"

/* Places of the argument among those by position: it has none, and the call has no such argument at all. */
#define GM_STACK_LEVELS_BY_KEYWORD (UINT32_MAX - 1)
#define GM_STACK_LEVELS_NEVER UINT32_MAX

/* The value of the argument `stacklevel` of the call: 1 when there is none, GM_PLAN_LEVELS_TRACED when the trace has to ask for it, as for one
 * in `*args` or `**options`, 0 when it is computed. `position` is its place among the arguments by position. */
uint32_t gm_stack_levels(const gm_analysis *analysis, const gm_Call *call, uint32_t position);

#endif
