/* Rules: one file a rule, listed in rules.def.
 *
 * A rule looks at one node at a time, proves what it can and says what to do: a finding, with a plan when there is a mend and with the
 * reason when there is none. It writes no text. */
#ifndef GM_RULES_RULE_H
#define GM_RULES_RULE_H

#include "analysis/analysis.h"

/* The walk in which a rule is asked; the walks come in this order. */
typedef enum gm_rule_walk {
    GM_WALK_MENDS,    /* run.h: statements, conditional expressions and calls, from the last to the first. Rules may plan */
    GM_WALK_READS,    /* reads.h: expressions that need a value, in code that is looked at. Advice alone, by gm_report_read */
    GM_WALK_COMMENTS, /* comments.h: comments that silence, when all other findings are known; by gm_comments_report */
} gm_rule_walk;

typedef struct gm_rule {
    const char *code;     /* "GM101" */
    const char *name;     /* "data-dependent-branch" */
    const char *break_id; /* the kind of graph break that it prevents, "GB0170"; "" for none */
    const char *page;     /* Markdown: What it finds, Why it breaks, What to write, When the mend is safe */
    gm_rule_walk walk;
    /* Look at a site of the walk. True when the site is this rule's, and a finding was made or deliberately left out. */
    bool (*find)(gm_analysis *analysis, const gm_site *site);
    bool drops_output; /* in the source dialect its mend keeps output out of compiled code: for those who select the rule by its code */
} gm_rule;

/* All rules in the order of rules.def: gm_rules[0 .. gm_rule_count). */
extern const gm_rule *const gm_rules[];
extern const size_t gm_rule_count;

/* The rules of a walk, from the first to the last or the other way round; in the arena. */
const gm_rule *const *gm_rules_of(gm_arena *arena, gm_rule_walk walk, bool last_first, uint32_t *count);

/* The rule with a code, or NULL. */
const gm_rule *gm_rule_find(const char *code);

#define GM_RULE(symbol) extern const gm_rule symbol;
#include "rules/rules.def"

#endif
