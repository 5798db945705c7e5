/* Walking trees that may be deep: chains such as `a + b + c + ...` and long `elif` ladders nest without any bracket, so
 * that the parser's limit on nesting does not bound them. */
#ifndef GM_FLOW_WALK_H
#define GM_FLOW_WALK_H

#include "base/work.h"
#include "syntax/tree.h"

/* The operand on the left of a chain: of BinOp, Attribute, Call and Subscript, always their first field; else NULL. */
const gm_node *gm_left_operand(const gm_node *node);

/* The condition of If, While, IfExp and Assert; else NULL. */
const gm_node *gm_condition(const gm_node *node);

/* Count a search through a node and what is below it. */
static inline void gm_work_below(gm_arena *arena, const gm_node *node) {
    gm_work(arena, 8 + (node->end - node->start) / 2);
}

/* Visit a node and everything below it, parents first, siblings in field order, without recursion. `visit` gets the parent too (NULL for
 * the root) and returns whether to go below the node. */
void gm_walk(gm_arena *arena, const gm_node *root, bool (*visit)(const gm_node *node, const gm_node *parent, void *context), void *context);

#endif
