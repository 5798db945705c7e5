#include <string.h>

#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM302 logging\n\n"
    "## What it finds\n\n"
    "A call of a logger's method, or of the `logging` module, in code that is compiled.\n\n"
    "## Why it breaks\n\n"
    "A log record is made from Python objects, the clock and the stack: the compiler ends the graph (GB0291).\n\n"
    "## What to write\n\n"
    "Log in the caller, or once when the module is made. Messages about arguments (`use_cache=True is incompatible ...`) belong "
    "in front of the compiled part.\n\n"
    "## When the mend is safe\n\n"
    "As for GM301. Records name the function and line of the original call; their time is that of the end of the compiled call. "
    "`exc_info` and `stack_info` show the stack and are left alone.\n\n"
    "`graphmend fix` drops the records of compiled code, with `if not torch.compiler.is_compiling():`, only where this rule is named: "
    "`fix --unsafe --select GM302`.\n";

extern const gm_rule gm_rule_logging;

static const char *const methods[] = {"debug", "info",         "warning",   "warn",           "error",      "critical", "fatal",
                                      "log",   "warning_once", "info_once", "warning_advice", "debug_once", NULL};

static bool is_log_call(gm_analysis *analysis, const gm_site *site, const gm_Call *call) {
    if (call->func->kind != GM_KIND_Attribute || !gm_text_in(gm_as_Attribute(call->func)->attr->text, methods)) {
        return false;
    }
    const gm_node *logger = gm_as_Attribute(call->func)->value;
    return gm_is_logger(site->function, logger) || gm_flow_names(analysis->flow, logger, "logging");
}

static gm_refusal refusal_of_keywords(const gm_Call *call) {
    static const char *const refused[] = {"exc_info", "stack_info"};
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
            if (gm_name_is(keyword->arg, refused[k])) {
                return (gm_refusal){"the record looks at the stack", &keyword->base};
            }
        }
    }
    return (gm_refusal){NULL, NULL};
}

/* ---- `if logger.isEnabledFor(logging.DEBUG):` ---- */

static const gm_Call *level_test(const gm_site *site) {
    if (site->node->kind != GM_KIND_If || gm_as_If(site->node)->test->kind != GM_KIND_Call) {
        return NULL;
    }
    const gm_Call *call = gm_as_Call(gm_as_If(site->node)->test);
    bool level = call->func->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(call->func)->attr, "isEnabledFor");
    return level && gm_is_logger(site->function, gm_as_Attribute(call->func)->value) ? call : NULL;
}

static bool find_level_test(gm_analysis *analysis, const gm_site *site) {
    const gm_Call *call = level_test(site);
    gm_list reads = {NULL, 0};
    if (call == NULL) {
        return false;
    }
    gm_defer_reads(analysis, &reads, call);
    return gm_defer_branch(analysis, &gm_rule_logging, site, reads, "asking for the level of a logger ends the graph",
                           "log in the caller, or in front of the compiled part");
}

static bool find_logging(gm_analysis *analysis, const gm_site *site) {
    if (find_level_test(analysis, site)) {
        return true;
    }
    const gm_Call *call = gm_defer_none_call(site);
    /* As part of an expression it becomes a lambda, and a record names the function that made it. */
    bool named = !gm_is_expr(site->node) || site->function->node->kind == GM_KIND_Lambda;
    if (call == NULL || !named || !is_log_call(analysis, site, call)) {
        return false;
    }
    gm_refusal refusal = refusal_of_keywords(call);
    if (refusal.reason == NULL) {
        refusal = gm_defer_context(analysis, site);
    }
    gm_defer_report(analysis, &gm_rule_logging, site, GM_STACK_LEVELS_BY_KEYWORD, refusal, "a log record ends the graph",
                    "log in the caller, or in front of the compiled part");
    return true;
}

const gm_rule gm_rule_logging = {
    .code = "GM302",
    .name = "logging-in-graph",
    .break_id = "GB0291",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_logging,
    .drops_output = true,
};
