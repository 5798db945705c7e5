#include "analysis/analysis.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Plans by node ---- */

GM_MAP_FUNCTIONS(plans, gm_plan_map, gm_plan_slot, const gm_node *, node, gm_hash_pointer, 64)

gm_plan *gm_analysis_plan(const gm_analysis *analysis, const gm_node *node) {
    const gm_plan_slot *slot = plans_find(&analysis->plans, node);
    return slot == NULL ? NULL : slot->plan;
}

static void add_plan(gm_analysis *analysis, gm_plan *plan) {
    gm_plan_slot *slot = plans_at(analysis->arena, &analysis->plans, plan->node);
    assert(slot->plan == NULL);
    slot->plan = plan;
}

/* The slot stays, without a plan. */
static void remove_plan(gm_analysis *analysis, const gm_plan *gone) {
    gm_plan_slot *slot = plans_find(&analysis->plans, gone->node);
    if (slot != NULL && slot->plan == gone) {
        slot->plan = NULL;
    }
}

/* ---- What rules call ---- */

gm_plan *gm_plan_new(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, gm_plan_kind kind) {
    gm_plan *plan = GM_NEW(analysis->arena, gm_plan);
    plan->kind = (uint8_t)kind;
    plan->rule = rule;
    plan->node = site->node;
    plan->statement = site->statement;
    plan->place = site->place;
    plan->function = site->function;
    return plan;
}

static gm_finding *add_finding(gm_analysis *analysis, const struct gm_rule *rule, const gm_node *node, gm_function *function,
                               const char *message, const char *advice, bool certain) {
    gm_finding finding = {.rule = rule, .node = node, .function = function, .message = message, .advice = advice, .certain = certain};
    gm_vec_push(analysis->arena, analysis->reports, finding);
    return &analysis->reports->items[analysis->reports->count - 1];
}

/* What writers rely on: the place is in the statement, a branch has a test, and captures stand one behind the other. */
static inline bool is_whole(const gm_plan *plan) {
    bool placed = plan->statement->start <= plan->node->start && plan->node->end <= plan->statement->end;
    bool tested = plan->test != NULL || plan->kind == GM_PLAN_DEFER || plan->kind == GM_PLAN_RECORD;
    for (uint32_t i = 1; i < plan->captures.count; i++) {
        if (plan->captures.items[i - 1].node->end > plan->captures.items[i].node->start) {
            return false;
        }
    }
    return placed && tested;
}

void gm_report_plan(gm_analysis *analysis, gm_plan *plan, const char *message, const char *advice, bool certain) {
    assert(is_whole(plan));
    add_finding(analysis, plan->rule, plan->node, plan->function, message, advice, certain)->plan = plan;
    add_plan(analysis, plan);
}

void gm_report_refusal(gm_analysis *analysis, const struct gm_rule *rule, const gm_site *site, gm_refusal refusal, const char *message,
                       const char *advice, bool certain) {
    add_finding(analysis, rule, site->node, site->function, message, advice, certain)->refusal = refusal;
}

void gm_report_break(gm_analysis *analysis, const char *break_id) {
    analysis->reports->items[analysis->reports->count - 1].break_id = break_id;
}

void gm_analysis_refuse(gm_analysis *analysis, gm_plan *plan, const char *reason) {
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        gm_finding *finding = &analysis->findings.items[i];
        if (finding->plan == plan) {
            finding->plan = NULL;
            finding->refusal = (gm_refusal){reason, plan->node};
        }
    }
    remove_plan(analysis, plan);
}

void gm_analysis_refuse_each(gm_analysis *analysis, const char *(*why)(const gm_finding *finding, const void *context),
                             const void *context) {
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        gm_finding *finding = &analysis->findings.items[i];
        const char *reason = finding->plan == NULL ? NULL : why(finding, context);
        if (reason != NULL) {
            remove_plan(analysis, finding->plan);
            finding->refusal = (gm_refusal){reason, finding->plan->node};
            finding->plan = NULL;
        }
    }
}

bool gm_analysis_same_text(const gm_analysis *analysis, const gm_node *left, const gm_node *right) {
    const char *text = analysis->tree->source->text;
    uint32_t length = left->end - left->start;
    return right->end - right->start == length && memcmp(text + left->start, text + right->start, length) == 0;
}

const char *gm_analysis_text(const gm_analysis *analysis, const char *format, ...) {
    char room[256]; /* enough for most */
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 0 : (size_t)length;
    char *text = gm_arena_alloc(analysis->arena, size + 1);
    if (size < sizeof room) {
        memcpy(text, room, size);
    } else {
        vsnprintf(text, size + 1, format, again);
    }
    text[size] = '\0';
    va_end(again);
    return text;
}

const char *gm_analysis_quote(const gm_analysis *analysis, const gm_node *node, uint32_t most, const char *else_) {
    const char *text = analysis->tree->source->text + node->start;
    uint32_t length = node->end - node->start;
    bool plain = length <= most && memchr(text, '\n', length) == NULL;
    return plain ? gm_analysis_text(analysis, "`%.*s`", (int)length, text) : else_;
}
