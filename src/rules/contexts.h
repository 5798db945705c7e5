/* Context managers that Dynamo does not enter: GM503. */
#ifndef GM_RULES_CONTEXTS_H
#define GM_RULES_CONTEXTS_H

#include "flow/flow.h"

typedef struct gm_untraced_context {
    const char *type; /* what is called to make it: "threading.Lock" */
    const char *way;  /* what `run` does about it; NULL: nothing */
} gm_untraced_context;

/* The row of untraced.def for the expression behind `with`, or NULL. */
const gm_untraced_context *gm_untraced_context_of(gm_function *function, const gm_node *manager);

#endif
