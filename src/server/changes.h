/* Changes of texts as the `edit` of a code action: the client carries them out. */
#ifndef GM_SERVER_CHANGES_H
#define GM_SERVER_CHANGES_H

#include "server/session.h"

/* Add a WorkspaceEdit for replacements in the text of a view, which may lie in several cells of a notebook. */
void gm_changes_add(gm_call *call, const gm_view *view, const gm_replacements *edits);

/* What turns the text of a view into `text`, at most one replacement a document and whole lines: `cells` has the ranges of the cells in `text`. */
const gm_replacements *gm_changes_between(gm_arena *arena, const gm_view *view, const char *text, size_t size, const gm_cells *cells);

#endif
