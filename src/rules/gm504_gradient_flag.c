/* The flag that makes a tensor a leaf of the gradient. */
#include "analysis/makers.h"
#include "rules/reads.h"
#include "rules/rule.h"

static const char page[] =
    "# GM504 requires_grad set in compiled code\n\n"
    "## What it finds\n\n"
    "An assignment to `requires_grad`, and a tensor that is made with `requires_grad=True`:\n\n"
    "    hidden_states.requires_grad = True\n\n"
    "## Why it breaks\n\n"
    "Which tensors are leaves of the gradient is decided when the graph is made (GB0206, GB0225), and cannot change inside of it.\n\n"
    "## What to write\n\n"
    "Set it on the inputs, in front of the compiled part. Where it only serves gradient checkpointing, use `use_reentrant=False`, which does "
    "not need it.\n\n"
    "## When the mend is safe\n\n"
    "There is no mend of the text: whether a caller looks at the flag or at `grad` cannot be told. `graphmend run` needs none where all that "
    "uses the tensor stands on one side of the change: the tensor is given the flag in front of the graph.\n";

static const char *const factories[] = {
#define GM_UNTRACED_FACTORY(name) name,
#include "rules/untraced.def"
    NULL,
};

static bool report(gm_analysis *analysis, const gm_site *site, const gm_node *node, const char *message) {
    return gm_report_read(analysis, &gm_rule_gradient_flag, site, node, message, "set `requires_grad` in front of the compiled part",
                          "which tensors are leaves is decided when the graph is made");
}

static bool is_off(const gm_node *value) {
    return value->kind == GM_KIND_Constant && gm_as_Constant(value)->value.literal == GM_LITERAL_False;
}

static bool find_factory(gm_analysis *analysis, const gm_site *site) {
    const gm_Call *call = gm_as_Call(site->node);
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (!gm_name_is(keyword->arg, "requires_grad") || is_off(keyword->value)) {
            continue;
        }
        const gm_name *name = gm_flow_qualified(analysis->flow, call->func);
        if (name != NULL && gm_text_in(name->text, factories)) {
            return report(analysis, site, site->node,
                          gm_analysis_text(analysis, "`%s` makes a leaf with `requires_grad`", gm_last_part(name->text)));
        }
    }
    return false;
}

/* `x.requires_grad = ...`: nothing but tensors has such an attribute that Dynamo would trace. */
static bool find_assignment(gm_analysis *analysis, const gm_site *site) {
    const gm_Assign *assign = gm_as_Assign(site->node);
    for (uint32_t i = 0; i < assign->targets.count; i++) {
        const gm_node *target = assign->targets.items[i];
        if (target->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(target)->attr, "requires_grad")) {
            return report(analysis, site, target,
                          gm_analysis_text(analysis, "%s is assigned", gm_analysis_quote(analysis, target, 60, "this")));
        }
    }
    return false;
}

static bool find_gradient_flag(gm_analysis *analysis, const gm_site *site) {
    switch ((gm_kind)site->node->kind) {
    case GM_KIND_Call: return find_factory(analysis, site);
    case GM_KIND_Assign: return find_assignment(analysis, site);
    default: return false;
    }
}

const gm_rule gm_rule_gradient_flag = {
    .code = "GM504",
    .name = "gradient-flag",
    .break_id = "",
    .page = page,
    .walk = GM_WALK_READS,
    .find = find_gradient_flag,
};
