/* Records of tensors: a list or queue of the object keeps a tensor itself, `self.history.append(loss.detach())`. */
#ifndef GM_RULES_KEPT_TENSORS_H
#define GM_RULES_KEPT_TENSORS_H

#include "analysis/analysis.h"

/* Whether evaluating an expression does more than to put the values of its parts together. */
bool gm_is_computed(const gm_node *node);

/* Whether a method with this name may put what it is given in as it is, and the arguments are evaluated once, whatever the data: then
 * they can be evaluated where the statement stands, and put in behind the graph. */
bool gm_keeps_tensors(gm_analysis *analysis, const char *action, const gm_list *arguments);

/* Whether the keys of `self.history[key].append(t)` and what is put in can be evaluated before the containers are asked for the keys: where
 * a key is missing, Python raises before it has evaluated the rest. */
bool gm_keys_hold(gm_analysis *analysis, gm_function *function, const gm_list *keys, const gm_list *arguments);

/* `table.setdefault(key, [])`, which is `table[key]` that may be new: with a number, a text or an empty container. */
bool gm_is_entry(const gm_analysis *analysis, const gm_node *node);

/* Whether a node is one of a list. */
bool gm_list_holds(const gm_list *list, const gm_node *node);

/* Whether an expression takes an attribute that belongs to one tensor object, not to its value: a kept copy has another. */
bool gm_names_identity(gm_function *function, const gm_node *node);

#endif
