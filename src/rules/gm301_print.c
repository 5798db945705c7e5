#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM301 print\n\n"
    "## What it finds\n\n"
    "A call of `print` in code that is compiled, or of a function like it: `pprint.pprint`, `sys.stdout.write` ...\n\n"
    "## Why it breaks\n\n"
    "Printing is no operation on tensors: the compiler ends the graph, prints, and starts another (GB0059).\n\n"
    "## What to write\n\n"
    "Return what you want to see and print it in the caller, or remove the call. To keep it for debugging only, guard it: "
    "`if not torch.compiler.is_compiling(): print(...)`.\n\n"
    "## When the mend is safe\n\n"
    "The call is a statement of its own, or gives None to the expression around it, `print` is the builtin, and the arguments are made of variables, attributes, constants, formatting "
    "and operations that change nothing. `graphmend run` keeps the values and prints them when the compiled call has returned, in the order of "
    "the program; a call that contains a graph break of another kind is left as it is.\n\n"
    "`graphmend fix` knows no plain torch that prints later: it writes the guard above, which drops the output of compiled code, only where this "
    "rule is named, `fix --unsafe --select GM301`.\n";

extern const gm_rule gm_rule_print;

static gm_refusal refusal_of_stream(gm_analysis *analysis, const gm_Call *call) {
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        bool standard = gm_flow_names(analysis->flow, keyword->value, "sys.stderr") ||
                        gm_flow_names(analysis->flow, keyword->value, "sys.stdout");
        if (gm_name_is(keyword->arg, "file") && !standard) {
            return (gm_refusal){"it prints into a file of the program's", keyword->value};
        }
    }
    return (gm_refusal){NULL, NULL};
}

static const char *const printers[] = {"builtins.print",   "click.echo",       "pprint.pp",        "pprint.pprint",    "rich.print",
                                       "sys.stderr.flush", "sys.stderr.write", "sys.stdout.flush", "sys.stdout.write", "tqdm.tqdm.write"};

static bool is_printer(gm_flow *flow, const gm_node *callee) {
    for (size_t i = 0; i < sizeof printers / sizeof printers[0]; i++) {
        if (gm_flow_names(flow, callee, printers[i])) {
            return true;
        }
    }
    return false;
}

/* `write` gives the number of characters: where that is asked for, it is not known later. */
static bool counts(const gm_node *callee) {
    return callee->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(callee)->attr, "write");
}

static bool find(gm_analysis *analysis, const gm_site *site) {
    const gm_Call *call = gm_defer_none_call(site);
    if (call == NULL || !is_printer(analysis->flow, call->func) || (gm_is_expr(site->node) && counts(call->func))) {
        return false;
    }
    gm_refusal refusal = refusal_of_stream(analysis, call);
    if (refusal.reason != NULL && gm_rule_record.find(analysis, site)) {
        return true;
    }
    if (refusal.reason == NULL) {
        refusal = gm_defer_context(analysis, site);
    }
    gm_defer_report(analysis, &gm_rule_print, site, 1, refusal, "`print` ends the graph",
                    "return the value and print it in the caller, or print only if not `torch.compiler.is_compiling()`");
    return true;
}

const gm_rule gm_rule_print = {"GM301", "print-in-graph", "GB0059", page, find, true};
