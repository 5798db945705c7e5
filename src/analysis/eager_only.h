/* Code that Python runs and the compiler does not, by its own test: `if not torch.compiler.is_compiling():`, `if torch.jit.is_tracing():`. */
#ifndef GM_ANALYSIS_EAGER_ONLY_H
#define GM_ANALYSIS_EAGER_ONLY_H

#include "flow/flow.h"

/* Whether the compiler passes a statement or expression by: it stands in such a branch, or behind `not torch.compiler.is_compiling() and` in
 * a condition. For a statement whose own test says so, whatever it does then, the answer is yes as well. */
bool gm_eager_only(gm_flow *flow, const gm_node *node);

/* The block of an If that the compiler passes by, or NULL. */
const gm_list *gm_eager_only_block(gm_flow *flow, const gm_If *branch);

#endif
