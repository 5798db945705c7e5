/* Shared by effects.c (statements, functions) and effects_expression.c. */
#ifndef GM_ANALYSIS_EFFECTS_PRIVATE_H
#define GM_ANALYSIS_EFFECTS_PRIVATE_H

#include "analysis/effects.h"
#include "analysis/tests.h"

gm_refusal gm_effects_refuse(const char *reason, const gm_node *node);

/* Why a function of the file has effects, or NULL. */
const char *gm_effects_of_callee(gm_analysis *analysis, const gm_node *definition);

/* Whether a def, class or lambda captures the variable; comprehensions do not count, they run at once. */
bool gm_effects_is_captured(const gm_symbol *symbol);

#endif
