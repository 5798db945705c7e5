/* Containers that a function puts something into and asks nothing of: what it shows of them it may show later. */
#ifndef GM_ANALYSIS_RECORDED_H
#define GM_ANALYSIS_RECORDED_H

#include "analysis/analysis.h"

/* Methods of containers, queues and files that take something in and give nothing back; ends with NULL. */
extern const char *const gm_recorded_methods[];

/* Whether a statement of the function calls such a method on what is spelled like `node`. */
bool gm_recorded(gm_analysis *analysis, gm_function *function, const gm_node *node);

/* The same of containers of numbers and texts alone, as far as is known. */
bool gm_recorded_plain(gm_analysis *analysis, gm_function *function, const gm_node *node);

/* Whether a statement in front of an expression may write to what stands under its text. */
bool gm_recorded_before(gm_analysis *analysis, gm_function *function, const gm_node *node);

/* Whether `gm_recorded_plain` holds for a part of an expression. */
bool gm_recorded_within(gm_analysis *analysis, gm_function *function, const gm_node *expression);

#endif
