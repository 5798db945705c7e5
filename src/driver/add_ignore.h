/* Comments for `--add-ignore`: what is found today is silenced line by line, so that only what is new will be reported. */
#ifndef GM_DRIVER_ADD_IGNORE_H
#define GM_DRIVER_ADD_IGNORE_H

#include "driver/check.h"
#include "mend/edits.h"

typedef struct gm_ignores_added {
    gm_edits edits;  /* of the checked text: comments that are added, or lists in comments that grow */
    uint32_t added;  /* findings that they silence */
    uint32_t left;   /* findings on lines that cannot hold a comment: inside a string, in front of a line join */
} gm_ignores_added;

/* The edits that silence every finding among the entries. Syntax errors and unused comments stay. */
gm_ignores_added gm_add_ignore(gm_arena *arena, const gm_checked *checked);

#endif
