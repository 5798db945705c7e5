/* Comments that silence nothing. The comments belong to the layer of the driver, so src/driver/unused.c finds them; the rule has its code, its
 * name and its page here. */
#include "rules/rule.h"

static const char page[] =
    "# GM001 unused suppression\n\n"
    "## What it finds\n\n"
    "A comment that silences a rule on a line where the rule has nothing to say, or a rule that does not exist:\n\n"
    "    y = x + 1  # graphmend: ignore[GM101]\n\n"
    "`# graphmend: ignore` is looked at, with and without codes, and the codes of graphmend's rules in a `# noqa`. A finding that is only shown "
    "with `--all` counts, and so does a place that only `graphmend run` mends. Codes of rules that the options leave out are not judged.\n\n"
    "## Why it breaks\n\n"
    "It breaks nothing today. It hides the next break that somebody writes into that line, and it keeps `graphmend run` from mending it.\n\n"
    "## What to write\n\n"
    "    y = x + 1\n\n"
    "`graphmend fix` takes the comment away, and of a list only the codes that silence nothing.\n\n"
    "## When the mend is safe\n\n"
    "Always: it changes a comment.\n";

static bool find_unused_suppression(gm_analysis *analysis, const gm_site *site) {
    (void)analysis;
    (void)site;
    return false;
}

const gm_rule gm_rule_unused_suppression = {"GM001", "unused-suppression", "", page, find_unused_suppression, false};
