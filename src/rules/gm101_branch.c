#include <string.h>

#include "analysis/blocks.h"
#include "analysis/effects.h"
#include "analysis/sides.h"
#include "analysis/test_refusal.h"
#include "analysis/weight.h"
#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM101 data-dependent branch\n\n"
    "## What it finds\n\n"
    "An `if` whose condition is the value of a tensor, and whose sides assign variables:\n\n"
    "    if x.sum() > 0:\n"
    "        y = x * 2\n"
    "    else:\n"
    "        y = x - 1\n\n"
    "## Why it breaks\n\n"
    "The condition is known only when the graph runs, so the compiler ends the graph here (GB0170), runs the condition in Python "
    "and starts another graph for each side.\n\n"
    "## What to write\n\n"
    "    y = torch.where(x.sum() > 0, x * 2, x - 1)\n\n"
    "when both sides are cheap, cannot fail and give tensors of one shape and dtype. Mind the gradient: a side that divides, "
    "takes a root or a logarithm can have an infinite derivative where it is not chosen; then replace its input as well. "
    "If a side is expensive, use `torch.cond`, or leave the branch.\n\n"
    "## When the mend is safe\n\n"
    "The sides may only compute, assign local variables, and put numbers into attributes: no other attribute, no item and no global is "
    "written, nothing is called that could have an effect, every variable that a side needs is bound. Numbers are merged as tensors are: the "
    "graph selects one and reads it. `graphmend run` then traces both sides and proves on the graph that "
    "they cannot fail, draw no random numbers, mutate nothing, agree in dtype, shape and device, and have the same gradients as "
    "the branch.\n";

extern const gm_rule gm_rule_branch;

static const char advice[] = "compute both sides and select: `torch.where(condition, a, b)`";

/* ---- One call on both sides that differs in one argument ---- */

/* The call that is all of a side. */
static const gm_Call *only_call(const gm_list *side) {
    if (side->count != 1 || side->items[0]->kind != GM_KIND_Expr) {
        return NULL;
    }
    const gm_node *value = gm_as_Expr(side->items[0])->value;
    return value->kind == GM_KIND_Call ? gm_as_Call(value) : NULL;
}

/* A callee that can be looked up before the condition as well as after it: a chain of attributes of a name. */
static bool is_plain_callee(const gm_node *callee) {
    while (callee->kind == GM_KIND_Attribute) {
        callee = gm_as_Attribute(callee)->value;
    }
    return callee->kind == GM_KIND_Name;
}

/* The index of the only argument in which the calls differ; -1 when they differ otherwise. Arguments before it must be constants or
 * names, because they are evaluated before the condition then. */
static int different_argument(const gm_analysis *analysis, const gm_Call *left, const gm_Call *right) {
    int found = -1;
    if (left->args.count != right->args.count || left->keywords.count + right->keywords.count > 0 || !is_plain_callee(left->func) ||
        !gm_analysis_same_text(analysis, left->func, right->func)) {
        return -1;
    }
    for (uint32_t i = 0; i < left->args.count; i++) {
        const gm_node *argument = left->args.items[i];
        if (argument->kind == GM_KIND_Starred || right->args.items[i]->kind == GM_KIND_Starred) {
            return -1;
        }
        if (gm_analysis_same_text(analysis, argument, right->args.items[i])) {
            if (argument->kind != GM_KIND_Name && argument->kind != GM_KIND_Constant) {
                return -1;
            }
        } else if (found >= 0) {
            return -1;
        } else {
            found = (int)i;
        }
    }
    return found;
}

static void add_names(gm_analysis *analysis, gm_symbol_list *list, const gm_site *site, const gm_node *expression) {
    gm_symbol_list names = gm_sides_names(analysis, site->function, expression);
    for (uint32_t i = 0; i < names.count; i++) {
        gm_symbols_add(analysis->arena, list, names.items[i]);
    }
}

/* The plan of an `if` that only chooses an argument; NULL when it is another kind of `if`. */
static gm_plan *plan_argument(gm_analysis *analysis, const gm_site *site) {
    const gm_If *branch = gm_as_If(site->node);
    const gm_Call *then = only_call(&branch->body);
    const gm_Call *orelse = only_call(&branch->orelse);
    int index = then == NULL || orelse == NULL ? -1 : different_argument(analysis, then, orelse);
    if (index < 0 || gm_analysis_plan(analysis, branch->body.items[0]) != NULL) {
        return NULL;
    }
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_branch, site, GM_PLAN_ARGUMENT);
    plan->test = branch->test;
    plan->then_value = then->args.items[index];
    plan->else_value = orelse->args.items[index];
    add_names(analysis, &plan->operands, site, plan->then_value);
    add_names(analysis, &plan->operands, site, plan->else_value);
    return plan;
}

static gm_refusal refusal_of_argument(gm_analysis *analysis, const gm_site *site, const gm_plan *plan) {
    gm_refusal refusal = gm_effects_of(analysis, site->function, plan->then_value, GM_EFFECTS_SIDE);
    if (refusal.reason == NULL) {
        refusal = gm_effects_of(analysis, site->function, plan->else_value, GM_EFFECTS_SIDE);
    }
    return refusal.reason != NULL ? refusal : gm_sides_bound(analysis, site->function, site->statement, &plan->operands, NULL);
}

/* ---- Sides that assign ---- */

static gm_plan *plan_branch(gm_analysis *analysis, const gm_site *site) {
    const gm_If *branch = gm_as_If(site->node);
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_branch, site, GM_PLAN_BRANCH);
    plan->test = branch->test;
    plan->then = branch->body;
    plan->orelse = branch->orelse;
    return plan;
}

static gm_refusal refusal_of_branch(gm_analysis *analysis, const gm_site *site, gm_plan *plan) {
    gm_refusal refusal = gm_effects_of_block(analysis, site->function, &plan->then, GM_EFFECTS_SIDE);
    if (refusal.reason == NULL) {
        refusal = gm_effects_of_block(analysis, site->function, &plan->orelse, GM_EFFECTS_SIDE);
    }
    return refusal.reason != NULL ? refusal : gm_sides_branch(analysis, plan);
}

/* Sides are functions in mended code: a branch in another takes two levels. */
static gm_refusal refusal_of_indents(gm_analysis *analysis, gm_plan *plan) {
    uint32_t then = gm_weight_indents(analysis, &plan->then);
    uint32_t orelse = gm_weight_indents(analysis, &plan->orelse);
    plan->indents = 1 + (then > orelse ? then : orelse);
    if (gm_weight_too_deep(plan->place, plan->indents)) {
        return (gm_refusal){"its mended form would have more levels of indentation than Python reads", plan->node};
    }
    return (gm_refusal){NULL, NULL};
}

static bool find_branch(gm_analysis *analysis, const gm_site *site) {
    const char *reason = NULL;
    if (site->node->kind != GM_KIND_If) {
        return false;
    }
    const gm_If *branch = gm_as_If(site->node);
    gm_test_class class_ = gm_test_classify(site->function, branch->test, &reason);
    if (class_ == GM_TEST_PYTHON || gm_defer_recorded_test(analysis, site)) {
        return false;
    }
    gm_plan *plan = plan_argument(analysis, site);
    bool argument = plan != NULL;
    plan = argument ? plan : plan_branch(analysis, site);
    gm_refusal refusal = gm_effects_of_function(analysis, site->function);
    refusal = refusal.reason != NULL ? refusal : gm_test_refusal(analysis, site, branch->test, false);
    if (refusal.reason == NULL && gm_sides_deep(site)) {
        refusal = (gm_refusal){GM_SIDES_DEEP_WORDS, site->node};
    }
    if (refusal.reason == NULL) {
        refusal = argument ? refusal_of_argument(analysis, site, plan) : refusal_of_branch(analysis, site, plan);
    }
    if (refusal.reason == NULL && !argument) {
        refusal = refusal_of_indents(analysis, plan);
    }
    const char *message = class_ == GM_TEST_TENSOR ? gm_analysis_text(analysis, "branch on the value of a tensor: %s", reason)
                                                   : "branch on what may be the value of a tensor";
    if (refusal.reason == NULL) {
        plan->weight = 1 + gm_weight_of(analysis, &branch->body) + gm_weight_of(analysis, &branch->orelse);
        gm_report_plan(analysis, plan, message, advice, class_ == GM_TEST_TENSOR);
    } else {
        gm_report_refusal(analysis, &gm_rule_branch, site, refusal, message, advice, class_ == GM_TEST_TENSOR);
    }
    return true;
}

const gm_rule gm_rule_branch = {
    .code = "GM101",
    .name = "data-dependent-branch",
    .break_id = "GB0170",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_branch,
};
