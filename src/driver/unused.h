/* Comments that silence nothing: rule GM001. */
#ifndef GM_DRIVER_UNUSED_H
#define GM_DRIVER_UNUSED_H

#include "driver/check.h"
#include "driver/suppress.h"
#include "mend/edits.h"

typedef struct gm_unused {
    const gm_suppression *comment;
    const char *codes;   /* those that silence nothing, each followed by a comma; NULL: the whole comment */
    const char *message; /* in the arena */
} gm_unused;

typedef struct gm_unused_list {
    GM_VEC(gm_unused) items; /* in order of position */
} gm_unused_list;

/* Whether there are comments that have to silence something: those of ours, and codes of ours in those of other tools. */
bool gm_unused_possible(const gm_suppressions *comments);

/* The comments of a file that silence nothing. `comments` must have been asked about every finding of the analysis. */
const gm_unused_list *gm_unused_find(gm_analysis *analysis, gm_suppressions *comments, const gm_check_options *options);

/* Add the edits that remove one of them, in a text in which no other edit touches the comment. */
void gm_unused_add_edits_of(gm_arena *arena, const gm_source *source, const gm_unused *unused, gm_edits *edits);

/* Add the edits that take them away: a comment whole with the blanks in front of it, of a list only the codes. */
void gm_unused_add_edits(gm_arena *arena, const gm_source *source, const gm_unused_list *list, gm_edits *edits);

#endif
