#include <string.h>

#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM305 work outside of the program\n\n"
    "## What it finds\n\n"
    "Statements that give nothing to the computation around them: a file that is written to, `gc.collect()`, `time.sleep()`:\n\n"
    "    with open(\"trace.txt\", \"a\") as stream:\n"
    "        stream.write(f\"{tuple(y.shape)}\\n\")\n\n"
    "## Why it breaks\n\n"
    "Files, memory and clock are no tensors: the compiler ends the graph (GB0007).\n\n"
    "## What to write\n\n"
    "Do it in the caller, in front of the compiled part or behind it.\n\n"
    "## When the mend is safe\n\n"
    "The file is opened, written to and closed in one statement, and nothing else is done in it. `graphmend run` carries the "
    "statement out when the compiled call has returned, in the order of the program with everything printed or logged.\n";

extern const gm_rule gm_rule_outside;

static const char message[] = "work outside of the program ends the graph";
static const char advice[] = "do it in the caller";

static bool is_housekeeping(gm_flow *flow, const gm_node *callee) {
    static const char *const names[] = {"gc.collect", "time.sleep", "torch.cuda.empty_cache"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (gm_flow_names(flow, callee, names[i])) {
            return true;
        }
    }
    return false;
}

/* ---- Files ---- */

typedef struct gm_file {
    const gm_node *variable; /* the Name that `open` is bound to */
    gm_list reads;           /* what is kept for later */
} file;

static bool is_variable(const file *found, const gm_node *node) {
    return node->kind == GM_KIND_Name && gm_as_Name(node)->id == gm_as_Name(found->variable)->id;
}

static bool takes_file(const file *found, const gm_Call *call, uint32_t position) {
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (gm_name_is(keyword->arg, "file") && is_variable(found, keyword->value)) {
            return true;
        }
    }
    return call->args.count > position && is_variable(found, call->args.items[position]);
}

/* `stream.write(...)`, `print(..., file=stream)`, `json.dump(..., stream)`. */
static bool writes(gm_flow *flow, const file *found, const gm_node *statement) {
    if (statement->kind != GM_KIND_Expr || gm_as_Expr(statement)->value->kind != GM_KIND_Call) {
        return false;
    }
    const gm_Call *call = gm_as_Call(gm_as_Expr(statement)->value);
    if (call->func->kind == GM_KIND_Attribute && is_variable(found, gm_as_Attribute(call->func)->value)) {
        const gm_name *method = gm_as_Attribute(call->func)->attr;
        return gm_name_is(method, "write") || gm_name_is(method, "writelines") || gm_name_is(method, "flush");
    }
    return (gm_flow_names(flow, call->func, "builtins.print") && takes_file(found, call, UINT32_MAX)) ||
           (gm_flow_names(flow, call->func, "json.dump") && takes_file(found, call, 1));
}

/* The call of `open` in `with open(...) as NAME:`, without brackets around it; NULL for others. */
static const gm_Call *opened(gm_analysis *analysis, const gm_With *with) {
    if (with->items.count != 1) {
        return NULL;
    }
    const gm_withitem *item = gm_as_withitem(with->items.items[0]);
    const gm_node *manager = item->context_expr;
    bool bare = memcmp(analysis->tree->source->text + with->base.start, "with ", 5) == 0 && manager->start == with->base.start + 5;
    bool named = item->optional_vars != NULL && item->optional_vars->kind == GM_KIND_Name;
    if (!bare || !named || manager->kind != GM_KIND_Call ||
        !gm_flow_names(analysis->flow, gm_as_Call(manager)->func, "builtins.open")) {
        return NULL;
    }
    return gm_as_Call(manager);
}

static gm_refusal take_body(gm_analysis *analysis, const gm_site *site, file *found) {
    const gm_With *with = gm_as_With(site->node);
    for (uint32_t i = 0; i < with->body.count; i++) {
        if (!writes(analysis->flow, found, with->body.items[i])) {
            return (gm_refusal){"more is done than writing to the file", with->body.items[i]};
        }
        gm_defer_reads(analysis, &found->reads, gm_as_Call(gm_as_Expr(with->body.items[i])->value));
    }
    const gm_symbol *symbol = gm_scopes_symbol(analysis->flow->scopes, found->variable);
    bool local = symbol != NULL && symbol->binding == GM_BINDING_LOCAL;
    if (!local || gm_is_live_after(site->function, site->node, symbol)) {
        return (gm_refusal){"the file is used behind the statement", found->variable};
    }
    return (gm_refusal){NULL, NULL};
}

static bool find_file(gm_analysis *analysis, const gm_site *site) {
    const gm_With *with = gm_as_With(site->node);
    const gm_Call *call = opened(analysis, with);
    if (call == NULL) {
        return false;
    }
    file found = {.variable = gm_as_withitem(with->items.items[0])->optional_vars};
    gm_defer_reads(analysis, &found.reads, call);
    gm_refusal refusal = take_body(analysis, site, &found);
    if (refusal.reason != NULL) {
        gm_report_refusal(analysis, &gm_rule_outside, site, refusal, message, advice, true);
        return true;
    }
    gm_defer_absorb(analysis, site->node);
    gm_plan *plan = gm_plan_new(analysis, &gm_rule_outside, site, GM_PLAN_DEFER);
    gm_defer_record(analysis, site, plan, &found.reads, found.variable, message, advice, true);
    return true;
}

static bool find(gm_analysis *analysis, const gm_site *site) {
    if (site->node->kind == GM_KIND_With) {
        return find_file(analysis, site);
    }
    const gm_Call *call = gm_defer_call(site);
    if (call == NULL || !is_housekeeping(analysis->flow, call->func)) {
        return false;
    }
    gm_defer_report(analysis, &gm_rule_outside, site, 1, gm_defer_context(analysis, site), message, advice);
    return true;
}

const gm_rule gm_rule_outside = {"GM305", "outside-in-graph", "GB0007", page, find, false};
