/* Decisions on numbers that came out of tensors earlier. */
#ifndef GM_ANALYSIS_READ_BEFORE_H
#define GM_ANALYSIS_READ_BEFORE_H

#include "analysis/analysis.h"

/* Whether a finding is a decision in which nothing is read out of a tensor: `n = x.sum().item()` has ended the graph, and `if n > 0` is a plain
 * decision on a number in the next one. */
bool gm_read_before(const gm_finding *finding);

/* Whether none of these expressions reads data: `self.longest = max(n, self.longest)`, where `n` is a number that was read before. */
bool gm_reads_nothing(gm_function *function, const gm_list *nodes);

#endif
