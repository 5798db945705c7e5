/* The forms that plans take in the source dialect: one for each kind of plan that has any. */
#ifndef GM_MEND_SOURCE_FORMS_H
#define GM_MEND_SOURCE_FORMS_H

#include "mend/fixes.h"
#include "mend/relation.h"

typedef struct gm_fixer {
    gm_analysis *analysis;
    const gm_fix_options *options;
    gm_assumptions *assumptions; /* NULL: mends have to be proved without any */
    gm_fix *fix;
    const char *reason;       /* why the form that was asked last did nothing; lower case, no full stop */
    const gm_node *import_at; /* the statement in front of which `import torch` is missing; NULL when it is not */
} gm_fixer;

/* A form writes its edits to `edits`, which is empty and stays so if it cannot; `*assumption` is what it rests on, if anything. If it writes
 * nothing, it may leave a better `fixer->reason` than is there. */
typedef void (*gm_source_form)(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);

/* The form of a kind of plan (gm_plan_kind), or NULL. */
gm_source_form gm_source_form_of(uint8_t kind);

/* source_select.c, source_drop.c, source_assumed.c */
void gm_form_branch(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
void gm_form_return(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
void gm_form_select(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
void gm_form_argument(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
void gm_form_drop(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
void gm_form_check(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
/* Of a branch that assigns nothing: not in the table, gm_form_branch asks it. */
void gm_form_messages(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);
void gm_form_defer(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption);

/* A condition as one tensor of bool with one element: its text, without `not` in front when `*negated` is set. False when that is not
 * proved. `later`: Python would not always have evaluated it. source_condition.c */
bool gm_source_condition(gm_fixer *fixer, gm_proof *proof, const gm_node *test, bool later, gm_edit_text *text, bool *negated);

#endif
