#include "analysis/weight.h"

#include "analysis/blocks.h"

typedef struct gm_weighing {
    const gm_analysis *analysis;
    uint32_t weight;
    uint32_t depth;
} weighing;

static bool weigh_block(const gm_list *block, void *context);

static void weigh_statement(weighing *sum, const gm_node *statement) {
    const gm_plan *plan = gm_analysis_plan(sum->analysis, statement);
    sum->weight += 1 + (plan == NULL ? 0 : plan->weight);
    if (plan != NULL && plan->kind == GM_PLAN_RETURN && plan->depth > sum->depth) {
        sum->depth = plan->depth;
    }
    gm_blocks_each(statement, weigh_block, sum);
}

static bool weigh_block(const gm_list *block, void *context) {
    for (uint32_t i = 0; i < block->count; i++) {
        weigh_statement(context, block->items[i]);
    }
    return true;
}

uint32_t gm_weight_of(const gm_analysis *analysis, const gm_list *block) {
    weighing sum = {analysis, 0, 0};
    weigh_block(block, &sum);
    return sum.weight;
}

uint32_t gm_weight_depth(const gm_analysis *analysis, const gm_list *block) {
    weighing sum = {analysis, 0, 0};
    weigh_block(block, &sum);
    return sum.depth;
}

uint32_t gm_weight_behind(const gm_analysis *analysis, const gm_place *place, uint32_t *depth) {
    weighing sum = {analysis, 0, 0};
    for (; place != NULL; place = place->outer) {
        for (uint32_t i = place->index + 1; i < place->list->count; i++) {
            weigh_statement(&sum, place->list->items[i]);
        }
    }
    *depth = sum.depth > *depth ? sum.depth : *depth;
    return sum.weight;
}

/* ---- Levels of indentation ---- */

typedef struct gm_indent_search {
    const gm_analysis *analysis;
    uint32_t most;
} indent_search;

static bool find_indents(const gm_list *block, void *context) {
    indent_search *search = context;
    uint32_t indents = gm_weight_indents(search->analysis, block);
    search->most = indents > search->most ? indents : search->most;
    return true;
}

/* Below a statement: what its plan says, or its blocks do. Each early return in another is a side in its mended form, too. */
static uint32_t indents_of(const gm_analysis *analysis, const gm_node *statement) {
    const gm_plan *plan = gm_analysis_plan(analysis, statement);
    if (plan != NULL && plan->indents > 0) {
        return plan->indents;
    }
    indent_search search = {analysis, 0};
    gm_blocks_each(statement, find_indents, &search);
    return search.most + (plan != NULL && plan->kind == GM_PLAN_RETURN ? 2 * plan->depth : 0);
}

uint32_t gm_weight_indents(const gm_analysis *analysis, const gm_list *block) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        uint32_t indents = indents_of(analysis, block->items[i]);
        most = indents > most ? indents : most;
    }
    return most + 1;
}

bool gm_weight_too_deep(const gm_place *place, uint32_t indents) {
    for (; place != NULL && indents <= GM_INDENTS_LIMIT; place = place->outer) {
        indents++;
    }
    return indents > GM_INDENTS_LIMIT;
}
