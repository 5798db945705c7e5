/* Operations that torch.compile does not trace whatever the data are: GM502 to GM505. They are advice alone; reads.c collects them. */
#ifndef GM_RULES_UNTRACED_H
#define GM_RULES_UNTRACED_H

#include "rules/rule.h"

typedef struct gm_untraced {
    const gm_rule *rule;
    const gm_node *node;    /* the place to mark */
    const char *message;    /* static or in the arena */
    const char *advice;
    const char *reason;     /* why there is no mend */
} gm_untraced;

/* Whether a node of a function is such an operation; fills `*found`. */
bool gm_untraced_find(gm_analysis *analysis, gm_function *function, const gm_node *node, gm_untraced *found);

/* What `run` does about a context, the node of a finding of GM503; NULL for nothing. */
const char *gm_untraced_context_way(gm_analysis *analysis, gm_function *function, const gm_node *manager);

#endif
