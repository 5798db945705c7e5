/* Deferred effects: what the rules of effects share. */
#ifndef GM_RULES_DEFER_H
#define GM_RULES_DEFER_H

#include "analysis/analysis.h"
#include "analysis/stack_levels.h"

/* The call of an expression statement, or NULL. */
const gm_Call *gm_defer_call(const gm_site *site);

/* The same, or the Call that is asked about: for calls that give None, which may stand wherever a value is asked for. */
const gm_Call *gm_defer_none_call(const gm_site *site);

/* Where effects may stand. One that raises an exception ends the call where it stands, so handlers around it are no matter. */
gm_refusal gm_defer_context(gm_analysis *analysis, const gm_site *site);

/* Report the statement: as a plan when its arguments can be kept for later, otherwise with `refusal` or the reason found here.
 * `position` is the place of the argument `stacklevel` among those by position (stack_levels.h). */
void gm_defer_report(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, uint32_t position, gm_refusal refusal,
                     const char *message, const char *advice);

/* Add the arguments of a call to a list. */
void gm_defer_reads(gm_analysis *analysis, gm_list *reads, const gm_Call *call);

/* Forget what was found and planned inside of a statement that is carried out as a whole. */
void gm_defer_absorb(gm_analysis *analysis, const gm_node *statement);

/* A branch of nothing but effects that are deferred by themselves, `reads` being what its test reads: it is carried out as a whole, its
 * test as well. False if it is none. */
bool gm_defer_branch(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, gm_list reads, const char *message,
                     const char *advice);

/* Whether a branch can be carried out as a whole and asks for nothing but Python objects, among them one that the function records into:
 * tracing would have to know what it holds, `if len(self.losses) % 10 == 0:`. */
bool gm_defer_recorded_test(gm_analysis *analysis, const gm_site *site);

/* The same as gm_defer_report for a plan with everything but `captures` and `sink` filled in: `reads` are the expressions that are kept, save for `own`, the
 * object or file that is written to. */
void gm_defer_record(gm_analysis *analysis, const gm_site *site, gm_plan *plan, const gm_list *reads, const gm_node *own,
                     const char *message, const char *advice, bool certain);

#endif
