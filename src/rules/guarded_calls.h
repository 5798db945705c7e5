/* Code that no reached call comes to.
 *
 * The caller has asked the opposite: `if self.merged: self.unmerge()` never warns in a method that starts with `if not self.merged: warn`. Or the
 * test is of a parameter that is False or None by default, and no caller gives it. */
#ifndef GM_RULES_GUARDED_CALLS_H
#define GM_RULES_GUARDED_CALLS_H

#include "rules/analysis.h"

/* Whether the calls of the function with this definition exclude `node` inside of it. With `assumed`, parameters have their defaults, whatever
 * calls there are: a message behind `if verbose:` is off. */
bool gm_guarded_never(gm_analysis *analysis, const gm_node *definition, const gm_node *node, bool assumed);

#endif
