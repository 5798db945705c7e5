/* The blocks of compound statements, and small questions about statements. */
#ifndef GM_ANALYSIS_BLOCKS_H
#define GM_ANALYSIS_BLOCKS_H

#include "syntax/tree.h"

/* Call `visit` for every block of a compound statement in order of position; nothing for other statements and for definitions. Returns
 * false when a visit did. */
bool gm_blocks_each(const gm_node *statement, bool (*visit)(const gm_list *block, void *context), void *context);

/* Whether the node opens a scope of its own: def, class, lambda. */
static inline bool gm_blocks_is_definition(const gm_node *node) {
    return node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef || node->kind == GM_KIND_ClassDef ||
           node->kind == GM_KIND_Lambda;
}

/* The body of a `def` or `async def`. */
const gm_list *gm_blocks_of_function(const gm_node *definition);

/* Whether control can reach the end of the block: false when its last statement returns, raises, breaks or continues on every path.
 * Tests are not looked at. */
bool gm_blocks_falls_through(const gm_list *block);

/* Whether the block always ends by raising an exception: not by return, break, continue or at its end. */
bool gm_blocks_always_raises(const gm_list *block);

#endif
