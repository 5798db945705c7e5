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

/* Whether a finding of rule `code` at bytes start to end is silenced by a comment on their first or last line. */
bool gm_suppress_covers(const gm_suppressions *suppressions, const gm_source *source, const char *code, uint32_t start, uint32_t end);

/* Whether a list of codes or prefixes, each followed by a comma, has this code. */
bool gm_suppress_lists(const char *codes, const char *code);

#endif
