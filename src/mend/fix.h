/* The source dialect: what `graphmend fix` writes into a file, plain torch as an expert would write it.
 *
 * A finding is mended only where everything that the new text demands is proved by the text of the file: in eager Python too it computes,
 * raises, prints and mutates the same. What rests on an assumption is written on request, and the assumption is stated. No assumption makes it
 * right to drop output: that is written only for rules that are named. */
#ifndef GM_MEND_FIX_H
#define GM_MEND_FIX_H

#include "mend/fixes.h"

/* The edits for the findings of an analysis that can be mended in the source. Every one of them is proved over the text as it is; together
 * they are right as well, because proofs look at what a name is bound to and used for, and mends add no name and no use. Mends inside
 * the range of another one are left to the next run over the new text. */
gm_fix *gm_fix_run(gm_analysis *analysis, const gm_fix_options *options);

#endif
