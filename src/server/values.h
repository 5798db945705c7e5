/* What is known of the value of an expression, in words for hovers and hints. */
#ifndef GM_SERVER_VALUES_H
#define GM_SERVER_VALUES_H

#include "analysis/analysis.h"
#include "base/buffer.h"

typedef struct gm_known {
    const gm_node *node; /* the expression, or the name that is bound to it */
    gm_value value;
} gm_known;

/* The innermost name, attribute, call or other expression at an offset that is a tensor, or may be one; false where there is none. */
bool gm_value_known_at(gm_analysis *analysis, uint32_t offset, gm_known *known);

/* Whether there is something to say of a value: that it is a tensor, or may be. */
bool gm_value_is_telling(const gm_value *value);

/* Add "0-d tensor of floating point numbers", "perhaps a tensor". */
void gm_value_add_kind(gm_buffer *out, const gm_value *value);

#endif
