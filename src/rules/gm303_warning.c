#include <string.h>

#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM303 warning\n\n"
    "## What it finds\n\n"
    "A call of `warnings.warn` in code that is compiled.\n\n"
    "## Why it breaks\n\n"
    "A warning depends on filters and on what has been shown before: the compiler ends the graph (GB0007).\n\n"
    "## What to write\n\n"
    "Warn when the object is made, or in the caller.\n\n"
    "## When the mend is safe\n\n"
    "As for GM301, outside of context managers that could catch it. The warning names the line that it would have named, "
    "`stacklevel` included.\n\n"
    "`graphmend fix` drops the warnings of compiled code, with `if not torch.compiler.is_compiling():`, only where this rule is named: "
    "`fix --unsafe --select GM303`.\n";

extern const gm_rule gm_rule_warning;

static gm_refusal refusal_of_keywords(const gm_Call *call) {
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (gm_name_is(keyword->arg, "source") || gm_name_is(keyword->arg, "skip_file_prefixes")) {
            return (gm_refusal){"the place that it names is not known", &keyword->base};
        }
    }
    return (gm_refusal){NULL, NULL};
}

static bool find_warning(gm_analysis *analysis, const gm_site *site) {
    const gm_Call *call = gm_defer_none_call(site);
    if (call == NULL || !gm_flow_names(analysis->flow, call->func, "warnings.warn")) {
        return false;
    }
    gm_refusal refusal = refusal_of_keywords(call);
    if (refusal.reason == NULL) {
        refusal = gm_defer_context(analysis, site);
    }
    gm_defer_report(analysis, &gm_rule_warning, site, 2, refusal, "a warning ends the graph",
                    "warn in the caller, or when the object is made");
    return true;
}

const gm_rule gm_rule_warning = {
    .code = "GM303",
    .name = "warning-in-graph",
    .break_id = "GB0007",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_warning,
    .drops_output = true,
};
