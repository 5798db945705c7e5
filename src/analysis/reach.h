/* Which functions of a file torch.compile reaches: `forward` of modules, the passes of autograd functions, what is decorated with or
 * handed to torch.compile, what reached code of other files calls here, and everything of the file that those call, define or are wrapped
 * in. */
#ifndef GM_ANALYSIS_REACH_H
#define GM_ANALYSIS_REACH_H

#include "analysis/analysis.h"

/* Whether anything can be reached without calls from other files, as far as names and definitions tell: most files need no more. */
bool gm_reach_is_possible(const gm_tree *tree);

/* Whether the function with this definition is reached; computed for the whole file on first use. */
bool gm_reach_has(gm_analysis *analysis, const gm_node *definition);

/* The same by what this file alone tells, of calls that certainly call it. */
bool gm_reach_has_surely(gm_analysis *analysis, const gm_node *definition);

/* How many calls in functions that are reached call the function with this definition. */
uint32_t gm_reach_callers(gm_analysis *analysis, const gm_node *definition);

/* Call `visit` for each call in reached code of a function, with the function that it stands in. Returns whether all of them held; false where the
 * function may be called in other ways, too: from other files, as a value, through a table, by torch. */
bool gm_reach_all_calls(gm_analysis *analysis, const gm_node *definition,
                        bool (*visit)(gm_function *function, const gm_node *call, void *context), void *context);

/* The same of the calls of this file, and true where other files alone call it; false where this file may call it in other ways. */
bool gm_reach_own_calls(gm_analysis *analysis, const gm_node *definition,
                        bool (*visit)(gm_function *function, const gm_node *call, void *context), void *context);

/* As gm_reach_all_calls, whether or not there may be calls that are not known: false where none is known. */
bool gm_reach_each_call(gm_analysis *analysis, const gm_node *definition,
                        bool (*visit)(gm_function *function, const gm_node *call, void *context), void *context);

/* What reached code of the file calls in other files. */
typedef struct gm_outgoing {
    const gm_name *name; /* as gm_flow_qualified spells it */
    bool applied;        /* as a decorator: what it returns is what runs */
    uint32_t calls;
} gm_outgoing;

typedef GM_VEC(gm_outgoing) gm_outgoing_list;

const gm_outgoing_list *gm_reach_outgoing(gm_analysis *analysis);

/* The function of the file that a call certainly calls: a module-level def bound once, or a method of the class around by `self.NAME`.
 * NULL for others. */
const gm_node *gm_reach_callee(gm_analysis *analysis, gm_function *function, const gm_node *call);

#endif
