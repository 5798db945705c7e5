#include "driver/foresee.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/outside_calls.h"
#include "base/search.h"
#include "base/work.h"
#include "driver/silenced.h"
#include "driver/unused.h"
#include "mend/fix.h"
#include "rules/contexts.h"
#include "rules/decisions.h"

/* What `run` does where a finding has no plan. */
typedef struct way {
    const gm_rule *rule;
    const char *words;
} way;

static const way ways[] = {
    {&gm_rule_read_value, "it keeps the number in the graph"},
    {&gm_rule_record, "it keeps the number open in the graph"},
    {&gm_rule_data_size, "it keeps the size in the graph"},
    {&gm_rule_outside_value, "it makes the call in front of the graph"},
    {&gm_rule_gradient_flag, "it sets the flag in front of the graph, where all uses stand on one side"},
    {&gm_rule_recurrent_layer, "it makes the layer one operator, where it is not trained"},
};

static const char *way_of(const gm_finding *finding) {
    if (finding->rule == &gm_rule_untraced_context) {
        const gm_untraced_context *context = gm_untraced_context_of(finding->function, finding->node);
        return context == NULL ? NULL : context->way;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].rule == finding->rule) {
            bool object = finding->rule == &gm_rule_outside_value &&
                          gm_outside_form_of(finding->function, finding->node) == GM_OUTSIDE_OBJECT;
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

/* The decisions of a file whose path `run` may follow, in order of position. */
typedef struct decisions {
    const gm_finding **items;
    uint32_t count;
    bool known;
} decisions;

/* Of two at one place, the first in the list comes first: they are parts of one array. */
static int compare_decisions(const void *left, const void *right) {
    const gm_finding *a = *(const gm_finding *const *)left;
    const gm_finding *b = *(const gm_finding *const *)right;
    return a->node->start != b->node->start ? (a->node->start < b->node->start ? -1 : 1) : (a > b) - (a < b);
}

static void find_decisions(gm_analysis *analysis, decisions *all) {
    const gm_findings *found = gm_decisions_of(analysis);
    all->items = GM_NEW_ARRAY(analysis->arena, const gm_finding *, found->count);
    for (uint32_t i = 0; i < found->count; i++) {
        if (found->items[i].rule == &gm_rule_path) {
            all->items[all->count++] = &found->items[i];
        }
    }
    if (all->count > 1) {
        qsort(all->items, all->count, sizeof *all->items, compare_decisions);
    }
    all->known = true;
}

static uint32_t first_from(const decisions *all, uint32_t start) {
    uint32_t low = 0;
    for (uint32_t high = all->count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (all->items[middle]->node->start < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether `run` follows all decisions of a test; otherwise why not: what is said of the last one in the order of the list. */
static bool follows(gm_arena *arena, const decisions *all, const gm_node *test, const char **reason) {
    const gm_finding *last = NULL;
    uint32_t first = first_from(all, test->start);
    uint32_t i = first;
    bool found = false;
    for (; i < all->count && all->items[i]->node->start <= test->end; i++) {
        const gm_finding *decision = all->items[i];
        bool inside = decision->node->end <= test->end;
        found |= inside;
        last = inside && decision->refusal.reason != NULL && (last == NULL || decision > last) ? decision : last;
    }
    gm_work(arena, i - first);
    *reason = last != NULL ? last->refusal.reason : NULL;
    return found && last == NULL;
}

/* What is known of a finding: what `fix` does, or that there is one. */
typedef struct told {
    const gm_finding *finding;
    uint32_t number; /* in the order in which they came */
    uint8_t fix;
    const char *note;
    const gm_edits *edits; /* what it writes; NULL for GM_FIXES_NO */
} told;

typedef struct list {
    told *items;
    uint32_t count;
} list;

static void add(list *all, told one) {
    one.number = all->count;
    all->items[all->count] = one;
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
static list plans_of(gm_arena *arena, const gm_checked *checked, const gm_check_options *check, bool all_code) {
    const gm_fix_options options = {.assumed = true, .all = all_code, .named = gm_selection_named(arena, &check->rules)};
    gm_fix *fix = gm_fix_run(checked->analysis, &options);
    list all = {GM_NEW_ARRAY(arena, told, fix->sites.count + fix->left.count + 1), 0};
    for (uint32_t i = 0; i < fix->sites.count; i++) {
        const gm_fix_site *site = &fix->sites.items[i];
        bool safe = site->assumption == NULL;
        add(&all, (told){.finding = site->finding,
                         .fix = safe ? GM_FIXES_SAFE : GM_FIXES_ASSUMING,
                         .note = site->assumption,
                         .edits = &site->edits});
    }
    for (uint32_t i = 0; i < fix->left.count; i++) {
        add(&all, (told){.finding = fix->left.items[i].finding, .fix = GM_FIXES_NO, .note = fix->left.items[i].reason});
    }
    if (all.count > 1) {
        qsort(all.items, all.count, sizeof *all.items, compare);
    }
    return all;
}

static const told *find_told(const list *all, const gm_entry *entry) {
    uint32_t low = 0;
    for (uint32_t high = all->count; low < high;) {
        uint32_t middle = gm_middle(low, high);
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
static void foresee_run(gm_analysis *analysis, decisions *all, gm_entry *entry, const gm_finding *finding) {
    const char *words = way_of(finding);
    if (is_decision(finding->rule)) {
        const char *reason = NULL;
        if (!all->known) {
            find_decisions(analysis, all);
        }
        words = follows(analysis->arena, all, test_of(finding->node), &reason) ? "it follows the path of each call" : NULL;
        entry->run_note = reason != NULL ? reason : entry->run_note;
    }
    entry->run = words != NULL;
    bool known = words == NULL || (entry->reason != NULL && strstr(entry->reason, "`graphmend run`") != NULL);
    entry->run_note = !known ? words : entry->run ? NULL : entry->run_note;
}

static const gm_replacements *replacements_of(gm_arena *arena, const gm_source *source, const gm_edits *edits) {
    gm_replacements *all = GM_NEW(arena, gm_replacements);
    for (uint32_t i = 0; i < edits->items.count; i++) {
        const gm_edit *edit = &edits->items.items[i];
        gm_buffer text;
        gm_buffer_init(&text, arena);
        gm_edit_write(&edit->text, source, &text);
        gm_replacement one = {edit->start, edit->end, gm_buffer_text(&text)};
        gm_vec_push(arena, &all->items, one);
    }
    return all;
}

/* `fix` writes nothing without a plan; the reason is that of the finding. */
static void foresee_fix(gm_arena *arena, const gm_source *source, gm_entry *entry, const told *plan) {
    const char *reason = entry->finding != NULL ? entry->finding->refusal.reason : NULL;
    entry->fix = plan != NULL ? plan->fix : GM_FIXES_NO;
    entry->fix_note = plan != NULL ? plan->note : entry->reason != NULL ? entry->reason : reason;
    entry->edits = plan != NULL && plan->edits != NULL ? replacements_of(arena, source, plan->edits) : NULL;
}

/* A comment that silences nothing: `fix` removes it. */
static void foresee_comment(gm_arena *arena, const gm_source *source, gm_entry *entry) {
    gm_edits edits = {0};
    gm_unused_add_edits_of(arena, source, entry->unused, &edits);
    entry->fix = GM_FIXES_SAFE;
    entry->edits = replacements_of(arena, source, &edits);
}

typedef struct foreseeing {
    gm_arena *arena;
    gm_checked *checked;
    const gm_check_options *options;
    bool all;
} foreseeing;

static bool is_about_code(const gm_entry *entry) {
    return entry->rule != NULL && entry->rule != &gm_rule_unused_suppression;
}

/* Plans that `run` carries out; the note says why it leaves one. */
static void foresee_plans_of_run(gm_checked *checked) {
    const gm_silenced *silenced = gm_silenced_of(checked->analysis, NULL);
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        gm_entry *entry = &checked->entries.items[i];
        if (entry->finding != NULL && entry->finding->plan != NULL) {
            entry->run_note = gm_silenced_for_run(entry->finding, silenced);
            entry->run = entry->run_note == NULL;
        }
    }
}

static void foresee_all(void *context) {
    const foreseeing *state = context;
    gm_checked *checked = state->checked;
    foresee_plans_of_run(checked);
    gm_analysis_refuse_each(checked->analysis, gm_silenced_for_fix, gm_silenced_of(checked->analysis, state->options));
    list plans = plans_of(state->arena, checked, state->options, state->all);
    decisions all = {0};
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        gm_entry *entry = &checked->entries.items[i];
        if (is_about_code(entry)) {
            foresee_fix(state->arena, checked->source, entry, find_told(&plans, entry));
        } else if (entry->unused != NULL) {
            foresee_comment(state->arena, checked->source, entry);
        }
        if (is_about_code(entry) && !entry->run && entry->finding != NULL) {
            foresee_run(checked->analysis, &all, entry, entry->finding);
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
            entry->edits = NULL;
        }
    }
}

void gm_foresee(gm_arena *arena, gm_checked *checked, const gm_check_options *options, bool all) {
    if (checked->analysis == NULL || checked->entries.count == 0) {
        return;
    }
    foreseeing state = {arena, checked, options, all};
    if (!gm_work_within(arena, checked->source->length, foresee_all, &state)) {
        foresee_little(checked);
    }
}
