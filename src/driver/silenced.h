/* Plans that a comment silences: neither `run` nor `fix` carries them out.
 *
 *     if x.sum() > 0:
 *         y = y + 1  # graphmend: ignore[GM101]
 *
 * The comment stands behind the statement, so `check` reports the branch, and the branch stays as it is written. */
#ifndef GM_DRIVER_SILENCED_H
#define GM_DRIVER_SILENCED_H

#include "base/table.h"
#include "driver/check.h"

typedef struct gm_silenced {
    gm_table plans;     /* silenced by a comment, or of a rule that the options leave out */
    gm_table functions; /* with a plan that a comment silences */
} gm_silenced;

/* The silenced plans of an analysis whose plans are all there; `options` may be NULL. */
const gm_silenced *gm_silenced_of(gm_analysis *analysis, const gm_check_options *options);

/* Why `fix` and `run` do not carry out the plan of a finding, or NULL; `silenced` is the context. `run` leaves more: sides of a branch may hold
 * what a silenced plan would have mended, so it mends none of the branches of such a function. */
const char *gm_silenced_for_fix(const gm_finding *finding, const void *silenced);
const char *gm_silenced_for_run(const gm_finding *finding, const void *silenced);

#endif
