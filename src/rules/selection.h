/* The rules that a check is about. */
#ifndef GM_RULES_SELECTION_H
#define GM_RULES_SELECTION_H

#include "rules/rule.h"

/* Lists of codes or prefixes, each followed by a comma; borrowed. */
typedef struct gm_rule_selection {
    const char *select;      /* NULL: all */
    const char *more;        /* beside those of `select`; NULL: none */
    const char *ignore;      /* NULL: none */
    const char *file_ignore; /* of this file alone; NULL: none */
} gm_rule_selection;

/* Whether a rule is left in. */
bool gm_selection_has(const gm_rule_selection *selection, const gm_rule *rule);

/* The codes that are named: those of `select` and `more`; NULL where none are. */
const char *gm_selection_named(gm_arena *arena, const gm_rule_selection *selection);

#endif
