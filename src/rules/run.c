#include "rules/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/blocks.h"
#include "analysis/guarded_calls.h"
#include "analysis/reach.h"
#include "analysis/read_before.h"
#include "rules/rule.h"

typedef struct gm_visit {
    gm_analysis *analysis;
    gm_function *function;
    const gm_place *place;
    bool tail; /* for the blocks of the statement at `place` */
} gm_visit;

static void offer_site(gm_analysis *analysis, const gm_site *site) {
    for (uint32_t i = 0; i < analysis->mend_count && !analysis->mends[i]->find(analysis, site); i++) {
    }
}

static void offer(gm_visit *walk, const gm_node *node) {
    gm_site site = {
        .function = walk->function, .node = node, .statement = walk->place->list->items[walk->place->index], .place = walk->place};
    offer_site(walk->analysis, &site);
}

/* Conditional expressions and calls from the inside out; bodies of lambdas and definitions are none of this function's. A call that is a
 * statement is looked at as one. */
static bool visit_expression(const gm_node *node, void *context) {
    gm_visit *walk = context;
    if (gm_is_stmt(node) || gm_blocks_is_definition(node) || node->kind == GM_KIND_ExceptHandler || node->kind == GM_KIND_match_case ||
        node->kind == GM_KIND_JoinedStr) {
        return true;
    }
    gm_node_children(node, visit_expression, context);
    const gm_node *statement = walk->place->list->items[walk->place->index];
    bool alone = statement->kind == GM_KIND_Expr && gm_as_Expr(statement)->value == node;
    if (node->kind == GM_KIND_IfExp || (node->kind == GM_KIND_Call && !alone)) {
        offer(walk, node);
    }
    return true;
}

static void visit_block(gm_visit *outer, const gm_list *block, const gm_node *owner, bool tail);

static bool visit_inner_block(const gm_list *block, void *context) {
    gm_visit *outer = context;
    const gm_node *owner = outer->place->list->items[outer->place->index];
    visit_block(outer, block, owner, outer->place->tail && owner->kind == GM_KIND_If);
    return true;
}

static void visit_statement(gm_visit *walk) {
    const gm_node *statement = walk->place->list->items[walk->place->index];
    if (gm_blocks_is_definition(statement)) {
        return;
    }
    /* Blocks come in order of position; nothing in an earlier block depends on plans of a later one. */
    gm_blocks_each(statement, visit_inner_block, walk);
    gm_node_children(statement, visit_expression, walk);
    offer(walk, statement);
}

static void visit_block(gm_visit *outer, const gm_list *block, const gm_node *owner, bool tail) {
    for (uint32_t i = block->count; i-- > 0;) {
        gm_place *place = GM_NEW(outer->analysis->arena, gm_place);
        *place = (gm_place){block, i, owner, outer->place, tail};
        gm_visit inner = {outer->analysis, outer->function, place, tail};
        visit_statement(&inner);
    }
}

/* True the first time it is called for a function. */
static bool begin_visit(gm_analysis *analysis, const gm_function *function) {
    uint64_t key = gm_table_pointer(function->node);
    if (gm_table_find(&analysis->visited, key) != GM_TABLE_NONE) {
        return false;
    }
    gm_table_put(&analysis->visited, analysis->arena, key, 0);
    return true;
}

/* Asks all rules about everything in a function, unless that has been done or is going on. */
static void visit_function(gm_analysis *analysis, const gm_node *definition) {
    gm_function *function = gm_flow_function(analysis->flow, definition);
    if (function == NULL || !begin_visit(analysis, function)) {
        return;
    }
    gm_visit start = {analysis, function, NULL, true};
    gm_work_at(analysis->arena, definition->start);
    gm_findings *reports = analysis->reports; /* another walk may have asked */
    analysis->reports = &analysis->findings;
    visit_block(&start, gm_blocks_of_function(definition), definition, true);
    analysis->reports = reports;
}

static bool is_wanted(gm_analysis *analysis, const gm_node *definition) {
    return !analysis->reached_only || gm_reach_has(analysis, definition);
}

static bool find_functions(const gm_node *node, void *context) {
    gm_analysis *analysis = context;
    if (gm_is_finalizer(node)) {
        return true;
    }
    if ((node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef) && is_wanted(analysis, node)) {
        visit_function(analysis, node);
    }
    return !gm_holds_statements(node) || gm_node_children(node, find_functions, context);
}

/* ---- Lambdas: calls alone ---- */

static bool visit_lambda_part(const gm_node *node, void *context) {
    const gm_visit *walk = context;
    if (gm_blocks_is_definition(node) || node->kind == GM_KIND_JoinedStr) {
        return true;
    }
    gm_node_children(node, visit_lambda_part, context);
    if (node->kind == GM_KIND_Call) {
        gm_site site = {.function = walk->function, .node = node, .statement = gm_as_Lambda(walk->function->node)->body};
        offer_site(walk->analysis, &site);
    }
    return true;
}

/* The def, class or module around a lambda. */
static const gm_node *definition_around(gm_analysis *analysis, const gm_node *lambda) {
    while (lambda->kind == GM_KIND_Lambda) {
        lambda = gm_flow_function_at(analysis->flow, lambda)->node;
    }
    return lambda;
}

static bool find_lambdas(const gm_node *node, void *context) {
    gm_analysis *analysis = context;
    if (node->kind == GM_KIND_JoinedStr || gm_is_finalizer(node)) {
        return true;
    }
    bool wanted = node->kind == GM_KIND_Lambda && (!analysis->reached_only || gm_reach_has(analysis, definition_around(analysis, node)));
    gm_function *function = wanted ? gm_flow_function(analysis->flow, node) : NULL;
    if (function != NULL) {
        gm_visit walk = {.analysis = analysis, .function = function};
        visit_lambda_part(gm_as_Lambda(node)->body, &walk);
    }
    return gm_node_children(node, find_lambdas, context);
}

static int compare_findings(const void *left, const void *right) {
    const gm_finding *a = left;
    const gm_finding *b = right;
    if (a->node->start != b->node->start) {
        return a->node->start < b->node->start ? -1 : 1;
    }
    return strcmp(a->rule->code, b->rule->code);
}

/* In order of position, and a plan is that of its finding's node. */
static inline bool are_in_order(const gm_findings *findings) {
    for (uint32_t i = 0; i < findings->count; i++) {
        const gm_finding *finding = &findings->items[i];
        bool behind = i == 0 || finding[-1].node->start <= finding->node->start;
        if (!behind || (finding->plan != NULL && (finding->plan->rule != finding->rule || finding->refusal.reason != NULL))) {
            return false;
        }
    }
    return true;
}

static void mark_reached(gm_analysis *analysis) {
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        gm_finding *finding = &analysis->findings.items[i];
        const gm_node *function = definition_around(analysis, finding->function->node);
        gm_guarded_mark(analysis, finding, function, finding->rule->drops_output);
        finding->read_before = gm_read_before(finding);
    }
}

static gm_analysis *run(gm_arena *arena, gm_tree *tree, bool reached_only, const gm_asked *asked) {
    gm_analysis *analysis = GM_NEW(arena, gm_analysis);
    analysis->arena = arena;
    analysis->tree = tree;
    analysis->visit = visit_function;
    analysis->mends = gm_rules_of(arena, GM_WALK_MENDS, false, &analysis->mend_count);
    analysis->reports = &analysis->findings;
    analysis->reached_only = reached_only;
    analysis->entrances = asked == NULL ? NULL : asked->entrances;
    analysis->release = asked == NULL ? 0 : asked->release;
    if (reached_only && analysis->entrances == NULL && !gm_reach_is_possible(tree)) {
        return analysis;
    }
    analysis->flow = gm_flow_build(arena, tree, (gm_release)analysis->release);
    gm_node_children(&tree->module->base, find_functions, analysis);
    if (tree->has_lambda) {
        gm_node_children(&tree->module->base, find_lambdas, analysis);
    }
    if (analysis->findings.count > 0) {
        qsort(analysis->findings.items, analysis->findings.count, sizeof *analysis->findings.items, compare_findings);
        mark_reached(analysis);
    }
    assert(are_in_order(&analysis->findings));
    return analysis;
}

gm_analysis *gm_rules_run(gm_arena *arena, gm_tree *tree, const gm_asked *asked) {
    return run(arena, tree, false, asked);
}

gm_analysis *gm_rules_run_reached(gm_arena *arena, gm_tree *tree, const gm_asked *asked) {
    return run(arena, tree, true, asked);
}
