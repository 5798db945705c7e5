/* Counters of a module: whole numbers that every call of compiled code changes.
 *
 *     def forward(self, x):
 *         self.calls += 1
 *
 * Dynamo guards a whole number that an `nn.Module` holds by its value, so each call compiles the code again, up to the recompile limit (eight),
 * and later calls run in plain Python. Floats, tensors and numbers of other objects become inputs of the graph and are none. */
#ifndef GM_RULES_COUNTERS_H
#define GM_RULES_COUNTERS_H

#include "analysis/analysis.h"

/* Whether a statement certainly changes a counter of its module in every call of the function, without bound: it adds a constant to an attribute
 * that starts as a whole number, nothing in front of it returns or tests the counter, and no compiled code sets it back. */
bool gm_counter_grows(gm_analysis *analysis, const gm_site *site);

extern const char gm_counter_message[];
extern const char gm_counter_advice[];

/* Report such a statement of a rule where it has no plan, and name the kind of graph break of its finding. */
void gm_counter_report(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, bool planned);

#endif
