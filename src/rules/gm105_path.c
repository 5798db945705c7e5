/* Loops that data end. The rule stands for more: wherever Python asks for the truth of data (decisions.h), `graphmend run` can follow one
 * path. */
#include "analysis/tests.h"
#include "rules/rule.h"

static const char page[] =
    "# GM105 decision on data that the graph follows\n\n"
    "## What it finds\n\n"
    "A loop that goes on until the data say stop:\n\n"
    "    while x.norm() > 1:\n"
    "        x = x * 0.5\n\n"
    "Branches, conditional expressions and guards are reported under the codes of their kinds. Where their sides cannot stand in one graph, "
    "because they return different things, write to attributes or draw random numbers, `graphmend run` treats them as GM105 as well.\n\n"
    "## Why it breaks\n\n"
    "The condition is the value of a tensor, known only when the graph runs (GB0170). In a loop or a `with`, the whole function falls "
    "back to the interpreter.\n\n"
    "## What to write\n\n"
    "If both sides are cheap, compute both and select with `torch.where`. If one side is the rule and the other the exception, nothing: "
    "the graph of the usual path runs at full speed.\n\n"
    "## When the mend is safe\n\n"
    "Always, as far as results go. The graph holds the path that the call took when it was traced, and gives the value of every "
    "decision as one more output. A call that decides otherwise is undone (no Python effect has happened yet; random generators and "
    "tensors that the graph wrote to are put back) and run by a graph for its own path. Where calls leave their path too often, or there "
    "are more than a few paths, the function is compiled in parts as if it had not been mended. On devices other than the CPU an "
    "operator that could fail on the data of another path keeps the decision as it is.\n";

static const char advice[] = "repeat a fixed number of times, and select what to keep: `x = torch.where(x.norm() > 1, x * 0.5, x)`";

static bool find_path(gm_analysis *analysis, const gm_site *site) {
    const char *reason = NULL;
    if (site->node->kind != GM_KIND_While) {
        return false;
    }
    const gm_node *test = gm_as_While(site->node)->test;
    if (gm_test_classify(site->function, test, &reason) == GM_TEST_TENSOR) {
        gm_site place = *site;
        place.node = test;
        gm_refusal refusal = {"how often it runs depends on data; `graphmend run` follows the path of each call", test};
        const char *message = gm_analysis_text(analysis, "loop decided by the value of a tensor: %s", reason);
        gm_report_refusal(analysis, &gm_rule_path, &place, refusal, message, advice, true);
    }
    return true;
}

const gm_rule gm_rule_path = {
    .code = "GM105",
    .name = "data-dependent-loop",
    .break_id = "GB0170",
    .page = page,
    .walk = GM_WALK_MENDS,
    .find = find_path,
};
