#ifndef GM_RULES_CHANGING_OBJECTS_H
#define GM_RULES_CHANGING_OBJECTS_H

#include "analysis/analysis.h"

/* Whether an expression names an object that may change until the call has ended: `self`, a module, or an object of a class of the program. Such
 * an object cannot be kept for later. */
bool gm_object_may_change(gm_function *function, const gm_node *node);

/* `", ".join(self.adapters)`, `sorted(self.heads)`: whether an expression makes a text or a container of such an object, which has to happen where
 * the statement stands. */
bool gm_object_is_copied(gm_analysis *analysis, gm_function *function, const gm_node *node);

#endif
