/* The walk of reads: places where Python needs to know what a tensor holds although it decides nothing there, numbers (GM201) and sizes
 * (GM202), and what is not traced at all (GM502 to GM505). Their findings have no plan, and no other rule looks at the places. */
#ifndef GM_RULES_READS_H
#define GM_RULES_READS_H

#include "analysis/analysis.h"

/* All reads of a file as findings without a plan, in order of position; `reached` and `callers` are set. In functions that are not reached none are
 * looked for when the analysis was made for those alone. They live in the arena of the analysis. */
gm_findings *gm_reads_of(gm_analysis *analysis);

/* Used by rules of this walk: report a finding that marks `node`, with the reason why there is no mend. True. */
bool gm_report_read(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, const gm_node *node, const char *message,
                    const char *advice, const char *reason);

#endif
