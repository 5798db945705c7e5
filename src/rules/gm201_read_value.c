/* Numbers that are read out of tensors. reads.c finds the places; `graphmend run` keeps the numbers in the graph without a mend of the source. */
#include "rules/rule.h"

static const char page[] =
    "# GM201 number read out of a tensor\n\n"
    "## What it finds\n\n"
    "A tensor's value as a Python number: `item()`, `tolist()`, `int(t)`, `float(t)`, a tensor as a size, as a bound of a slice, or in `range`:\n\n"
    "    n = lengths.max().item()\n"
    "    y = torch.arange(n)\n\n"
    "## Why it breaks\n\n"
    "The number is known only when the graph has run (GB0124). Without `torch._dynamo.config.capture_scalar_outputs` the graph ends here, the number "
    "is fetched, which waits for the device, and another graph is compiled for what follows.\n\n"
    "## What to write\n\n"
    "Keep it a tensor: compare and compute with `lengths.max()`, select with `torch.where`, mask `torch.arange(most) < lengths[:, None]`. Or take the "
    "number in front of the compiled part and hand it in.\n\n"
    "## When the mend is safe\n\n"
    "`graphmend run` lets numbers that nothing has to know while tracing stay in the graph, and of those that are asked for it "
    "follows the value of the call. The file is not changed.\n";

static bool find_read_value(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_read_value = {"GM201", "value-read-from-tensor", "GB0124", page, find_read_value, false};
