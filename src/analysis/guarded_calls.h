/* Code that no reached call comes to.
 *
 * The caller has asked the opposite: `if self.merged: self.unmerge()` never warns in a method that starts with `if not self.merged: warn`. Or the
 * test is of a parameter that is False or None by default, and no caller gives it. */
#ifndef GM_ANALYSIS_GUARDED_CALLS_H
#define GM_ANALYSIS_GUARDED_CALLS_H

#include "analysis/analysis.h"

/* Fill what a finding tells of calls: `reached`, `reached_surely` and `callers`, of the function with this definition. `output`: the finding is
 * about a message, which counts as off behind a parameter that is off by default, whatever calls there are. */
void gm_guarded_mark(gm_analysis *analysis, gm_finding *finding, const gm_node *definition, bool output);

#endif
