/* The last look at fixed text: everything that was not edited has to mean what it meant. */
#ifndef GM_MEND_SAME_TREE_H
#define GM_MEND_SAME_TREE_H

#include "mend/edits.h"
#include "syntax/parse.h"

/* Whether `after`, the tree of the text that the edits of `before` gave, has the same nodes at the same places as `before`, apart from
 * statements and expressions that an edit replaces, changes or touches. */
bool gm_same_tree(gm_arena *arena, const gm_tree *before, const gm_tree *after, const gm_edits *edits);

#endif
