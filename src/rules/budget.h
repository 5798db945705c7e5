/* Work bounded by the source: dataflow over a function takes time by the square of its branches in the worst case, so a file whose functions
 * have many more of them than its length stands for is not analysed, which is told. */
#ifndef GM_RULES_BUDGET_H
#define GM_RULES_BUDGET_H

#include "syntax/parse.h"

/* Whether the file is within its budget; else there is a diagnostic that says so, at the function that is too large. */
bool gm_budget_allows(gm_arena *arena, gm_tree *tree);

#endif
