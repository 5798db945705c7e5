/* Branches of statements: shared by source_branch.c and source_several.c. */
#ifndef GM_MEND_SOURCE_BRANCH_H
#define GM_MEND_SOURCE_BRANCH_H

#include "mend/source_select.h"

typedef struct gm_layout {
    const char *indent; /* of the new statements */
    const char *end;    /* of lines */
} gm_layout;

/* Take a statement of a block that only prepares: it goes in front of the selection. False when it is none. `target` is the variable that
 * the branch is about, or NULL. */
bool gm_branch_take_first(gm_selection *all, const gm_node *statement, const gm_list *block, const gm_symbol *target);

/* The statements that prepare and are not written yet, each on a line of its own, then `head` and the selection. */
void gm_branch_write(const gm_selection *all, const gm_layout *with, const char *head, const gm_choice *value, gm_edit_text *text);

/* Replace a range by the comments in it and new statements. */
void gm_branch_replace(const gm_selection *all, const gm_layout *with, uint32_t start, uint32_t end, const gm_edit_text *body,
                       gm_edits *edits);

/* Two texts, one behind the other. */
const char *gm_branch_head(const gm_selection *all, const char *left, const char *right);

bool gm_branch_is_elif(const gm_selection *all);
bool gm_branch_is_ascii(const char *text);

/* The form of a branch that assigns several variables. */
void gm_branch_several(gm_selection *all, const gm_layout *with, gm_edits *edits);

#endif
