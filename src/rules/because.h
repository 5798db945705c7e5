/* Where a finding is marked, and what the reader has to know to believe it: the expression that decides, and where its tensor comes from. */
#ifndef GM_RULES_BECAUSE_H
#define GM_RULES_BECAUSE_H

#include "analysis/analysis.h"

/* The expression to mark: of a decision the first part of its condition that is a tensor, otherwise the node of the finding. */
const gm_node *gm_because_mark(const gm_finding *finding);

/* Why the marked expression is taken for a tensor, by the first name in it that is one: "`mask` is a tensor: `mask = x > 0`", with the node that
 * binds the name in `*shown` (NULL when it is not to be shown). NULL for findings that are no decisions, and where there is nothing to add to
 * the message. */
const char *gm_because_text(gm_analysis *analysis, const gm_finding *finding, const gm_node *mark, const gm_node **shown);

#endif
