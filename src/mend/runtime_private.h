/* Shared by the files that write the runtime dialect. */
#ifndef GM_MEND_RUNTIME_PRIVATE_H
#define GM_MEND_RUNTIME_PRIVATE_H

#include "mend/runtime.h"
#include "rules/rule.h"

typedef struct gm_emitter {
    gm_writer out;
    gm_analysis *analysis;
    gm_plan **plans; /* in order of position, outer before inner */
    uint32_t plan_count;
    uint32_t forms;     /* mended forms around what is being written */
    uint32_t originals; /* originals around it */
} gm_emitter;

/* ---- Pieces: pieces.c ---- */

/* The site of a plan as a string literal, and the text of any site. */
void gm_emit_site(gm_emitter *emitter, const gm_plan *plan);
const char *gm_emit_site_text(const gm_analysis *analysis, const gm_rule *rule, const gm_node *node);

/* Source with the expressions in it that have a plan in their mended form. */
void gm_emit_source(gm_emitter *emitter, uint32_t start, uint32_t end);
void gm_emit_expression(gm_emitter *emitter, const gm_node *node);

/* `x, y,`; with `default_values`: `x=x, y=y`. */
void gm_emit_names(gm_emitter *emitter, const gm_symbol_list *names);
/* `lambda x=x: `, for an expression of the function of a plan. */
void gm_emit_lambda(gm_emitter *emitter, const gm_plan *plan, const gm_node *body);

/* `_gm.branch(SITE, TEST, lambda: A, lambda: B, ())` */
void gm_emit_choice(gm_emitter *emitter, const gm_plan *plan);

/* Whether a plan lies in the range. */
bool gm_emit_has_plan(const gm_emitter *emitter, uint32_t start, uint32_t end);

/* ---- Decisions: decided.c ---- */

/* Have every copy of a decision of the list be a call: `x.any()` is copied as `_gm.taken(SITE, (x.any()))`. */
void gm_emit_decisions(gm_emitter *emitter, const gm_findings *decisions);

/* ---- Conditions: conditions.c ---- */

void gm_emit_test(gm_emitter *emitter, const gm_plan *plan, const gm_node *test);

/* ---- Forms of the plans of statements: forms.c ---- */

void gm_emit_plan(gm_emitter *emitter, const gm_plan *plan, uint32_t depth);

/* ---- Deferred effects: deferred.c ---- */

/* A statement, as `def _gm_sink__f(...): ...` and a call that hands it on. */
void gm_emit_defer(gm_emitter *emitter, const gm_plan *plan, uint32_t depth);
void gm_emit_record(gm_emitter *emitter, const gm_plan *plan, uint32_t depth);
/* A call that gives None, as an expression that gives None: `_gm.defer(SITE, lambda x: print(x), (x,))`. */
void gm_emit_deferred_value(gm_emitter *emitter, const gm_plan *plan);

/* ---- Statements: statements.c ---- */

void gm_emit_block(gm_emitter *emitter, const gm_list *block, uint32_t depth);

/* Statements of a list from `first` on; whether there were any. */
bool gm_emit_statements(gm_emitter *emitter, const gm_list *block, uint32_t first, uint32_t depth);

/* A statement as the user wrote it. */
void gm_emit_original(gm_emitter *emitter, const gm_node *statement, uint32_t depth);

/* A statement as the user wrote it, but for what is planned inside of it. */
void gm_emit_compound(gm_emitter *emitter, const gm_node *statement, uint32_t depth);

/* Where a statement begins, decorators included. */
uint32_t gm_emit_start(const gm_tree *tree, const gm_node *statement);

/* A line of the dialect's own at a level of indentation. */
void gm_emit_line(gm_emitter *emitter, uint32_t depth, const char *text);

#endif
