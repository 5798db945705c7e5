#include "rules/comments.h"

#include <string.h>
#include <strings.h>

#include "rules/decisions.h"
#include "rules/rule.h"

/* Whether a list of codes has one of the shape of ours. */
static bool has_own_code(const char *codes) {
    for (const char *at = codes; *at != '\0'; at += strcspn(at, ",") + 1) {
        if (strncasecmp(at, "GM", 2) == 0) {
            return true;
        }
    }
    return false;
}

bool gm_comments_possible(const gm_suppressions *comments) {
    for (uint32_t i = 0; i < comments->lines.count; i++) {
        const gm_suppression *one = &comments->lines.items[i];
        if (!one->noqa || (one->codes != NULL && has_own_code(one->codes))) {
            return true;
        }
    }
    return false;
}

/* `graphmend run` obeys comments at decisions too, under their own code and under those of the rules for the same break. */
static void ask_decisions(gm_analysis *analysis, gm_suppressions *comments) {
    const gm_source *source = analysis->tree->source;
    const gm_findings *found = gm_decisions_of(analysis);
    for (uint32_t i = 0; i < found->count; i++) {
        const gm_finding *decision = &found->items[i];
        for (size_t rule = 0; rule < gm_rule_count; rule++) {
            if (strcmp(gm_rules[rule]->break_id, decision->rule->break_id) == 0) {
                (void)gm_suppress_covers(comments, source, gm_rules[rule]->code, decision->node->start, decision->node->end);
            }
        }
    }
}

static void offer(gm_analysis *analysis, const gm_suppression *comment) {
    const gm_site site = {.comment = comment};
    for (size_t i = 0; i < gm_rule_count; i++) {
        if (gm_rules[i]->walk == GM_WALK_COMMENTS && gm_selection_has(analysis->selection, gm_rules[i]) &&
            gm_rules[i]->find(analysis, &site)) {
            return;
        }
    }
}

bool gm_comments_report(gm_analysis *analysis, gm_unused unused) {
    gm_vec_push(analysis->arena, &analysis->unused->items, unused);
    return true;
}

const gm_unused_list *gm_comments_of(gm_analysis *analysis, gm_suppressions *comments, const gm_rule_selection *selection) {
    analysis->unused = GM_NEW(analysis->arena, gm_unused_list);
    analysis->selection = selection;
    if (!gm_comments_possible(comments) || comments->whole_file || !gm_selection_has(selection, &gm_rule_unused_suppression)) {
        return analysis->unused;
    }
    ask_decisions(analysis, comments);
    for (uint32_t i = 0; i < comments->lines.count; i++) {
        offer(analysis, &comments->lines.items[i]);
    }
    return analysis->unused;
}
