#include "rules/reads.h"

#include <stdlib.h>

#include "analysis/guarded_calls.h"
#include "analysis/reach.h"
#include "rules/rule.h"

typedef struct gm_read_walk {
    gm_analysis *analysis;
    gm_function *function; /* NULL outside of functions */
    const gm_rule *const *rules; /* in the order in which they are asked */
    uint32_t rule_count;
} walk;

bool gm_report_read(gm_analysis *analysis, const gm_rule *rule, const gm_site *site, const gm_node *node, const char *message,
                    const char *advice, const char *reason) {
    gm_site marked = *site;
    marked.node = node;
    gm_report_refusal(analysis, rule, &marked, (gm_refusal){reason, node}, message, advice, true);
    return true;
}

static bool is_site(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_Call:
    case GM_KIND_Subscript:
    case GM_KIND_BinOp:
    case GM_KIND_Assign:
    case GM_KIND_withitem: return true;
    default: return false;
    }
}

static void offer(const walk *walking, const gm_node *node) {
    gm_site site = {.function = walking->function, .node = node};
    for (uint32_t i = 0; i < walking->rule_count && !walking->rules[i]->find(walking->analysis, &site); i++) {
    }
}

static bool is_open(const walk *walking, const gm_node *definition) {
    return !walking->analysis->reached_only || gm_reach_has(walking->analysis, definition);
}

/* Outside of functions that are looked at, only definitions matter. */
static bool visit_read(const gm_node *node, void *context) {
    walk inner = *(walk *)context;
    if (node->kind == GM_KIND_JoinedStr || (inner.function == NULL && !gm_holds_statements(node))) {
        return true;
    }
    if (gm_is_def(node)) {
        inner.function = is_open(&inner, node) ? gm_flow_function(inner.analysis->flow, node) : NULL;
    } else if (node->kind == GM_KIND_ClassDef || node->kind == GM_KIND_Lambda) {
        inner.function = NULL;
    }
    if (inner.function != NULL && is_site(node)) {
        offer(&inner, node);
    }
    return gm_node_children(node, visit_read, &inner);
}

static int compare(const void *left, const void *right) {
    const gm_finding *a = left;
    const gm_finding *b = right;
    return a->node->start != b->node->start ? (a->node->start < b->node->start ? -1 : 1) : a->node->end > b->node->end ? -1 : 1;
}

gm_findings *gm_reads_of(gm_analysis *analysis) {
    gm_findings *found = GM_NEW(analysis->arena, gm_findings);
    if (analysis->flow == NULL) {
        return found;
    }
    walk walking = {.analysis = analysis};
    /* What is not traced at all comes last among the rules, and is asked first: what it reads does not matter. */
    walking.rules = gm_rules_of(analysis->arena, GM_WALK_READS, true, &walking.rule_count);
    analysis->reports = found;
    gm_node_children(&analysis->tree->module->base, visit_read, &walking);
    analysis->reports = &analysis->findings;
    if (found->count > 1) {
        qsort(found->items, found->count, sizeof *found->items, compare);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        gm_finding *read = &found->items[i];
        gm_guarded_mark(analysis, read, read->function->node, read->rule->drops_output);
    }
    return found;
}
