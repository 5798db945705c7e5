/* What code does besides computing values, as far as the text tells.
 *
 * A side of a branch can be run always only if it has no effect of Python: no writing to objects, no input or output, no random number of
 * Python's. What its tensor operations do is proved later, on the traced graph. */
#ifndef GM_ANALYSIS_EFFECTS_H
#define GM_ANALYSIS_EFFECTS_H

#include "analysis/analysis.h"

/* How strict a question is. */
typedef enum gm_effects_mode {
    GM_EFFECTS_SIDE, /* statements of a side: plans inside count as mended; no return */
    GM_EFFECTS_TAIL, /* the same with return */
    GM_EFFECTS_TEST, /* a condition that may be evaluated twice: it may read data */
    GM_EFFECTS_SINK, /* an expression that is to run later, in eager Python, on values kept from now */
} gm_effects_mode;

/* What in an expression forbids to evaluate it although Python would not have. */
gm_refusal gm_effects_of(gm_analysis *analysis, gm_function *function, const gm_node *expression, gm_effects_mode mode);

/* Whether a Call, its arguments aside, has to be made where it stands: an expression that is to run later may hold it only with its value
   kept. GM_EFFECTS_SINK passes over such calls. */
bool gm_effects_in_place(gm_analysis *analysis, gm_function *function, const gm_node *call);

/* What forbids consecutive statements, as gm_effects_of. */
gm_refusal gm_effects_of_block(gm_analysis *analysis, gm_function *function, const gm_list *block, gm_effects_mode mode);

/* Whether a function cannot be changed at all: generators, coroutines, locals(), frames, decorators that read byte code. */
gm_refusal gm_effects_of_function(gm_analysis *analysis, gm_function *function);

/* The same where only a single statement is to be carried out later: it may stand in a generator, whose statements a tracer
   comes by in the order in which they run. */
gm_refusal gm_effects_of_caller(gm_analysis *analysis, gm_function *function);

#endif
