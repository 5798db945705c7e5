/* The forms that plans take in the source dialect: one for each kind of plan that has any. */
#ifndef GM_MEND_SOURCE_FORMS_H
#define GM_MEND_SOURCE_FORMS_H

#include "mend/fix.h"

typedef struct gm_fixer {
    gm_analysis *analysis;
    bool assumed;
    gm_fix *fix;
} gm_fixer;

/* Add the edits for a finding. Returns whether it is mended; `*assumption` is what the mend rests on, if anything. Nothing is added when it
 * is not. */
bool gm_source_form(gm_fixer *fixer, const gm_finding *finding, const char **assumption);

#endif
