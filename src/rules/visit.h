/* Visiting functions once each, on demand: a rule that meets a call of a function of the file first has that function visited. */
#ifndef GM_RULES_VISIT_H
#define GM_RULES_VISIT_H

#include "rules/analysis.h"

/* Ask all rules about everything in a function, unless that has been done or is going on. */
void gm_visit_function(gm_analysis *analysis, const gm_node *definition);

/* True the first time it is called for a function. Private to the walk. */
bool gm_visit_begin(gm_analysis *analysis, const gm_function *function);

#endif
