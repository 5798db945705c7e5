/* The walk of comments: which of the comments that silence findings silence nothing (GM001).
 *
 * It comes last: gm_suppress_covers has been asked about every finding, and has marked the comments that have their use. */
#ifndef GM_RULES_COMMENTS_H
#define GM_RULES_COMMENTS_H

#include "analysis/analysis.h"
#include "rules/selection.h"
#include "rules/suppress.h"

/* A comment that silences nothing. */
typedef struct gm_unused {
    const gm_suppression *comment;
    const char *codes;   /* those that silence nothing, each followed by a comma; NULL: the whole comment */
    const char *message; /* in the arena */
} gm_unused;

typedef struct gm_unused_list {
    GM_VEC(gm_unused) items; /* in order of position */
} gm_unused_list;

/* Whether there are comments that have to silence something: those of ours, and codes of ours in those of other tools. */
bool gm_comments_possible(const gm_suppressions *comments);

/* The comments of a file that silence nothing, of rules that `selection` has. `comments` must have been asked about every finding of the
 * analysis, reads included. They live in the arena of the analysis. */
const gm_unused_list *gm_comments_of(gm_analysis *analysis, gm_suppressions *comments, const gm_rule_selection *selection);

/* Used by rules of this walk: report a comment. True. */
bool gm_comments_report(gm_analysis *analysis, gm_unused unused);

#endif
