/* Numbers that a branch on data chooses.
 *
 *     if loss.item() < self.best:
 *         bad = 0
 *     else:
 *         bad = self.bad + 1
 *     if bad > 3:                  # data decide what `bad` is, though no tensor has been read for it
 *
 * The tracer merges both numbers into one of the graph (python/graphmend/runtime/capture/merged_numbers.py), and a test of it is one on data. */
#ifndef GM_ANALYSIS_CHOSEN_H
#define GM_ANALYSIS_CHOSEN_H

#include "flow/flow.h"

/* Whether an expression of the function reads a number, as a local or as an attribute, that the function assigns inside of a branch on data. */
bool gm_chosen_reads(gm_function *function, const gm_node *expression);

#endif
