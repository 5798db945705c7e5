/* Variables that a deferred statement reads: the statement must read an unbound one in any case, as in
 *
 *     for i in steps: ...
 *     print(i, "steps")        UnboundLocalError without a step
 *     self.steps[i] = 1        the same
 *
 * Such a read ends the trace, and the call runs in eager Python.
 */
#ifndef GM_RULES_BOUND_READS_H
#define GM_RULES_BOUND_READS_H

#include "analysis/analysis.h"
#include "analysis/plan.h"

/* The reason why a variable among the captures of a plan may not be read where its statement stands; none if all are bound there, or raise as
 * the statement would. `call`: the call that the statement is, or NULL. */
gm_refusal gm_reads_bound(gm_analysis *analysis, const gm_site *site, const gm_Call *call, const gm_plan *plan);

#endif
