#include "analysis/outside_calls.h"
#include "rules/rule.h"
#include "rules/versions.h"

static const char page[] =
    "# GM501 value from outside of the program\n\n"
    "## What it finds\n\n"
    "Calls that give what no tensor decides: draws of `random` and `numpy.random`, seeds, the clock, what is in the file system, and text "
    "that is parsed or digested:\n\n"
    "    weight = np.random.beta(0.4, 0.4)\n"
    "    layer = random.choice(self.layers)\n"
    "    options = json.loads(TEXT)\n\n"
    "## Why it breaks\n\n"
    "The compiler cannot look into such a function (GB0007), and what it gives may be another value at the next call.\n\n"
    "## What to write\n\n"
    "Take the value in the caller and hand it in as an argument.\n\n"
    "## When the mend is safe\n\n"
    "The arguments are numbers and texts, or places of a list are drawn. `graphmend run` makes the call in front of the graph, in the order of "
    "the program. Nothing that the graph computes draws from these generators or changes what is asked for; a call that comes behind "
    "deferred work stays as it is. Numbers and arrays are inputs of the graph. Where a number decides, or a value is none that a graph can "
    "hold, the graph follows the path of that value (GM105), and a call that gets another value runs the graph of its own path. If "
    "anything fails, generators are put back and the call runs in plain Python. A clock can be read once, in front of everything "
    "that is computed, and again in what is printed or logged behind it: the time in between is then that of the whole call. A call whose "
    "result depends on its arguments alone, such as `json.loads`, becomes a constant of the graph; one that pairs the rows of a matrix "
    "with its columns, `scipy.optimize.linear_sum_assignment`, an operator.\n";

extern const gm_rule gm_rule_outside_value;

static const char advice[] = "take the value in the caller and hand it in";

typedef struct gm_outside_search {
    gm_analysis *analysis;
    gm_function *function;
    const gm_node *found;
} search;

static bool is_traced(const search *searching, const gm_node *callee) {
    const gm_name *name = gm_flow_qualified(searching->analysis->flow, callee);
    return name != NULL && gm_release_traces((gm_release)searching->analysis->release, name->text);
}

static bool visit_part(const gm_node *node, void *context) {
    search *searching = context;
    if (searching->found != NULL || gm_is_stmt(node) || node->kind == GM_KIND_Lambda) {
        return true;
    }
    if (node->kind == GM_KIND_Call) {
        gm_outside_form form = gm_outside_form_of(searching->function, node);
        bool breaks = form != GM_OUTSIDE_NONE && form != GM_OUTSIDE_METHOD && !is_traced(searching, gm_as_Call(node)->func);
        searching->found = breaks ? node : NULL;
    }
    return searching->found != NULL || gm_node_children(node, visit_part, context);
}

static bool find_outside_value(gm_analysis *analysis, const gm_site *site) {
    search searching = {analysis, site->function, NULL};
    if (!gm_is_stmt(site->node) || gm_is_def(site->node) || site->node->kind == GM_KIND_ClassDef) {
        return false;
    }
    gm_work_below(analysis->arena, site->node);
    gm_node_children((gm_node *)site->node, visit_part, &searching);
    if (searching.found == NULL) {
        return false;
    }
    gm_site place = *site;
    place.node = searching.found;
    bool object = gm_outside_form_of(site->function, searching.found) == GM_OUTSIDE_OBJECT;
    const char *reason = object ? "it gives an object that no graph can hold" : "`graphmend run` makes the call in front of the graph";
    gm_refusal refusal = {reason, searching.found};
    gm_report_refusal(analysis, &gm_rule_outside_value, &place, refusal, "a value from outside of the program ends the graph", advice,
                      true);
    return true;
}

const gm_rule gm_rule_outside_value = {
    .code = "GM501",
    .name = "external-call",
    .break_id = "GB0007",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_outside_value,
};
