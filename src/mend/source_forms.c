#include "mend/source_forms.h"

typedef bool (*form)(gm_fixer *fixer, const gm_plan *plan, const char **assumption);

/* By kind of plan; NULL where the source dialect has no form. */
static const form forms[GM_PLAN_DROP + 1] = {NULL};

bool gm_source_form(gm_fixer *fixer, const gm_finding *finding, const char **assumption) {
    *assumption = NULL;
    if (finding->plan == NULL || forms[finding->plan->kind] == NULL) {
        return false;
    }
    return forms[finding->plan->kind](fixer, finding->plan, assumption);
}
