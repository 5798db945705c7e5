/* What `graphmend run` and `graphmend fix` will do about each entry, and why: one answer for each of them, as they mend by other means.
 *
 * `run` mends by a plan, follows the path that a call takes, or keeps numbers and sizes in the graph; it proves the rest on the traced graph.
 * `fix` writes what the text of the file proves, or, with `--unsafe`, what it proves under an assumption. */
#ifndef GM_DRIVER_FORESEE_H
#define GM_DRIVER_FORESEE_H

#include "driver/check.h"

/* Fill `run`, `run_note`, `fix`, `fix_note` and `edits` of all entries. `options` are those of the check, `all` is that of gm_fix_options. Plans that
 * `fix` leaves because of a comment become refusals. Files without analysis stay as they are. The work has the budget that `fix` has for a file (base/work.h); beyond it, nothing is fixed and the note says so. */
void gm_foresee(gm_arena *arena, gm_checked *checked, const gm_check_options *options, bool all);

#endif
