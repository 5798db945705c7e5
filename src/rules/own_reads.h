/* Reads of the objects that a deferred statement writes to: attributes of numbers, items of lists and dictionaries. */
#ifndef GM_RULES_OWN_READS_H
#define GM_RULES_OWN_READS_H

#include "analysis/analysis.h"

/* Whether a statement stands in a branch that data may decide. */
bool gm_own_under_data(const gm_site *site);

/* Whether a node is written as a text. */
bool gm_own_reads_as(const gm_function *function, const gm_node *node, const char *text);

/* Whether an expression reads the attribute of another one, by text: `self.counts.get(key, 0) + 1` reads `self.counts`. */
bool gm_own_reads(gm_analysis *analysis, const gm_node *expression, const gm_node *target);

/* Whether a number goes into an attribute on one side of a branch on data, and the function certainly reads the attribute as well (`path` is its
 * text): a record would be refused, and the tracer merges the numbers of both sides. */
bool gm_own_is_merged(gm_analysis *analysis, const gm_site *site, const gm_node *target, const gm_node *value, const char *path);

/* Whether an expression is the last item of a list, as `self.losses[-1]`, and no statement in front of it writes to the list: a deferred
 * statement keeps the item then, and not the list with all its items. */
bool gm_own_is_last_item(gm_analysis *analysis, gm_function *function, const gm_node *node);

#endif
