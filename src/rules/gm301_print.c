#include <string.h>

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
    "The call is a statement of its own, or gives None to the expression around it, `print` is the builtin, and the arguments are made of variables, attributes, constants, formatting, "
    "operations that change nothing and calls of the program's own, which are made where the statement stands: behind something that is "
    "formatted or computed they may only compute. `graphmend run` keeps the values and prints them when the compiled call has returned, in the order of "
    "the program; a call that contains a graph break of another kind is left as it is.\n\n"
    "A branch that only prints, and asks for what the function records (`if len(self.losses) % 10 == 0:`), is carried out later as a whole.\n\n"
    "`graphmend fix` knows no plain torch that prints later: it writes the guard above, which drops the output of compiled code, only where this "
    "rule is named, `fix --unsafe --select GM301`.\n";

extern const gm_rule gm_rule_print;

static const char advice[] = "return the value and print it in the caller, or print only if not `torch.compiler.is_compiling()`";

static bool is_standard(const gm_analysis *analysis, const gm_node *node) {
    bool none = node->kind == GM_KIND_Constant && gm_as_Constant(node)->value.literal == GM_LITERAL_None;
    return none || gm_flow_names(analysis->flow, node, "sys.stderr") || gm_flow_names(analysis->flow, node, "sys.stdout");
}

/* A variable of the function, or an attribute. */
static bool is_local(const gm_analysis *analysis, const gm_node *node) {
    if (node->kind == GM_KIND_Attribute) {
        const gm_node *owner = gm_as_Attribute(node)->value;
        return owner->kind == GM_KIND_Name || (owner->kind == GM_KIND_Attribute && is_local(analysis, owner));
    }
    const gm_symbol *symbol = node->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, node) : NULL;
    bool shared = symbol == NULL || (symbol->flags & (GM_SYMBOL_GLOBAL | GM_SYMBOL_NONLOCAL)) != 0;
    return !shared && (symbol->flags & (GM_SYMBOL_PARAMETER | GM_SYMBOL_ASSIGNED)) != 0;
}

/* `stream`, `self.stream or sys.stderr`, `sys.stderr if stream is None else stream`: a standard stream, a file of Python's, or a text
 * that the call makes. Tracing finds out which. */
static bool may_be_standard(const gm_analysis *analysis, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_Name:
    case GM_KIND_Attribute: return is_standard(analysis, node) || is_local(analysis, node);
    case GM_KIND_BoolOp: {
        const gm_list *values = &gm_as_BoolOp(node)->values;
        return values->count == 2 && is_local(analysis, values->items[0]) && is_standard(analysis, values->items[1]);
    }
    case GM_KIND_IfExp: {
        const gm_IfExp *choice = gm_as_IfExp(node);
        return choice->test->kind == GM_KIND_Compare && may_be_standard(analysis, choice->body) &&
               may_be_standard(analysis, choice->orelse);
    }
    default: return is_standard(analysis, node);
    }
}

static void mark_stream(gm_plan *plan, const char *parameter) {
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        plan->captures.items[i].file |= strcmp(plan->captures.items[i].parameter, parameter) == 0;
    }
}

/* What is printed into later has to be a file that the call cannot look at. */
static void mark_streams(const gm_analysis *analysis, const gm_site *site, const gm_node *stream) {
    gm_plan *plan = gm_analysis_plan(analysis, site->node);
    for (uint32_t i = 0; plan != NULL && i < plan->captures.count; i++) {
        const gm_capture *capture = &plan->captures.items[i];
        if (capture->node->start >= stream->start && capture->node->end <= stream->end) {
            mark_stream(plan, capture->parameter);
        }
    }
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

/* `if len(self.losses) % 10 == 0: print(...)`, which would have to be another graph for each length. */
static bool find_recorded_test(gm_analysis *analysis, const gm_site *site) {
    if (!gm_defer_recorded_test(analysis, site)) {
        return false;
    }
    gm_node *test = gm_as_If(site->node)->test;
    gm_list reads = {GM_NEW_ARRAY(analysis->arena, gm_node *, 1), 1};
    reads.items[0] = test;
    return gm_defer_branch(analysis, &gm_rule_print, site, reads, "`print` ends the graph", advice);
}

static bool find_print(gm_analysis *analysis, const gm_site *site) {
    if (find_recorded_test(analysis, site)) {
        return true;
    }
    const gm_Call *call = gm_defer_none_call(site);
    if (call == NULL || !is_printer(analysis->flow, call->func) || (gm_is_expr(site->node) && counts(call->func))) {
        return false;
    }
    const gm_node *stream = gm_call_keyword(call, "file");
    if (stream != NULL && !is_standard(analysis, stream) && gm_rule_record.find(analysis, site)) {
        return true;
    }
    bool own = stream != NULL && !may_be_standard(analysis, stream);
    gm_refusal refusal = own ? (gm_refusal){"it prints into a file of the program's", stream} : gm_defer_context(analysis, site);
    gm_defer_report(analysis, &gm_rule_print, site, GM_STACK_LEVELS_NEVER, refusal, "`print` ends the graph", advice);
    if (stream != NULL) {
        mark_streams(analysis, site, stream);
    }
    return true;
}

const gm_rule gm_rule_print = {
    .code = "GM301",
    .name = "print-in-graph",
    .break_id = "GB0059",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_print,
    .drops_output = true,
};
