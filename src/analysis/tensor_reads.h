/* Tensors whose values Python asks for although nothing is decided: evidence that GM201 (numbers) and GM202 (sizes) share.
 *
 *     n = lengths.max().item()    a number
 *     kept = hidden[mask]         a size */
#ifndef GM_ANALYSIS_TENSOR_READS_H
#define GM_ANALYSIS_TENSOR_READS_H

#include "values/values.h"

/* Whether a value is taken for a tensor, by evidence. */
bool gm_read_is_tensor(gm_function *function, const gm_node *node);

/* Whether it is one whose numbers are known only when the graph has run. */
bool gm_read_is_data(gm_function *function, const gm_node *node);

/* Whether a value is known to be something else. */
bool gm_read_is_no_tensor(gm_function *function, const gm_node *node);

/* The first index of a Subscript that reads a tensor; at most one of the two is set. */
typedef struct gm_index_read {
    const gm_node *bound; /* the bound of a slice, which has to be a number */
    const gm_node *mask;  /* a tensor of bool, which chooses how many items there are */
} gm_index_read;

gm_index_read gm_read_by_index(gm_function *function, const gm_node *subscript);

/* The last name of a callee, by which most calls are done with; NULL when it has none. */
const gm_name *gm_call_last_name(const gm_Call *call);

#endif
