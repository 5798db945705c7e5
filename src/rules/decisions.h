/* Decisions: the places where Python asks for the truth of what may be a tensor, and those where it asks for a value from outside.
 *
 * A decision is the smallest expression whose truth is asked for: in `if a.any() and not b:` there are two, `a.any()` and `b`. */
#ifndef GM_RULES_DECISIONS_H
#define GM_RULES_DECISIONS_H

#include "analysis/analysis.h"

/* All decisions of a file whose values are tensors by evidence or by shape, as findings of GM105, each in front of those inside of it; a
 * refusal says why one can only be written as it stands. Among them the callees of calls that take a value from outside of the program
 * (outside_calls.h), as findings of GM501. They live in the arena of the analysis. */
gm_findings *gm_decisions_of(gm_analysis *analysis);

#endif
