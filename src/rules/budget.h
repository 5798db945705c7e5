/* Work bounded by the source: dataflow over a function takes time by the square of its branches in the worst case, so a file whose functions
 * have many more of them than its length stands for is not analysed, which is told. */
#ifndef GM_RULES_BUDGET_H
#define GM_RULES_BUDGET_H

#include "syntax/parse.h"

/* Whether a file without syntax errors is within its budget; else `notice` says so, at the function that is too large. */
bool gm_budget_allows(const gm_tree *tree, gm_diagnostic *notice);

#endif
