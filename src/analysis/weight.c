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
