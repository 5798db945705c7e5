#include "analysis/blocks.h"
#include "analysis/effects.h"
#include "analysis/sides.h"
#include "analysis/test_refusal.h"
#include "analysis/weight.h"
#include "rules/rule.h"

static const char page[] =
    "# GM401 guard on data\n\n"
    "## What it finds\n\n"
    "An `if` on the value of a tensor of which one side always raises, and assertions on data:\n\n"
    "    if torch.isnan(x).any():\n"
    "        raise ValueError(\"NaN\")\n\n"
    "## Why it breaks\n\n"
    "Whether the exception is raised is known only when the graph runs (GB0170). A plain `assert tensor, \"constant text\"` does not "
    "break, but becomes a `RuntimeError`; one with `not`, a range, or a tensor in front of `and` or `or` breaks.\n\n"
    "## What to write\n\n"
    "Check the data in front of the compiled part. Inside it, `torch._assert_async(condition, \"text\")` keeps one graph, if the type of the "
    "exception and the moment at which it comes do not matter.\n\n"
    "## When the mend is safe\n\n"
    "The condition may be evaluated twice and has no effect. `graphmend run` computes it inside the graph and looks at it once, at the end; if "
    "the guard fires, everything that the call has changed is restored and the call runs again in plain Python, which raises the "
    "exception as the program says.\n";

extern const gm_rule gm_rule_guard;

static const char advice[] = "check the data before the compiled part";

/* A handler in the function turns the guard into a way of the program that is taken often. */
static gm_refusal refusal_of_context(const gm_site *site) {
    const gm_node *handling = gm_sides_try(site);
    return (gm_refusal){handling != NULL ? "the exception may be handled in the function" : NULL, handling};
}

/* Whether the truth of one tensor is the last thing that a test asks: `not x`, `0 < x < 1` and tensors in front of `and` and `or` are branches. */
static bool ends_with_tensor(gm_function *function, const gm_node *test) {
    const gm_list *parts = test->kind == GM_KIND_BoolOp ? &gm_as_BoolOp(test)->values : NULL;
    for (uint32_t i = 0; parts != NULL && i + 1 < parts->count; i++) {
        const char *reason = NULL;
        if (gm_test_classify(function, parts->items[i], &reason) != GM_TEST_PYTHON) {
            return false;
        }
    }
    if (parts != NULL) {
        return ends_with_tensor(function, parts->items[parts->count - 1]);
    }
    bool negated = test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not;
    bool chain = test->kind == GM_KIND_Compare && gm_as_Compare(test)->ops.count > 1;
    uint8_t class_ = gm_value_of(function, test).class_;
    return !negated && !chain && (class_ == GM_VALUE_TENSOR || class_ == GM_VALUE_MAYBE);
}

/* An `assert` of a tensor with a constant message becomes an assertion of the graph. */
static bool stays_in_graph(const gm_site *site) {
    const gm_Assert *check = site->node->kind == GM_KIND_Assert ? gm_as_Assert(site->node) : NULL;
    return check != NULL && (check->msg == NULL || check->msg->kind == GM_KIND_Constant) && ends_with_tensor(site->function, check->test);
}

static void report(gm_analysis *analysis, const gm_site *site, gm_plan *plan, gm_test_class class_, const char *reason) {
    bool certain = class_ == GM_TEST_TENSOR && !stays_in_graph(site);
    gm_refusal refusal = gm_effects_of_function(analysis, site->function);
    refusal = refusal.reason != NULL ? refusal : refusal_of_context(site);
    refusal = refusal.reason != NULL ? refusal : gm_test_refusal(analysis, site, plan->test, true);
    const char *message = class_ == GM_TEST_TENSOR ? gm_analysis_text(analysis, "exception decided by the value of a tensor: %s", reason)
                                                   : "exception decided by what may be the value of a tensor";
    if (refusal.reason != NULL) {
        gm_report_refusal(analysis, &gm_rule_guard, site, refusal, message, advice, certain);
        return;
    }
    plan->weight = 1 + gm_weight_of(analysis, &plan->then);
    gm_report_plan(analysis, plan, message, advice, certain);
}

static bool find_guard(gm_analysis *analysis, const gm_site *site) {
    const gm_node *test = NULL;
    gm_list rest = {NULL, 0};
    bool negated = true;
    if (site->node->kind == GM_KIND_Assert) {
        test = gm_as_Assert(site->node)->test;
    } else if (site->node->kind == GM_KIND_If) {
        const gm_If *branch = gm_as_If(site->node);
        test = branch->test;
        negated = !gm_blocks_always_raises(&branch->body);
        rest = negated ? branch->body : branch->orelse;
        if (negated && !gm_blocks_always_raises(&branch->orelse)) {
            return false;
        }
    } else {
        return false;
    }
    const char *reason = NULL;
    gm_test_class class_ = gm_test_classify(site->function, test, &reason);
    if (class_ == GM_TEST_PYTHON) {
        return false;
    }
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_guard, site, GM_PLAN_CHECK);
    plan->test = test;
    plan->negated = negated;
    plan->then = rest;
    report(analysis, site, plan, class_, reason);
    return true;
}

const gm_rule gm_rule_guard = {
    .code = "GM401",
    .name = "data-dependent-raise",
    .break_id = "GB0170",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_guard,
};
