/* The rules' view of a file: all findings and plans, made in one walk (rules/run.h).
 *
 * Statements are visited from the last to the first and from the inside out, so that a rule that looks at a branch finds the plans of
 * everything inside and behind it made. Everything lives in the arena of the flow and is immutable when gm_rules_run has returned.
 *
 * Who reads:
 *
 *     gm_analysis *analysis = gm_rules_run(arena, tree, NULL);           rules/run.h; `tree` has no diagnostics
 *     for (i < analysis->findings.count) ... findings.items[i].plan      in order of position
 *     gm_analysis_plan(analysis, node)                                   what a statement becomes; NULL: it stays
 *     gm_analysis_refuse_each(analysis, why, context)                    a writer that cannot carry plans out, before it writes
 *     gm_reads_of(analysis), then gm_comments_of(analysis, ...)          the other walks, in this order (rules/reads.h, rules/comments.h)
 *
 * A rule, in its find(analysis, site), either makes a plan or says why there is none:
 *
 *     gm_plan *plan = gm_plan_new(analysis, &gm_rule_branch, site, GM_PLAN_BRANCH);
 *     gm_refusal refusal = gm_sides_branch(analysis, plan);              fills the plan; sides.h, effects.h, test_refusal.h
 *     if (refusal.reason == NULL) gm_report_plan(analysis, plan, message, advice, certain);
 *     else gm_report_refusal(analysis, &gm_rule_branch, site, refusal, message, advice, certain);
 *
 * A plan that is not reported leaves no trace. A node has one plan at most. */
#ifndef GM_ANALYSIS_ANALYSIS_H
#define GM_ANALYSIS_ANALYSIS_H

#include "analysis/plan.h"
#include "base/map.h"
#include "base/table.h"
#include "flow/walk.h"
#include "values/values.h"

typedef enum gm_level {
    GM_LEVEL_SAFE,    /* proved, or checked while tracing */
    GM_LEVEL_ASSUMED, /* rests on an assumption that the finding states */
    GM_LEVEL_ADVICE,  /* no mend: says what to write */
    GM_LEVEL_NOTICE,  /* nothing is wrong with the code: what was not looked at */
} gm_level;

/* Why something is left as it is; `reason` is NULL when nothing is in the way. */
typedef struct gm_refusal {
    const char *reason; /* lower case, no full stop */
    const gm_node *node;
} gm_refusal;

typedef struct gm_finding {
    const struct gm_rule *rule;
    const gm_node *node;   /* the place to mark */
    gm_function *function; /* where it is */
    const char *message;   /* what breaks */
    const char *advice;    /* what to write instead */
    const char *break_id;  /* where another kind of graph break than that of the rule is meant; else NULL */
    gm_refusal refusal;    /* why there is no mend; no reason when there is */
    gm_plan *plan;         /* NULL when refused */
    bool certain;          /* by evidence, not only by shape: `check` shows these alone */
    bool read_before;      /* it decides on numbers alone that have been read out of tensors before: the graph has ended there */
    bool reached;          /* torch.compile can come here, by evidence in this file and in those that call it */
    bool reached_surely;   /* the same by calls in this file that are certain: what writes to the file asks for that */
    uint32_t callers;      /* calls of the function in code that torch.compile reaches */
} gm_finding;

typedef GM_VEC(gm_finding) gm_findings;

typedef struct gm_plan_slot {
    const gm_node *node;
    gm_plan *plan; /* NULL: it was taken back */
} gm_plan_slot;
typedef GM_MAP(gm_plan_slot) gm_plan_map;

typedef struct gm_analysis {
    gm_arena *arena;
    gm_tree *tree;
    gm_flow *flow;               /* NULL where only reached code is looked at, and nothing in the text can reach torch */
    gm_findings findings;        /* in order of position after the run */
    gm_findings *reports;        /* where rules report to: `findings`, or those of the walk of reads; private */
    gm_plan_map plans;           /* by node; private */
    gm_table visited;                /* functions whose visit has begun; private */
    /* Asks the rules about a function first; of rules/run.c, private. */
    void (*visit)(struct gm_analysis *analysis, const gm_node *definition);
    const struct gm_rule *const *mends; /* the rules of the walk of mends; of rules/run.c, private */
    uint32_t mend_count;
    struct gm_reads_ahead *reads_ahead; /* of read_next.c; private */
    struct gm_unused_list *unused;        /* what the walk of comments reports; of rules/comments.c, private */
    const struct gm_rule_selection *selection; /* the same: the rules that are asked about */
    struct gm_data_sizes *data_sizes; /* of gm202_data_size.c; private */
    struct gm_purity *purity;        /* verdicts on functions of the file; private */
    struct gm_recorded *recorded;    /* what the function that was asked about last puts something into; private */
    struct gm_definitions *definitions; /* of mend/definitions.c; private */
    struct gm_methods *methods; /* of methods.c; private */
    struct gm_switched *switched; /* of defaults.c; private */
    struct gm_reach *reach;   /* functions that torch.compile reaches; private */
    bool names_compile;       /* the file has the names that `torch.compile` takes; private */
    bool reached_only;        /* as gm_rules_run_reached was asked; private */
    const char *entrances;    /* the same */
    uint8_t release;          /* gm_release of releases.h */
} gm_analysis;

/* What rules are asked about: a node, or a comment. */
typedef struct gm_site {
    gm_function *function;
    const gm_node *node;
    const gm_node *statement; /* NULL in the walk of reads */
    const gm_place *place;    /* of `statement` */
    const struct gm_suppression *comment; /* NULL but in the walk of comments, which has nothing else */
} gm_site;

/* The plan of a statement or conditional expression, or NULL. */
gm_plan *gm_analysis_plan(const gm_analysis *analysis, const gm_node *node);

/* Used by rules. `certain` and texts as in gm_finding; texts must be static or in the arena. */
gm_plan *gm_plan_new(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, gm_plan_kind kind);
void gm_report_plan(gm_analysis *analysis, gm_plan *plan, const char *message, const char *advice, bool certain);
void gm_report_refusal(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, gm_refusal refusal, const char *message,
                       const char *advice, bool certain);

/* Name the kind of graph break of the finding that was reported last, where it is not that of the rule. */
void gm_report_break(gm_analysis *analysis, const char *break_id);

/* Whether two nodes have the same text. */
bool gm_analysis_same_text(const gm_analysis *analysis, const gm_node *left, const gm_node *right);

/* printf into the arena. */
const char *gm_analysis_text(const gm_analysis *analysis, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The text of a node in backticks, or `else_` where it is longer than `most` bytes or has several lines. */
const char *gm_analysis_quote(const gm_analysis *analysis, const gm_node *node, uint32_t most, const char *else_);

/* Forget a plan: its finding becomes a refusal. For writers that cannot carry it out. */
void gm_analysis_refuse(gm_analysis *analysis, gm_plan *plan, const char *reason);

/* The same for every plan that `why` has a reason against; findings of one plan must get the same answer. Linear in the findings. */
void gm_analysis_refuse_each(gm_analysis *analysis, const char *(*why)(const gm_finding *finding, const void *context),
                             const void *context);

#endif
