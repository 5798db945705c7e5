/* Mends in the source dialect: what is asked for, and what is written. */
#ifndef GM_MEND_FIXES_H
#define GM_MEND_FIXES_H

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

#endif
