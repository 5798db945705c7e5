/* The source dialect: what `graphmend fix` writes into a file, plain torch as an expert would write it.
 *
 * A finding is mended only where everything that the new text demands is proved by the text of the file: in eager Python too it computes,
 * raises, prints and mutates the same. What rests on an assumption is written on request, and the assumption is stated. No assumption makes it
 * right to drop output: that is written only for rules that are named. */
#ifndef GM_MEND_FIX_H
#define GM_MEND_FIX_H

#include "analysis/analysis.h"
#include "mend/edits.h"

typedef struct gm_fix_site {
    const gm_finding *finding;
    gm_edits edits;         /* of this mend alone, with the `import torch` that it requires */
    const char *assumption; /* what the mend rests on; NULL when it is proved */
} gm_fix_site;

typedef struct gm_fix_left {
    const gm_finding *finding;
    const char *reason; /* why it is left as it is, although there is a plan; lower case, no full stop */
} gm_fix_left;

typedef struct gm_fix {
    gm_edits edits;
    GM_VEC(gm_fix_site) sites; /* the findings that the edits mend, in order of position */
    GM_VEC(gm_fix_left) left;  /* findings with a plan that are not mended */
} gm_fix;

typedef struct gm_fix_options {
    bool assumed;      /* also mends that rest on an assumption */
    bool all;          /* also in functions that nothing in the file compiles */
    bool drops_output; /* with `assumed`: also mends of all rules that drop output of compiled code */
    const char *named; /* otherwise of the rules whose whole code is in this list, each followed by a comma; NULL: of none */
} gm_fix_options;

/* The edits for the findings of an analysis that can be mended in the source. Every one of them is proved over the text as it is; together
 * they are right as well, because proofs look at what a name is bound to and used for, and mends add no name and no use. Mends inside
 * the range of another one are left to the next run over the new text. */
gm_fix *gm_fix_run(gm_analysis *analysis, const gm_fix_options *options);

#endif
