/* Functions that the program keeps from the tracer: `@torch.compiler.disable`, `f = torch.compiler.assume_constant_result(f)`. Their bodies are
 * Python's alone; a call of one ends the graph or is an operator in it, as the program has asked. */
#ifndef GM_ANALYSIS_UNTRACED_H
#define GM_ANALYSIS_UNTRACED_H

#include "flow/flow.h"

/* Whether torch.compile does not trace the function with this definition, by a decorator or by an assignment behind it. */
bool gm_is_untraced(gm_flow *flow, const gm_node *definition);

#endif
