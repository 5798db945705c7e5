/* Recurrent layers, which Dynamo leaves to plain Python unless a setting allows them. */
#include "analysis/makers.h"
#include "rules/reads.h"
#include "rules/rule.h"

static const char page[] =
    "# GM505 recurrent layer\n\n"
    "## What it finds\n\n"
    "A call of an attribute that holds a `torch.nn.LSTM`, `torch.nn.GRU` or `torch.nn.RNN`:\n\n"
    "    output, state = self.lstm(x)\n\n"
    "## Why it breaks\n\n"
    "The compiler takes these layers as one step each for every time step and does not trace them (GB0014), unless "
    "`torch._dynamo.config.allow_rnn` is set.\n\n"
    "## What to write\n\n"
    "Set `allow_rnn`, if sequences have few lengths. Or compile what is in front of the layer and what is behind it. Cells "
    "(`nn.LSTMCell`) are traced.\n\n"
    "## When the mend is safe\n\n"
    "No source is changed: a setting of the compiler decides it. `graphmend run` makes a layer one operator of the graph, which calls "
    "the library as in eager Python, where it is not trained (`eval()`, or no gradients are recorded), outside of autocast, without "
    "dropout, projections and packed sequences. Other layers without projections are part of the graph where the backend returns "
    "the graph itself (`backend=\"eager\"`), and end the graph for compilers.\n";

static const char *const layers[] = {
#define GM_UNTRACED_LAYER(type) type,
#include "rules/untraced.def"
    NULL,
};

static bool find_recurrent_layer(gm_analysis *analysis, const gm_site *site) {
    const gm_node *callee = site->node->kind == GM_KIND_Call ? gm_as_Call(site->node)->func : NULL;
    bool named = false;
    for (size_t i = 0; callee != NULL && callee->kind == GM_KIND_Attribute && layers[i] != NULL; i++) {
        named = named || gm_maker_named(site->function, gm_last_part(layers[i]));
    }
    const gm_name *type = named ? gm_maker_of(site->function, callee) : NULL;
    if (type == NULL || !gm_text_in(type->text, layers)) {
        return false;
    }
    const char *quoted = gm_analysis_quote(analysis, callee, 60, "this");
    return gm_report_read(analysis, &gm_rule_recurrent_layer, site, site->node,
                          gm_analysis_text(analysis, "%s is `torch.nn.%s`: the graph ends", quoted, gm_last_part(type->text)),
                          "allow it with `torch._dynamo.config.allow_rnn = True`, which compiles one graph a length",
                          "a setting of the compiler decides it");
}

const gm_rule gm_rule_recurrent_layer = {
    .code = "GM505",
    .name = "recurrent-layer",
    .break_id = "",
    .page = page,
    .walk = GM_WALK_READS,
    .find = find_recurrent_layer,
};
