/* A rule without places of its own: wherever Python asks for the truth of data (decisions.h), `graphmend run` can follow one path. */
#include "rules/rule.h"

static const char page[] =
    "# GM105 decision on data that the graph follows\n\n"
    "## What it finds\n\n"
    "Nothing of its own: `check` reports the branch, loop or guard under the code of its kind. GM105 is what `graphmend run` does where both "
    "sides of a decision cannot stand in one graph: they return different things, write to attributes, draw random numbers, or "
    "repeat a loop until the data say stop.\n\n"
    "    while x.norm() > 1:\n"
    "        x = x * 0.5\n\n"
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

static bool find_nothing(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_path = {"GM105", "followed-path", "GB0170", page, find_nothing};
