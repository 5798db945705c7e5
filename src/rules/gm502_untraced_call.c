/* Calls that Dynamo does not look into; untraced.c finds the places. */
#include "rules/rule.h"

static const char page[] =
    "# GM502 call that is not traced\n\n"
    "## What it finds\n\n"
    "Calls of functions in C and in packages that the compiler does not look into, and of methods of `contextvars.ContextVar`:\n\n"
    "    rows, columns = scipy.optimize.linear_sum_assignment(cost)\n\n"
    "## Why it breaks\n\n"
    "The compiler cannot look into the function (GB0007). The graph ends, tensors become arrays, and another graph is compiled for "
    "what follows.\n\n"
    "## What to write\n\n"
    "Make the call in front of the compiled part or behind it: compile the module that computes the cost, not the loss that matches.\n\n"
    "## When the mend is safe\n\n"
    "There is no mend of the source: what the function gives depends on what the graph has computed. Under `graphmend run`, "
    "`scipy.optimize.linear_sum_assignment` is part of the graph.\n";

static bool find_untraced_call(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_untraced_call = {"GM502", "untraced-call", "", page, find_untraced_call, false};
