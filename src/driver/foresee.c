#include "driver/foresee.h"

#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "mend/fix.h"
#include "rules/decisions.h"
#include "rules/outside_calls.h"
#include "rules/untraced.h"

/* What `run` does where a finding has no plan. */
typedef struct way {
    const gm_rule *rule;
    const char *words;
} way;

static const way ways[] = {
    {&gm_rule_read_value, "it keeps the number in the graph"},
    {&gm_rule_data_size, "it keeps the size in the graph"},
    {&gm_rule_outside_value, "it makes the call in front of the graph"},
    {&gm_rule_gradient_flag, "it sets the flag in front of the graph, where all uses stand on one side"},
    {&gm_rule_recurrent_layer, "it makes the layer one operator, where it is not trained"},
};

static const char *way_of(gm_analysis *analysis, const gm_finding *finding) {
    if (finding->rule == &gm_rule_untraced_context) {
        return gm_untraced_context_way(analysis, finding->function, finding->node);
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].rule == finding->rule) {
            bool object = finding->rule == &gm_rule_outside_value && gm_outside_form_of(finding->function, finding->node) == GM_OUTSIDE_OBJECT;
            return object ? NULL : ways[i].words;
        }
    }
    return NULL;
}

/* Whether a rule is about the truth of data, whose path `run` can follow. */
static bool is_decision(const gm_rule *rule) {
    return rule == &gm_rule_branch || rule == &gm_rule_early_return || rule == &gm_rule_conditional || rule == &gm_rule_path ||
           rule == &gm_rule_guard || rule == &gm_rule_no_op_guard;
}

/* Where the expression is whose truth is asked for. */
static const gm_node *test_of(const gm_node *node) {
    switch (node->kind) {
    case GM_KIND_If: return gm_as_If(node)->test;
    case GM_KIND_While: return gm_as_While(node)->test;
    case GM_KIND_IfExp: return gm_as_IfExp(node)->test;
    case GM_KIND_Assert: return gm_as_Assert(node)->test;
    default: return node;
    }
}

/* Whether `run` follows all decisions of a test; otherwise why not. */
static bool follows(const gm_findings *decisions, const gm_node *test, const char **reason) {
    bool found = false;
    *reason = NULL;
    for (uint32_t i = 0; i < decisions->count; i++) {
        const gm_finding *decision = &decisions->items[i];
        if (decision->node->start >= test->start && decision->node->end <= test->end && decision->rule == &gm_rule_path) {
            found = true;
            *reason = decision->refusal.reason != NULL ? decision->refusal.reason : *reason;
        }
    }
    return found && *reason == NULL;
}

/* What is known of a finding: what `fix` does, or that there is one. */
typedef struct told {
    const gm_finding *finding;
    uint32_t number; /* in the order in which they came */
    uint8_t fix;
    const char *note;
} told;

typedef struct list {
    told *items;
    uint32_t count;
} list;

static void add(list *all, const gm_finding *finding, uint8_t fix, const char *note) {
    all->items[all->count] = (told){finding, all->count, fix, note};
    all->count++;
}

static int compare_places(uint32_t start, const gm_rule *rule, const gm_finding *other) {
    return start != other->node->start ? (start < other->node->start ? -1 : 1) : strcmp(rule->code, other->rule->code);
}

static int compare(const void *left, const void *right) {
    const told *a = left;
    const told *b = right;
    int order = compare_places(a->finding->node->start, a->finding->rule, b->finding);
    return order != 0 ? order : a->number < b->number ? -1 : 1;
}

/* The findings that have a plan, as `fix --unsafe` would leave them. */
static list plans_of(gm_arena *arena, const gm_checked *checked, bool all_code, const char *named) {
    const gm_fix_options options = {.assumed = true, .all = all_code, .named = named};
    gm_fix *fix = gm_fix_run(checked->analysis, &options);
    list all = {GM_NEW_ARRAY(arena, told, fix->sites.count + fix->left.count + 1), 0};
    for (uint32_t i = 0; i < fix->sites.count; i++) {
        const gm_fix_site *site = &fix->sites.items[i];
        add(&all, site->finding, site->assumption == NULL ? GM_FIXES_SAFE : GM_FIXES_ASSUMING, site->assumption);
    }
    for (uint32_t i = 0; i < fix->left.count; i++) {
        add(&all, fix->left.items[i].finding, GM_FIXES_NO, fix->left.items[i].reason);
    }
    if (all.count > 1) {
        qsort(all.items, all.count, sizeof *all.items, compare);
    }
    return all;
}

static const told *find(const list *all, const gm_entry *entry) {
    uint32_t low = 0;
    for (uint32_t high = all->count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_places(entry->site, entry->rule, all->items[middle].finding) > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool same = low < all->count && compare_places(entry->site, entry->rule, all->items[low].finding) == 0;
    return same ? &all->items[low] : NULL;
}

/* What `run` does; the note is there where the reason of the finding does not say it. */
static void foresee_run(gm_analysis *analysis, gm_findings **decisions, gm_entry *entry, const gm_finding *finding) {
    const char *words = way_of(analysis, finding);
    if (is_decision(finding->rule)) {
        *decisions = *decisions != NULL ? *decisions : gm_decisions_of(analysis);
        words = follows(*decisions, test_of(finding->node), &entry->run_note) ? "it follows the path of each call" : NULL;
    }
    entry->run = words != NULL;
    bool known = words == NULL || (entry->reason != NULL && strstr(entry->reason, "`graphmend run`") != NULL);
    entry->run_note = known ? entry->run_note : words;
}

/* `fix` writes nothing without a plan; the reason is that of the finding. */
static void foresee(gm_entry *entry, const told *plan) {
    entry->run = plan != NULL;
    entry->fix = plan != NULL ? plan->fix : GM_FIXES_NO;
    entry->fix_note = plan != NULL ? plan->note : entry->reason;
}

typedef struct foreseeing {
    gm_arena *arena;
    gm_checked *checked;
    bool all;
    const char *named;
} foreseeing;

static bool is_about_code(const gm_entry *entry) {
    return entry->rule != NULL && entry->rule != &gm_rule_unused_suppression;
}

static void foresee_all(void *context) {
    const foreseeing *state = context;
    gm_checked *checked = state->checked;
    list plans = plans_of(state->arena, checked, state->all, state->named);
    gm_findings *decisions = NULL;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        gm_entry *entry = &checked->entries.items[i];
        if (!is_about_code(entry)) {
            continue;
        }
        const told *plan = find(&plans, entry);
        foresee(entry, plan);
        if (plan == NULL && entry->finding != NULL) {
            foresee_run(checked->analysis, &decisions, entry, entry->finding);
        }
    }
}

/* Where `fix` would come to its end without an answer, the finding's own plan is all that is known. */
static void foresee_little(gm_checked *checked) {
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        gm_entry *entry = &checked->entries.items[i];
        if (is_about_code(entry)) {
            entry->run = entry->finding != NULL && entry->finding->plan != NULL;
            entry->run_note = NULL;
            entry->fix = GM_FIXES_NO;
            entry->fix_note = GM_TOO_LARGE_WORDS;
        }
    }
}

void gm_foresee(gm_arena *arena, gm_checked *checked, bool all, const char *named) {
    if (checked->analysis == NULL || checked->entries.count == 0) {
        return;
    }
    foreseeing state = {arena, checked, all, named};
    if (!gm_work_within(arena, gm_work_for(checked->source->length), foresee_all, &state)) {
        foresee_little(checked);
    }
}
