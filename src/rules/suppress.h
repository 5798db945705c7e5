/* Comments that silence findings:
 *
 *     # graphmend: ignore              every rule, on this line
 *     # graphmend: ignore[GM101, GM3]  these rules (a prefix stands for a group); a reason may follow
 *     # graphmend: ignore-file         every rule, in the whole file
 *     # noqa                           every rule, on this line
 *     # noqa: GM101, E501              these rules
 */
#ifndef GM_RULES_SUPPRESS_H
#define GM_RULES_SUPPRESS_H

#include "base/vec.h"
#include "syntax/parse.h"

typedef struct gm_suppression {
    uint32_t line;
    uint32_t start; /* byte range of the remark in the text, from `graphmend:` or `noqa` on */
    uint32_t end;
    const char *codes; /* "GM101,GM3,": each followed by a comma, without spaces; NULL: all */
    bool noqa;
    bool used;
    uint64_t used_codes; /* bit i: the i-th of the codes, up to 64 */
} gm_suppression;

typedef struct gm_suppressions {
    bool whole_file;
    GM_VEC(gm_suppression) lines; /* in order of lines */
} gm_suppressions;

/* The suppressions of a file, from its comments. */
gm_suppressions *gm_suppress_read(gm_arena *arena, const gm_tree *tree);

/* Whether a finding of rule `code` at bytes start to end is silenced by a comment on their first or last line. The comments that do are
 * marked as used. */
bool gm_suppress_covers(gm_suppressions *suppressions, const gm_source *source, const char *code, uint32_t start, uint32_t end);

/* The index of the first comment on a line or behind it. */
uint32_t gm_suppress_at(const gm_suppressions *suppressions, uint32_t line);

/* Whether a list of codes or prefixes, each followed by a comma, has this code. */
bool gm_suppress_lists(const char *codes, const char *code);

/* The code at `*at` in a list of codes followed by commas, in the arena; `*at` moves behind it. NULL at the end. */
const char *gm_suppress_next(gm_arena *arena, const char **at);

#endif
