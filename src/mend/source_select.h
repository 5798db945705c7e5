/* Selecting one of two values with `torch.where`: shared by the forms that do. */
#ifndef GM_MEND_SOURCE_SELECT_H
#define GM_MEND_SOURCE_SELECT_H

#include "mend/source_text.h"

/* A value of one side: its text, and what is proved of it. */
typedef struct gm_choice {
    gm_edit_text text;
    gm_relation relation;
    const gm_symbol *same; /* the variable that keeps its value in this side; or NULL */
} gm_choice;

/* A mend in the making. */
typedef struct gm_selection {
    gm_fixer *fixer;
    const gm_plan *plan;
    gm_proof proof;
    const char *torch;
    const char *condition; /* the variable that holds the condition; NULL: it is written where it is needed */
    GM_VEC(const gm_node *) first; /* statements of the sides that only prepare: they go in front */
    uint32_t written; /* how many of them are written */
} gm_selection;

gm_selection gm_select_begin(gm_fixer *fixer, const gm_plan *plan);

/* The value of an expression, and that of a variable which a side leaves as it is. */
gm_choice gm_select_value(gm_selection *all, const gm_node *value);
gm_choice gm_select_unchanged(gm_selection *all, const gm_symbol *target);

/* The selection of two values; false, with `fixer->reason` set, when it is not proved to be the same program. `later`: Python might not
 * have evaluated the test. `target` is the variable that it is assigned to, or NULL. The call is written on several lines when it is too
 * long behind `front` characters; `indent` is that of the statement, NULL for one line in any case. */
bool gm_select(gm_selection *all, const gm_node *test, bool later, const gm_choice *then, const gm_choice *orelse, const gm_symbol *target,
               const char *indent, uint32_t front, gm_choice *out);

/* `name = value`: the variable; NULL for other statements. */
const gm_symbol *gm_select_assigned(const gm_selection *all, const gm_node *statement);

#endif
