/* The walk over a file in which the rules are asked about every site.
 *
 * A function is visited once, on demand: a rule that meets a call of a function of the file first has that function visited. */
#ifndef GM_RULES_RUN_H
#define GM_RULES_RUN_H

#include "analysis/analysis.h"

/* What an analysis is told about the world around the file. */
typedef struct gm_asked {
    const char *entrances; /* what reached code of other files calls here, NULL: nothing. A line for each, "NAME CALLS", in any order: the
                              name of a function, of a class or "CLASS.METHOD", behind "@" when it is a decorator there, and the
                              number of calls. Borrowed */
    uint8_t release;       /* gm_release of releases.h: the release of torch that the findings are about */
} gm_asked;

/* All findings and plans of a file. `asked` may be NULL: nothing is told, and the release is the first. */
gm_analysis *gm_rules_run(gm_arena *arena, gm_tree *tree, const gm_asked *asked);

/* The same for those who want to know of code that torch.compile reaches alone: other functions are only looked at where that needs it, and most
 * of the findings in them are not made. */
gm_analysis *gm_rules_run_reached(gm_arena *arena, gm_tree *tree, const gm_asked *asked);

#endif
