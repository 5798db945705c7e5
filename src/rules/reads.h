/* Reads: the places where Python needs to know what a tensor holds although it decides nothing there: numbers (GM201) and sizes (GM202).
 * With them what is not traced at all (untraced.h): findings that have no plan and that no other rule looks at. */
#ifndef GM_RULES_READS_H
#define GM_RULES_READS_H

#include "analysis/analysis.h"

/* All reads of a file as findings without a plan, in order of position; `reached` and `callers` are set. In functions that are not reached none are
 * looked for when the analysis was made for those alone. They live in the arena of the analysis. */
gm_findings *gm_reads_of(gm_analysis *analysis);

#endif
