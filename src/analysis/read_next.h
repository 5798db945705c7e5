/* Counters that the program looks at as soon as it has counted. */
#ifndef GM_ANALYSIS_READ_NEXT_H
#define GM_ANALYSIS_READ_NEXT_H

#include "analysis/analysis.h"

/* Whether one of the statements that follow a site for certain reads what stands under this text (`self.steps`): then the write cannot wait
 * until the call has ended. */
bool gm_read_next(gm_analysis *analysis, const gm_site *site, const char *path);

#endif
