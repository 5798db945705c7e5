/* Recurrent layers; untraced.c finds the places. */
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
    "dropout, projections and packed sequences.\n";

static bool find_recurrent_layer(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_recurrent_layer = {"GM505", "recurrent-layer", "", page, find_recurrent_layer, false};
