/* Comments that silence nothing. `graphmend fix` takes them away (driver/unused.h). */
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "rules/comments.h"
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

/* Whether a code or prefix may silence a rule that the options leave in. Codes of no rule at all are judged too. */
static bool is_judged(const char *code, const gm_rule_selection *selection) {
    bool known = false;
    for (size_t i = 0; i < gm_rule_count; i++) {
        bool stands = strncasecmp(gm_rules[i]->code, code, strlen(code)) == 0;
        if (stands && (gm_rules[i] == &gm_rule_unused_suppression || !gm_selection_has(selection, gm_rules[i]))) {
            return false;
        }
        known = known || stands;
    }
    return known || strncasecmp(code, "GM", 2) == 0;
}

static bool is_known(const char *code) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (strncasecmp(gm_rules[i]->code, code, strlen(code)) == 0) {
            return true;
        }
    }
    return false;
}

static bool all_selected(const gm_rule_selection *selection) {
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (!gm_selection_has(selection, gm_rules[i])) {
            return false;
        }
    }
    return true;
}

/* Of another tool's comment only the codes of graphmend are looked at. */
static bool is_ours(const gm_suppression *comment, const char *code) {
    return !comment->noqa || strncasecmp(code, "GM", 2) == 0;
}

/* The codes of a comment that silence nothing; `*known` tells whether all of them stand for rules, `*count` how many codes there are. */
static const char *unused_codes(gm_arena *arena, const gm_suppression *comment, const gm_rule_selection *selection, bool *known,
                                uint32_t *kept) {
    gm_buffer unused;
    gm_buffer_init(&unused, arena);
    const char *at = comment->codes;
    unsigned index = 0;
    *known = true;
    *kept = 0;
    for (const char *code = gm_suppress_next(arena, &at); code != NULL; code = gm_suppress_next(arena, &at), index++) {
        bool used = (comment->used_codes >> (index < 63 ? index : 63) & 1) != 0;
        if (!used && is_ours(comment, code) && is_judged(code, selection)) {
            gm_buffer_add_text(&unused, code);
            gm_buffer_add_char(&unused, ',');
            *known = *known && is_known(code);
        } else {
            ++*kept;
        }
    }
    return unused.length == 0 ? NULL : gm_buffer_text(&unused);
}

/* "`GM101` and `GM103`" of "GM101,GM103,". */
static const char *list_of(gm_arena *arena, const char *codes) {
    gm_buffer text;
    gm_buffer_init(&text, arena);
    for (const char *code = gm_suppress_next(arena, &codes); code != NULL; code = gm_suppress_next(arena, &codes)) {
        const char *between = text.length == 0 ? "" : *codes == '\0' ? " and " : ", ";
        gm_buffer_printf(&text, "%s`%s`", between, code);
    }
    return gm_buffer_text(&text);
}

static bool find_unused_suppression(gm_analysis *analysis, const gm_site *site) {
    const gm_suppression *comment = site->comment;
    const gm_rule_selection *selection = analysis->selection;
    if (comment->codes == NULL) {
        bool told = !comment->used && !comment->noqa && all_selected(selection);
        return told && gm_comments_report(analysis, (gm_unused){.comment = comment, .message = "nothing to silence here"});
    }
    bool known = true;
    uint32_t kept = 0;
    const char *codes = unused_codes(analysis->arena, comment, selection, &known, &kept);
    if (codes == NULL) {
        return false;
    }
    const char *words = known ? "nothing to silence here for" : "nothing to silence here, or no such rule:";
    const char *message = gm_analysis_text(analysis, "%s %s", words, list_of(analysis->arena, codes));
    return gm_comments_report(analysis, (gm_unused){comment, kept == 0 ? NULL : codes, message});
}

const gm_rule gm_rule_unused_suppression = {
    .code = "GM001",
    .name = "unused-suppression",
    .break_id = "",
    .page = page,
    .walk = GM_WALK_COMMENTS,
    .find = find_unused_suppression,
};
