/* Which functions of a file torch.compile reaches, as far as the file itself tells: `forward` of modules, what is decorated with or
 * handed to torch.compile, and everything of the file that those call or define. */
#ifndef GM_RULES_REACH_H
#define GM_RULES_REACH_H

#include "rules/analysis.h"

/* Whether the function with this definition is reached; computed for the whole file on first use. */
bool gm_reach_has(gm_analysis *analysis, const gm_node *definition);

/* How many calls in functions that are reached certainly call the function with this definition. */
uint32_t gm_reach_callers(gm_analysis *analysis, const gm_node *definition);

/* The function of the file that a call certainly calls: a module-level def bound once, or a method of the class around by `self.NAME`.
 * NULL for others. */
const gm_node *gm_reach_callee(gm_analysis *analysis, gm_function *function, const gm_node *call);

#endif
