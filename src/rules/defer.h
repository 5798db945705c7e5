/* Deferred effects: what GM301, GM302 and GM303 share. */
#ifndef GM_RULES_DEFER_H
#define GM_RULES_DEFER_H

#include "rules/analysis.h"

/* The call of an expression statement, or NULL. */
const gm_Call *gm_defer_call(const gm_site *site);

/* Where effects may stand: `raises` for effects that can raise by themselves. */
gm_refusal gm_defer_context(gm_analysis *analysis, const gm_site *site, bool raises);

/* Report the statement: as a plan when its arguments can be kept for later, otherwise with `refusal` or the reason found here. */
void gm_defer_report(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, gm_refusal refusal,
                     const char *message, const char *advice);

#endif
