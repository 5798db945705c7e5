/* Calls of methods that tell facts of a tensor, and nothing of its numbers: `x.size(0)`, `x.numel()`. */
#ifndef GM_RULES_SHAPE_CALLS_H
#define GM_RULES_SHAPE_CALLS_H

#include "syntax/tree.h"

/* Whether a call is one, with constants alone as arguments. */
bool gm_is_shape_call(const gm_Call *call);

#endif
