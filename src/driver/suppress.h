/* Comments that silence findings:
 *
 *     # graphmend: ignore              every rule, on this line
 *     # graphmend: ignore[GM101, GM3]  these rules (a prefix stands for a group)
 *     # graphmend: ignore-file         every rule, in the whole file
 *     # noqa                           every rule, on this line
 *     # noqa: GM101, E501              these rules
 */
#ifndef GM_DRIVER_SUPPRESS_H
#define GM_DRIVER_SUPPRESS_H

#include "base/vec.h"
#include "syntax/parse.h"

typedef struct gm_suppression {
    uint32_t line;
    const char *codes; /* "GM101,GM3,": each followed by a comma, without spaces; NULL: all */
} gm_suppression;

typedef struct gm_suppressions {
    bool whole_file;
    GM_VEC(gm_suppression) lines; /* in order of lines */
} gm_suppressions;

/* The suppressions of a file, from its comments. */
gm_suppressions *gm_suppress_read(gm_arena *arena, const gm_tree *tree);

/* Whether a finding of rule `code` that covers these lines is silenced by a comment on the first or the last of them. */
bool gm_suppress_covers(const gm_suppressions *suppressions, const char *code, uint32_t first_line, uint32_t last_line);

/* Whether a list of codes or prefixes, each followed by a comma, has this code. */
bool gm_suppress_lists(const char *codes, const char *code);

#endif
