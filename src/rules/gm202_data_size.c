/* Sizes that depend on data. reads.c finds the places; `graphmend run` keeps the sizes in the graph without a mend of the source. */
#include "rules/rule.h"

static const char page[] =
    "# GM202 size that depends on data\n\n"
    "## What it finds\n\n"
    "Operations whose result has as many items as the data say: a mask as an index, `nonzero`, `masked_select`, `unique`, `bincount`, "
    "`torch.where(condition)`, `repeat_interleave` with a tensor of counts:\n\n"
    "    chosen = x[mask]\n\n"
    "## Why it breaks\n\n"
    "The size is known only when the graph has run (GB0036). Without `torch._dynamo.config.capture_dynamic_output_shape_ops` the graph ends here.\n\n"
    "## What to write\n\n"
    "Keep the size and say what does not count: `torch.where(mask, x, 0)` in front of a sum, `masked_fill`, a mean as the sum over the mask "
    "divided by `mask.sum()`. `repeat_interleave` takes `output_size=`. `x[mask] = value` with one value is no such place.\n\n"
    "## When the mend is safe\n\n"
    "`graphmend run` lets such sizes stay in the graph while it traces. The file is not changed.\n";

static bool find_data_size(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_data_size = {"GM202", "data-dependent-size", "GB0036", page, find_data_size, false};
