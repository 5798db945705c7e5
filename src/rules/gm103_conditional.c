#include "analysis/effects.h"
#include "analysis/sides.h"
#include "analysis/test_refusal.h"
#include "rules/rule.h"

static const char page[] =
    "# GM103 conditional expression on data\n\n"
    "## What it finds\n\n"
    "    y = x * 2 if x.mean() > 0 else x - 1\n\n"
    "## Why it breaks\n\n"
    "The condition is the value of a tensor; the compiler ends the graph to learn it (GB0170).\n\n"
    "## What to write\n\n"
    "    y = torch.where(x.mean() > 0, x * 2, x - 1)\n\n"
    "where both values are tensors of one shape and dtype and neither side can fail.\n\n"
    "## When the mend is safe\n\n"
    "Both values may only be computed: no effect, no variable that may be unbound. `graphmend run` proves the rest on the traced graph, "
    "as for GM101.\n";

extern const gm_rule gm_rule_conditional;

static const char advice[] = "`torch.where(condition, a, b)` computes both values and selects";

static bool find_walrus(const gm_node *node, void *context) {
    bool *found = context;
    *found = *found || node->kind == GM_KIND_NamedExpr;
    return !*found && gm_node_children(node, find_walrus, context);
}

static gm_refusal refusal_of_value(gm_analysis *analysis, const gm_site *site, const gm_node *value) {
    bool walrus = false;
    gm_work_below(analysis->arena, value);
    find_walrus(value, &walrus);
    if (walrus) {
        return (gm_refusal){"a value assigns a variable", value};
    }
    gm_refusal refusal = gm_effects_of(analysis, site->function, value, GM_EFFECTS_SIDE);
    if (refusal.reason != NULL) {
        return refusal;
    }
    gm_symbol_list names = gm_sides_names(analysis, site->function, value);
    return gm_sides_bound(analysis, site->function, site->statement, &names, NULL);
}

static bool is_python(const gm_site *site, const gm_node *value) {
    return gm_value_of(site->function, value).class_ == GM_VALUE_NOT;
}

static gm_refusal refusal_of(gm_analysis *analysis, const gm_site *site, const gm_IfExp *choice) {
    gm_refusal refusal = gm_effects_of_function(analysis, site->function);
    refusal = refusal.reason != NULL ? refusal : gm_test_refusal(analysis, site, choice->test, false);
    refusal = refusal.reason != NULL ? refusal : refusal_of_value(analysis, site, choice->body);
    refusal = refusal.reason != NULL ? refusal : refusal_of_value(analysis, site, choice->orelse);
    if (refusal.reason == NULL && (is_python(site, choice->body) || is_python(site, choice->orelse))) {
        refusal = (gm_refusal){"the result is a Python value that depends on data", &choice->base};
    }
    return refusal;
}

/* A choice of Python values that is assigned is looked at again as a statement, by GM102. */
static bool is_left_to_statement(const gm_site *site, const gm_IfExp *choice) {
    return site->statement->kind == GM_KIND_Assign && gm_as_Assign(site->statement)->value == site->node && site->place->tail &&
           (is_python(site, choice->body) || is_python(site, choice->orelse));
}

static bool find_conditional(gm_analysis *analysis, const gm_site *site) {
    const char *reason = NULL;
    if (site->node->kind != GM_KIND_IfExp) {
        return false;
    }
    const gm_IfExp *choice = gm_as_IfExp(site->node);
    gm_test_class class_ = gm_test_classify(site->function, choice->test, &reason);
    if (class_ == GM_TEST_PYTHON || is_left_to_statement(site, choice)) {
        return true;
    }
    const char *message = class_ == GM_TEST_TENSOR ? gm_analysis_text(analysis, "choice by the value of a tensor: %s", reason)
                                                   : "choice by what may be the value of a tensor";
    gm_refusal refusal = refusal_of(analysis, site, choice);
    if (refusal.reason != NULL) {
        gm_report_refusal(analysis, &gm_rule_conditional, site, refusal, message, advice, class_ == GM_TEST_TENSOR);
        return true;
    }
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_conditional, site, GM_PLAN_SELECT);
    plan->test = choice->test;
    plan->then_value = choice->body;
    plan->else_value = choice->orelse;
    plan->weight = 1;
    gm_report_plan(analysis, plan, message, advice, class_ == GM_TEST_TENSOR);
    return true;
}

const gm_rule gm_rule_conditional = {
    .code = "GM103",
    .name = "data-dependent-conditional",
    .break_id = "GB0170",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_conditional,
};
