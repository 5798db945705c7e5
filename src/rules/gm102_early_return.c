#include <string.h>

#include "analysis/blocks.h"
#include "analysis/effects.h"
#include "analysis/sides.h"
#include "analysis/test_refusal.h"
#include "analysis/weight.h"
#include "rules/rule.h"

static const char page[] =
    "# GM102 early return on data\n\n"
    "## What it finds\n\n"
    "An `if` on the value of a tensor after which the function goes on in different ways: a `return` in one side or in both, or a "
    "Python value (a number, a string, `None`) that is chosen by the data and used later:\n\n"
    "    if x.sum() < 0:\n"
    "        return x * 0\n"
    "    y = x.relu()\n"
    "    return y @ y.T\n\n"
    "## Why it breaks\n\n"
    "What is computed next depends on data, so the compiler ends the graph at the condition (GB0170) and compiles the rest twice.\n\n"
    "## What to write\n\n"
    "Compute both results and select once, at the end:\n\n"
    "    y = x.relu()\n"
    "    return torch.where(x.sum() < 0, x * 0, y @ y.T)\n\n"
    "Results of different shape, or `None` on one side, cannot come out of one graph: give both "
    "sides the same form, or decide outside the compiled function.\n\n"
    "## When the mend is safe\n\n"
    "Both ways to the end of the function may only compute: the demands are those of GM101, put to the side and to everything behind "
    "the branch. The rest of the function is copied into both sides, which is limited to functions of moderate length.\n";

extern const gm_rule gm_rule_early_return;

static const char advice[] = "compute both results and select once at the end: `return torch.where(condition, a, b)`";

/* ---- Which branches are this rule's ---- */

static bool holds_return(const gm_analysis *analysis, const gm_list *block);

typedef struct gm_return_search {
    const gm_analysis *analysis;
    bool found;
} return_search;

static bool look_for_return(const gm_list *block, void *context) {
    return_search *search = context;
    search->found = search->found || holds_return(search->analysis, block);
    return !search->found;
}

/* A return, or a plan that makes one. */
static bool holds_return(const gm_analysis *analysis, const gm_list *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const gm_node *statement = block->items[i];
        const gm_plan *plan = gm_analysis_plan(analysis, statement);
        return_search search = {analysis, false};
        if (statement->kind == GM_KIND_Return || (plan != NULL && plan->kind == GM_PLAN_RETURN) ||
            !gm_blocks_each(statement, look_for_return, &search)) {
            return true;
        }
    }
    return false;
}

typedef struct gm_value_search {
    const gm_plan *plan;
    const gm_symbol *symbol;
    bool python;
    bool tensor;
    bool number; /* every Python value is a number */
} value_search;

static bool look_for_values(const gm_list *block, void *context);

static void note_value(value_search *search, gm_value value) {
    search->python = search->python || value.class_ == GM_VALUE_NOT;
    search->tensor = search->tensor || value.class_ == GM_VALUE_TENSOR;
    search->number = search->number && (value.form >= GM_FORM_BOOL && value.form <= GM_FORM_NUMBER);
}

/* What a side assigns to a variable, where it does so plainly. */
static void look_at_statement(value_search *search, const gm_node *statement) {
    if (statement->kind == GM_KIND_Assign) {
        const gm_Assign *assign = gm_as_Assign(statement);
        for (uint32_t i = 0; i < assign->targets.count; i++) {
            const gm_node *target = assign->targets.items[i];
            if (target->kind == GM_KIND_Name && gm_scopes_symbol(search->plan->function->flow->scopes, target) == search->symbol) {
                gm_value value = gm_value_of(search->plan->function, assign->value);
                note_value(search, value);
            }
        }
    }
    gm_blocks_each(statement, look_for_values, search);
}

static bool look_for_values(const gm_list *block, void *context) {
    for (uint32_t i = 0; i < block->count; i++) {
        look_at_statement(context, block->items[i]);
    }
    return true;
}

/* Whether a variable holds a Python value behind the branch on one of its ways, and whether a number on all of them. */
static bool is_python_choice(const gm_plan *plan, const gm_symbol *symbol, bool *number) {
    value_search search = {plan, symbol, false, false, true};
    look_for_values(&plan->then, &search);
    look_for_values(&plan->orelse, &search);
    if (!search.python && gm_symbols_have(&plan->operands, symbol)) {
        gm_value before = gm_value_before(plan->function, plan->statement, symbol);
        note_value(&search, before);
    }
    *number = *number && (search.number || !search.python);
    return search.python;
}

/* The first variable of which the branch chooses a Python value; `*number`: all those values are numbers. */
static const gm_symbol *python_choice(gm_analysis *analysis, gm_plan *plan, bool *number) {
    const gm_symbol *first = NULL;
    *number = true;
    for (uint32_t i = 0; gm_sides_branch(analysis, plan).reason == NULL && i < plan->targets.count; i++) {
        if (is_python_choice(plan, plan->targets.items[i], number) && first == NULL) {
            first = plan->targets.items[i];
        }
    }
    return first;
}

/* ---- Results ---- */

static const gm_node *returned_value(const gm_list *block) {
    const gm_node *last = block->count == 0 ? NULL : block->items[block->count - 1];
    return last != NULL && last->kind == GM_KIND_Return ? gm_as_Return(last)->value : NULL;
}

static bool is_python(const gm_plan *plan, const gm_node *value) {
    return gm_value_of(plan->function, value).class_ == GM_VALUE_NOT;
}

/* Results of the two ways that certainly cannot come out of one graph. */
static gm_refusal refusal_of_results(gm_analysis *analysis, const gm_plan *plan) {
    gm_refusal refusal = {NULL, NULL};
    const gm_node *then = returned_value(&plan->then);
    const gm_node *orelse = returned_value(&plan->orelse);
    if (orelse == NULL && plan->orelse.count == 0) {
        orelse = returned_value(plan->place->list);
    }
    if (then == NULL || orelse == NULL || then->kind == GM_KIND_Tuple || orelse->kind == GM_KIND_Tuple ||
        gm_analysis_same_text(analysis, then, orelse)) {
        return refusal;
    }
    bool containers = then->kind == orelse->kind && (then->kind == GM_KIND_Dict || then->kind == GM_KIND_List);
    if (!containers && (is_python(plan, then) || is_python(plan, orelse))) {
        refusal = (gm_refusal){"the result is a Python value that depends on data", is_python(plan, then) ? then : orelse};
    }
    return refusal;
}

/* ---- The plan ---- */

static gm_refusal refusal_of_rest(gm_analysis *analysis, const gm_plan *plan) {
    for (const gm_place *place = plan->place; place != NULL; place = place->outer) {
        gm_list rest = {place->list->items + place->index + 1, place->list->count - place->index - 1};
        gm_refusal refusal = gm_effects_of_block(analysis, plan->function, &rest, GM_EFFECTS_TAIL);
        if (refusal.reason != NULL) {
            return refusal;
        }
    }
    return (gm_refusal){NULL, NULL};
}

static gm_refusal weigh(gm_analysis *analysis, gm_plan *plan, uint32_t copies) {
    uint32_t depth = gm_weight_depth(analysis, &plan->then);
    uint32_t other = gm_weight_depth(analysis, &plan->orelse);
    depth = depth > other ? depth : other;
    uint32_t rest = copies == 0 ? 0 : gm_weight_behind(analysis, plan->place, &depth);
    plan->depth = depth + 1;
    plan->weight = 1 + gm_weight_of(analysis, &plan->then) + gm_weight_of(analysis, &plan->orelse) + copies * rest;
    if (plan->weight > GM_WEIGHT_LIMIT || plan->depth > GM_DEPTH_LIMIT) {
        return (gm_refusal){"too many ways lead to the end of the function", plan->node};
    }
    return (gm_refusal){NULL, NULL};
}

static gm_refusal refusal_of(gm_analysis *analysis, gm_plan *plan) {
    if (!plan->place->tail) {
        return (gm_refusal){"the return stands in a loop, `with` or `try`", plan->node};
    }
    gm_refusal refusal = gm_effects_of_block(analysis, plan->function, &plan->then, GM_EFFECTS_TAIL);
    refusal = refusal.reason != NULL ? refusal : gm_effects_of_block(analysis, plan->function, &plan->orelse, GM_EFFECTS_TAIL);
    uint32_t copies = (uint32_t)(plan->then_value != NULL || gm_blocks_falls_through(&plan->then)) +
                      (uint32_t)(plan->else_value != NULL || gm_blocks_falls_through(&plan->orelse));
    if (refusal.reason == NULL && copies > 0) {
        refusal = refusal_of_rest(analysis, plan);
    }
    refusal = refusal.reason != NULL ? refusal : refusal_of_results(analysis, plan);
    refusal = refusal.reason != NULL ? refusal : gm_sides_return(analysis, plan);
    return refusal.reason != NULL ? refusal : weigh(analysis, plan, copies);
}

static gm_refusal refusal_of_site(gm_analysis *analysis, const gm_site *site, gm_plan *plan, gm_refusal refusal) {
    if (refusal.reason == NULL) {
        refusal = gm_effects_of_function(analysis, site->function);
    }
    if (refusal.reason == NULL) {
        refusal = gm_test_refusal(analysis, site, plan->test, false);
    }
    return refusal.reason != NULL ? refusal : refusal_of(analysis, plan);
}

static void report(gm_analysis *analysis, const gm_site *site, gm_plan *plan, gm_refusal refusal, const char *message, bool certain) {
    if (refusal.reason == NULL) {
        gm_report_plan(analysis, plan, message, advice, certain);
    } else {
        gm_report_refusal(analysis, &gm_rule_early_return, site, refusal, message, advice, certain);
    }
}

static bool find_if(gm_analysis *analysis, const gm_site *site) {
    const gm_If *branch = gm_as_If(site->node);
    const char *reason = NULL;
    gm_test_class class_ = gm_test_classify(site->function, branch->test, &reason);
    if (class_ == GM_TEST_PYTHON) {
        return false;
    }
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_early_return, site, GM_PLAN_RETURN);
    plan->test = branch->test;
    plan->then = branch->body;
    plan->orelse = branch->orelse;
    const char *message = NULL;
    bool number = false;
    bool deep = gm_sides_deep(site);
    if (holds_return(analysis, &branch->body) || (!deep && holds_return(analysis, &branch->orelse))) {
        message = class_ == GM_TEST_TENSOR ? gm_analysis_text(analysis, "return decided by the value of a tensor: %s", reason)
                                           : "return decided by what may be the value of a tensor";
    } else {
        const gm_symbol *choice = site->place->tail && !deep ? python_choice(analysis, plan, &number) : NULL;
        if (choice == NULL) {
            return false;
        }
        message = gm_analysis_text(analysis, "`%s` is a Python value chosen by the value of a tensor", choice->name->text);
    }
    gm_refusal refusal = refusal_of_site(analysis, site, plan, (gm_refusal){deep ? GM_SIDES_DEEP_WORDS : NULL, deep ? site->node : NULL});
    if (refusal.reason != NULL && number) {
        return false; /* GM101: the tracer merges the numbers */
    }
    report(analysis, site, plan, refusal, message, class_ == GM_TEST_TENSOR);
    return true;
}

/* `mode = "a" if x.sum() > 0 else "b"`: no value to select, but each side can run to the end with its own. */
static bool find_assignment(gm_analysis *analysis, const gm_site *site) {
    const gm_Assign *assign = gm_as_Assign(site->node);
    if (assign->value->kind != GM_KIND_IfExp || !site->place->tail || gm_analysis_plan(analysis, assign->value) != NULL) {
        return false;
    }
    const gm_IfExp *choice = gm_as_IfExp(assign->value);
    const char *reason = NULL;
    gm_test_class class_ = gm_test_classify(site->function, choice->test, &reason);
    bool python = gm_value_of(site->function, choice->body).class_ == GM_VALUE_NOT ||
                  gm_value_of(site->function, choice->orelse).class_ == GM_VALUE_NOT;
    if (class_ == GM_TEST_PYTHON || !python) {
        return false;
    }
    for (uint32_t i = 0; i < assign->targets.count; i++) {
        if (assign->targets.items[i]->kind != GM_KIND_Name) {
            return false;
        }
    }
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_early_return, site, GM_PLAN_RETURN);
    plan->test = choice->test;
    plan->then_value = choice->body;
    plan->else_value = choice->orelse;
    gm_refusal refusal = gm_effects_of(analysis, site->function, choice->body, GM_EFFECTS_SIDE);
    if (refusal.reason == NULL) {
        refusal = gm_effects_of(analysis, site->function, choice->orelse, GM_EFFECTS_SIDE);
    }
    refusal = refusal_of_site(analysis, site, plan, refusal);
    report(analysis, site, plan, refusal, "a Python value is chosen by the value of a tensor", class_ == GM_TEST_TENSOR);
    return true;
}

static bool find_early_return(gm_analysis *analysis, const gm_site *site) {
    if (site->node->kind == GM_KIND_Assign) {
        return find_assignment(analysis, site);
    }
    return site->node->kind == GM_KIND_If && find_if(analysis, site);
}

const gm_rule gm_rule_early_return = {
    .code = "GM102",
    .name = "data-dependent-return",
    .break_id = "GB0170",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_early_return,
};
