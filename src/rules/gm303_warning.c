#include <string.h>

#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM303 warning\n\n"
    "## What it finds\n\n"
    "A call of `warnings.warn` in code that is compiled.\n\n"
    "## Why it breaks\n\n"
    "A warning depends on filters and on what has been shown before: the compiler ends the graph (GB0059).\n\n"
    "## What to write\n\n"
    "Warn when the object is made, or in the caller.\n\n"
    "## When the mend is safe\n\n"
    "As for GM301, outside `try` and of context managers that could catch it, and without a `stacklevel` beyond 1, which names a "
    "caller that is not there any more when the warning is issued.\n";

extern const gm_rule gm_rule_warning;

static bool is_one(const gm_analysis *analysis, const gm_node *node) {
    const char *text = analysis->tree->source->text;
    return node->kind == GM_KIND_Constant && node->end - node->start == 1 && text[node->start] == '1';
}

static gm_refusal refusal_of_stacklevel(const gm_analysis *analysis, const gm_Call *call) {
    static const char reason[] = "`stacklevel` names a caller";
    if (call->args.count > 2 && !is_one(analysis, call->args.items[2])) {
        return (gm_refusal){reason, call->args.items[2]};
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        bool level = gm_name_is(keyword->arg, "stacklevel") && !is_one(analysis, keyword->value);
        if (level || keyword->arg == NULL || gm_name_is(keyword->arg, "source") || gm_name_is(keyword->arg, "skip_file_prefixes")) {
            return (gm_refusal){reason, &keyword->base};
        }
    }
    return (gm_refusal){NULL, NULL};
}

static bool find(gm_analysis *analysis, const gm_site *site) {
    const gm_Call *call = gm_defer_call(site);
    if (call == NULL || !gm_flow_names(analysis->flow, call->func, "warnings.warn")) {
        return false;
    }
    gm_refusal refusal = refusal_of_stacklevel(analysis, call);
    if (refusal.reason == NULL) {
        refusal = gm_defer_context(analysis, site, true);
    }
    gm_defer_report(analysis, &gm_rule_warning, site, refusal, "a warning ends the graph", "warn in the caller, or when the object is made");
    return true;
}

const gm_rule gm_rule_warning = {"GM303", "warning-in-graph", "GB0059", page, find};
