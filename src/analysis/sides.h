/* The sides of a branch: which locals they read and give. */
#ifndef GM_ANALYSIS_SIDES_H
#define GM_ANALYSIS_SIDES_H

#include "analysis/analysis.h"

/* Fill `plan->operands` and `plan->targets` for a BRANCH over `plan->then` and `plan->orelse`; returns what is in the way. */
gm_refusal gm_sides_branch(gm_analysis *analysis, gm_plan *plan);

/* Fill `plan->operands` for a RETURN: everything that the sides and the rest of the function may read. */
gm_refusal gm_sides_return(gm_analysis *analysis, gm_plan *plan);

/* Whether a branch is too deep among others to be looked at: in more than 200 blocks, or in a chain of more `elif` than that. Each branch of a chain
 * is looked at with all that are behind it; who asks this first takes time by the length of the chain. */
bool gm_sides_deep(const gm_site *site);
#define GM_SIDES_DEEP_WORDS "it is one of more than 200 branches in one another, as those of `elif` are"

/* The innermost `try` of the function in which a statement stands, or NULL. */
const gm_node *gm_sides_try(const gm_site *site);

/* Variables that an expression reads from outside itself: locals of the function, and variables of a comprehension in which the
 * expression stands. */
gm_symbol_list gm_sides_names(gm_analysis *analysis, gm_function *function, const gm_node *expression);

/* What is in the way of passing these locals by value before `statement`: not bound on every path. `walrus` may bind some (or NULL). */
gm_refusal gm_sides_bound(gm_analysis *analysis, gm_function *function, const gm_node *statement, const gm_symbol_list *symbols,
                          const gm_symbol_list *walrus);

/* Whether a list holds a symbol; append one that it does not hold. */
bool gm_symbols_have(const gm_symbol_list *list, const gm_symbol *symbol);
void gm_symbols_add(gm_arena *arena, gm_symbol_list *list, gm_symbol *symbol);

#endif
