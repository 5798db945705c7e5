/* Contexts that Dynamo does not enter. */
#include "analysis/makers.h"
#include "rules/contexts.h"
#include "rules/reads.h"
#include "rules/rule.h"

static const char page[] =
    "# GM503 context that is not traced\n\n"
    "## What it finds\n\n"
    "A `with` over a lock, over `torch.backends.cudnn.flags`, `torch.random.fork_rng` or `torch.autograd.detect_anomaly`:\n\n"
    "    with self.lock:\n"
    "        y = self.table(x)\n\n"
    "## Why it breaks\n\n"
    "The compiler cannot enter the object (GB0142), and in a `with` it cannot end a graph and go on: the whole function falls back to "
    "the interpreter, only what it calls is compiled.\n\n"
    "## What to write\n\n"
    "Enter it around the compiled part, or keep it for eager runs: `if not torch.compiler.is_compiling(): ...`.\n\n"
    "## When the mend is safe\n\n"
    "No source is changed: the context may have to be in force while the graph runs. `graphmend run` holds a lock from in front of the call "
    "until its prints and records are done; where another thread has it, the call runs in eager Python. What is drawn in "
    "`torch.random.fork_rng` on the CPU it draws in front of the graph. Of the others it mends `torch.backends.cudnn.flags` on a CPU.\n";

static bool find_untraced_context(gm_analysis *analysis, const gm_site *site) {
    const gm_node *manager = site->node->kind == GM_KIND_withitem ? gm_as_withitem(site->node)->context_expr : NULL;
    const gm_untraced_context *context = manager == NULL ? NULL : gm_untraced_context_of(site->function, manager);
    return context != NULL && gm_report_read(analysis, &gm_rule_untraced_context, site, manager,
                                             gm_analysis_text(analysis, "`with` enters a `%s`", gm_last_part(context->type)),
                                             "enter it around the compiled part", "no code in a graph can enter it");
}

const gm_rule gm_rule_untraced_context = {
    .code = "GM503",
    .name = "untraced-context",
    .break_id = "",
    .page = page,
    .walk = GM_WALK_READS,
    .find = find_untraced_context,
};
