/* Taking comments away that silence nothing: the mend of rule GM001. */
#ifndef GM_DRIVER_UNUSED_H
#define GM_DRIVER_UNUSED_H

#include "mend/edits.h"
#include "rules/comments.h"

/* Add the edits that remove one of them, in a text in which no other edit touches the comment. */
void gm_unused_add_edits_of(gm_arena *arena, const gm_source *source, const gm_unused *unused, gm_edits *edits);

/* Add the edits that take them away: a comment whole with the blanks in front of it, of a list only the codes. */
void gm_unused_add_edits(gm_arena *arena, const gm_source *source, const gm_unused_list *list, gm_edits *edits);

#endif
