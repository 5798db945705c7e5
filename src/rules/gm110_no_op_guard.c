#include <string.h>

#include "analysis/effects.h"
#include "analysis/sides.h"
#include "analysis/test_refusal.h"
#include "rules/rule.h"

static const char page[] =
    "# GM110 test in front of a masked update\n\n"
    "## What it finds\n\n"
    "A test whether a mask is set anywhere, in front of an update by that mask:\n\n"
    "    if (y < 0).any():\n"
    "        y[y < 0] = 0.25\n\n"
    "## Why it breaks\n\n"
    "`any()` is the value of a tensor (GB0170). The test saves nothing: with an empty mask the update changes nothing.\n\n"
    "## What to write\n\n"
    "    y[y < 0] = 0.25\n\n"
    "without the test. The same holds for `masked_fill`. It does not hold for `if torch.isinf(x).any(): x = x.clamp(-c, c)`: "
    "clamping also changes finite values beyond the bounds.\n\n"
    "## When the mend is safe\n\n"
    "The mask of the update reads exactly as the mask of the test, the value is a constant, and the tensor was made in this "
    "function by an operation with a result of its own, so that nobody else sees it being written.\n";

extern const gm_rule gm_rule_no_op_guard;

/* The mask of `M.any()` or `torch.any(M)`, or NULL. */
static const gm_node *mask_of(gm_flow *flow, const gm_node *test) {
    if (test->kind != GM_KIND_Call || gm_as_Call(test)->keywords.count > 0) {
        return NULL;
    }
    const gm_Call *call = gm_as_Call(test);
    if (call->args.count == 1 && gm_flow_names(flow, call->func, "torch.any")) {
        return call->args.items[0];
    }
    bool method = call->args.count == 0 && call->func->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(call->func)->attr, "any");
    return method ? gm_as_Attribute(call->func)->value : NULL;
}

/* `y[M] = constant` as the only statement; returns the subscript. */
static const gm_Subscript *masked_store(const gm_list *body) {
    if (body->count != 1 || body->items[0]->kind != GM_KIND_Assign || gm_as_Assign(body->items[0])->targets.count != 1 ||
        !gm_test_is_number(gm_as_Assign(body->items[0])->value)) {
        return NULL;
    }
    const gm_node *target = gm_as_Assign(body->items[0])->targets.items[0];
    return target->kind == GM_KIND_Subscript && gm_as_Subscript(target)->value->kind == GM_KIND_Name ? gm_as_Subscript(target) : NULL;
}

/* A comparison or a variable of type bool: `y[m]` with another kind of index would not be a mask. */
static bool is_mask(gm_function *function, const gm_node *mask) {
    gm_value value = gm_value_of(function, mask);
    return value.class_ == GM_VALUE_TENSOR && value.dtype == GM_DTYPE_BOOL;
}

static bool find_no_op_guard(gm_analysis *analysis, const gm_site *site) {
    if (site->node->kind != GM_KIND_If || gm_as_If(site->node)->orelse.count > 0) {
        return false;
    }
    const gm_If *branch = gm_as_If(site->node);
    const gm_node *mask = mask_of(analysis->flow, branch->test);
    const gm_Subscript *store = masked_store(&branch->body);
    if (mask == NULL || store == NULL || !gm_analysis_same_text(analysis, mask, store->slice) || !is_mask(site->function, mask)) {
        return false;
    }
    gm_value stored = gm_value_of(site->function, store->value);
    gm_refusal refusal = gm_effects_of_function(analysis, site->function);
    refusal = refusal.reason != NULL ? refusal : gm_test_refusal(analysis, site, branch->test, true);
    if (refusal.reason == NULL && (stored.class_ != GM_VALUE_TENSOR || (stored.traits & GM_VALUE_FRESH) == 0)) {
        refusal = (gm_refusal){"others may see the tensor being written", store->value};
    }
    static const char message[] = "test whether a mask is set, in front of an update by that mask";
    static const char advice[] = "leave the test out: with an empty mask the update changes nothing";
    if (refusal.reason != NULL) {
        gm_report_refusal(analysis, &gm_rule_no_op_guard, site, refusal, message, advice, true);
        return true;
    }
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_no_op_guard, site, GM_PLAN_DROP);
    plan->test = branch->test;
    plan->then = branch->body;
    plan->weight = 1;
    gm_report_plan(analysis, plan, message, advice, true);
    return true;
}

const gm_rule gm_rule_no_op_guard = {
    .code = "GM110",
    .name = "redundant-mask-test",
    .break_id = "GB0170",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_no_op_guard,
};
