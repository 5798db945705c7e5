#include "driver/silenced.h"

#include "rules/suppress.h"

static bool holds(const gm_table *table, const void *key) {
    return gm_table_find(table, gm_table_pointer(key)) != GM_TABLE_NONE;
}

const gm_silenced *gm_silenced_of(gm_analysis *analysis, const gm_check_options *options) {
    gm_arena *arena = analysis->arena;
    gm_silenced *silenced = GM_NEW(arena, gm_silenced);
    gm_suppressions *comments = gm_suppress_read(arena, analysis->tree);
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        const gm_finding *finding = &analysis->findings.items[i];
        if (finding->plan == NULL) {
            continue;
        }
        const gm_node *node = finding->node;
        bool covered = gm_suppress_covers(comments, analysis->tree->source, finding->rule->code, node->start, node->end);
        if (covered) {
            gm_table_put(&silenced->functions, arena, gm_table_pointer(finding->plan->function), 0);
        }
        if (covered || (options != NULL && !gm_selection_has(&options->rules, finding->rule))) {
            gm_table_put(&silenced->plans, arena, gm_table_pointer(finding->plan), 0);
        }
    }
    return silenced;
}

const char *gm_silenced_for_fix(const gm_finding *finding, const void *silenced) {
    const gm_silenced *all = silenced;
    return holds(&all->plans, finding->plan) ? "a comment silences the rule here" : NULL;
}

static bool is_branch(const gm_plan *plan) {
    return plan->kind != GM_PLAN_DEFER && plan->kind != GM_PLAN_RECORD && plan->kind != GM_PLAN_DROP;
}

const char *gm_silenced_for_run(const gm_finding *finding, const void *silenced) {
    const gm_silenced *all = silenced;
    const char *reason = gm_silenced_for_fix(finding, silenced);
    bool beside = reason == NULL && is_branch(finding->plan) && holds(&all->functions, finding->plan->function);
    return beside ? "a comment silences a rule in this function" : reason;
}
