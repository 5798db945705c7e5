#include <string.h>

#include "rules/defer.h"
#include "rules/rule.h"

static const char page[] =
    "# GM305 work outside of the program\n\n"
    "## What it finds\n\n"
    "Statements that give nothing to the computation around them: a file that is written to, a folder that is made, `gc.collect()`, "
    "`time.sleep()`:\n\n"
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
    static const char *const names[] = {"gc.collect", "time.sleep", "os.makedirs", "os.mkdir",        "os.remove",   "os.replace",
                                        "os.rename",  "os.unlink",  "shutil.copy", "shutil.copyfile", "shutil.move", "shutil.rmtree"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (gm_flow_names(flow, callee, names[i])) {
            return true;
        }
    }
    return false;
}

/* `Path(...).write_text(...)` and its like. */
static bool writes_path(gm_flow *flow, const gm_node *callee) {
    static const char *const methods[] = {"write_text", "write_bytes", "mkdir", "touch", "unlink"};
    if (callee->kind != GM_KIND_Attribute || gm_as_Attribute(callee)->value->kind != GM_KIND_Call) {
        return false;
    }
    bool known = false;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        known = known || gm_name_is(gm_as_Attribute(callee)->attr, methods[i]);
    }
    return known && gm_flow_names(flow, gm_as_Call(gm_as_Attribute(callee)->value)->func, "pathlib.Path");
}

/* ---- Files ---- */

typedef struct gm_outside_file {
    const gm_node *variable; /* the Name that `open` is bound to */
    const gm_node *table;    /* the Name that a writer of the csv module is bound to, or NULL */
    gm_list reads;           /* what is kept for later */
} file;

static bool is_name(const gm_node *node, const gm_node *name) {
    return name != NULL && node->kind == GM_KIND_Name && gm_as_Name(node)->id == gm_as_Name(name)->id;
}

static bool is_variable(const file *found, const gm_node *node) {
    return is_name(node, found->variable);
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

static bool is_method(const gm_Call *call, const gm_node *receiver, const char *const names[3]) {
    if (call->func->kind != GM_KIND_Attribute || !is_name(gm_as_Attribute(call->func)->value, receiver)) {
        return false;
    }
    const gm_name *method = gm_as_Attribute(call->func)->attr;
    return gm_name_is(method, names[0]) || gm_name_is(method, names[1]) || gm_name_is(method, names[2]);
}

/* `stream.write(...)`, `print(..., file=stream)`, `json.dump(..., stream)`, `table.writerow(...)`. */
static bool writes(gm_flow *flow, const file *found, const gm_Call *call) {
    static const char *const of_file[3] = {"write", "writelines", "flush"};
    static const char *const of_table[3] = {"writerow", "writerows", "writeheader"};
    return is_method(call, found->variable, of_file) || is_method(call, found->table, of_table) ||
           (gm_flow_names(flow, call->func, "builtins.print") && takes_file(found, call, UINT32_MAX)) ||
           (gm_flow_names(flow, call->func, "json.dump") && takes_file(found, call, 1));
}

/* `table = csv.writer(stream)`: the call; NULL for others. */
static const gm_Call *opens_table(gm_flow *flow, file *found, const gm_node *statement) {
    if (statement->kind != GM_KIND_Assign || gm_as_Assign(statement)->targets.count != 1 ||
        gm_as_Assign(statement)->value->kind != GM_KIND_Call || found->table != NULL) {
        return NULL;
    }
    const gm_node *target = gm_as_Assign(statement)->targets.items[0];
    const gm_Call *call = gm_as_Call(gm_as_Assign(statement)->value);
    bool known = gm_flow_names(flow, call->func, "csv.writer") || gm_flow_names(flow, call->func, "csv.DictWriter");
    bool good = known && target->kind == GM_KIND_Name && !is_variable(found, target) && call->args.count > 0 &&
                is_variable(found, call->args.items[0]);
    found->table = good ? target : NULL;
    return good ? call : NULL;
}

/* The call of a statement that does nothing but write to the file; NULL for others. */
static const gm_Call *writing(gm_flow *flow, file *found, const gm_node *statement) {
    if (statement->kind != GM_KIND_Expr || gm_as_Expr(statement)->value->kind != GM_KIND_Call) {
        return opens_table(flow, found, statement);
    }
    const gm_Call *call = gm_as_Call(gm_as_Expr(statement)->value);
    return writes(flow, found, call) ? call : NULL;
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
    if (!bare || !named || manager->kind != GM_KIND_Call || !gm_flow_names(analysis->flow, gm_as_Call(manager)->func, "builtins.open")) {
        return NULL;
    }
    return gm_as_Call(manager);
}

/* Whether a variable is one of the function that nobody asks for behind the statement. */
static bool ends_here(gm_analysis *analysis, const gm_site *site, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(analysis->flow->scopes, name);
    return symbol != NULL && symbol->binding == GM_BINDING_LOCAL && !gm_is_live_after(site->function, site->node, symbol);
}

static gm_refusal take_body(gm_analysis *analysis, const gm_site *site, file *found) {
    const gm_With *with = gm_as_With(site->node);
    for (uint32_t i = 0; i < with->body.count; i++) {
        const gm_Call *call = writing(analysis->flow, found, with->body.items[i]);
        if (call == NULL) {
            return (gm_refusal){"more is done than writing to the file", with->body.items[i]};
        }
        gm_defer_reads(analysis, &found->reads, call);
    }
    if (!ends_here(analysis, site, found->variable) || (found->table != NULL && !ends_here(analysis, site, found->table))) {
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

static bool find_outside(gm_analysis *analysis, const gm_site *site) {
    if (site->node->kind == GM_KIND_With) {
        return find_file(analysis, site);
    }
    const gm_Call *call = gm_defer_call(site);
    bool path = call != NULL && writes_path(analysis->flow, call->func);
    if (call == NULL || !(path || is_housekeeping(analysis->flow, call->func))) {
        return false;
    }
    if (path) {
        gm_defer_absorb(analysis, site->node);
    }
    gm_defer_report(analysis, &gm_rule_outside, site, GM_STACK_LEVELS_NEVER, gm_defer_context(analysis, site), message, advice);
    return true;
}

const gm_rule gm_rule_outside = {
    .code = "GM305",
    .name = "side-effect-in-graph",
    .break_id = "GB0007",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_outside,
};
