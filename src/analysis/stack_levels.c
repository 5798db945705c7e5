#include "analysis/stack_levels.h"

/* Asking for it twice gives the same: a variable, an attribute, a number. */
static bool is_asked_twice(const gm_node *node) {
    return node->kind == GM_KIND_Name || node->kind == GM_KIND_Attribute || node->kind == GM_KIND_Constant;
}

static uint32_t level_of(const gm_analysis *analysis, const gm_node *node) {
    char digit = analysis->tree->source->text[node->start];
    bool small = node->kind == GM_KIND_Constant && node->end - node->start == 1 && digit >= '1' && digit <= '9';
    return small ? (uint32_t)(digit - '0') : is_asked_twice(node) ? GM_PLAN_LEVELS_TRACED : 0;
}

/* The level among the arguments up to `position`: in the last of them, or somewhere in `*args`. */
static uint32_t level_by_position(const gm_analysis *analysis, const gm_Call *call, uint32_t position) {
    for (uint32_t i = 0; i < call->args.count && i < position && position < GM_STACK_LEVELS_BY_KEYWORD; i++) {
        if (call->args.items[i]->kind == GM_KIND_Starred) {
            return is_asked_twice(gm_as_Starred(call->args.items[i])->value) ? GM_PLAN_LEVELS_TRACED : 0;
        }
    }
    if (call->args.count <= position) {
        return 1;
    }
    const gm_node *argument = call->args.items[position];
    bool starred = argument->kind == GM_KIND_Starred;
    uint32_t level = level_of(analysis, starred ? gm_as_Starred(argument)->value : argument);
    return starred && level > 0 ? GM_PLAN_LEVELS_TRACED : level;
}

uint32_t gm_stack_levels(const gm_analysis *analysis, const gm_Call *call, uint32_t position) {
    uint32_t level = position == GM_STACK_LEVELS_NEVER ? 1 : level_by_position(analysis, call, position);
    for (uint32_t i = 0; i < call->keywords.count && level > 0 && position != GM_STACK_LEVELS_NEVER; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (keyword->arg == NULL) {
            level = is_asked_twice(keyword->value) ? GM_PLAN_LEVELS_TRACED : 0;
        } else if (level == 1 && gm_name_is(keyword->arg, "stacklevel")) {
            level = level_of(analysis, keyword->value);
        }
    }
    return level;
}
