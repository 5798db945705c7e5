/* The flag that makes a tensor a leaf of the gradient; untraced.c finds the places. */
#include "rules/rule.h"

static const char page[] =
    "# GM504 requires_grad set in compiled code\n\n"
    "## What it finds\n\n"
    "An assignment to `requires_grad`, and a tensor that is made with `requires_grad=True`:\n\n"
    "    hidden_states.requires_grad = True\n\n"
    "## Why it breaks\n\n"
    "Which tensors are leaves of the gradient is decided when the graph is made (GB0206, GB0225), and cannot change inside of it.\n\n"
    "## What to write\n\n"
    "Set it on the inputs, in front of the compiled part. Where it only serves gradient checkpointing, use `use_reentrant=False`, which does "
    "not need it.\n\n"
    "## When the mend is safe\n\n"
    "There is no mend of the text: whether a caller looks at the flag or at `grad` cannot be told. `graphmend run` needs none where all that "
    "uses the tensor stands on one side of the change: the tensor is given the flag in front of the graph.\n";

static bool find_gradient_flag(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_gradient_flag = {"GM504", "gradient-flag", "", page, find_gradient_flag, false};
