#include "analysis/recorded.h"

const char *const gm_recorded_methods[] = {"append", "appendleft", "add",    "discard", "extend",     "extendleft", "insert",
                                           "put",    "put_nowait", "update", "write",   "writelines", NULL};

enum { COMPARE_WORK = 4 };

typedef struct gm_recorded_container {
    const gm_node *node;
    bool plain;
} recorded_container;

/* The containers of the function that was asked about last: the rules go through one after the other. */
struct gm_recorded {
    gm_function *function;
    GM_VEC(recorded_container) containers;
};

typedef struct gm_recorded_search {
    gm_analysis *analysis;
    gm_function *function;
    bool found;
} search;

/* An attribute, or a global: what the function itself has made the tracer knows all about. */
static bool is_older(const search *searching, const gm_node *container) {
    const gm_symbol *symbol = container->kind == GM_KIND_Name ? gm_scopes_symbol(searching->analysis->flow->scopes, container) : NULL;
    return container->kind == GM_KIND_Attribute || (symbol != NULL && !gm_symbol_is_local(symbol));
}

/* Numbers and texts, as far as is known. */
static bool are_plain(const search *searching, const gm_list *values) {
    for (uint32_t i = 0; i < values->count; i++) {
        if (gm_value_of(searching->function, values->items[i]).class_ != GM_VALUE_NOT) {
            return false;
        }
    }
    return true;
}

static bool collect(const gm_node *node, void *context) {
    search *searching = context;
    const gm_node *call = node->kind == GM_KIND_Expr ? gm_as_Expr(node)->value : NULL;
    if (call != NULL && call->kind == GM_KIND_Call && gm_as_Call(call)->func->kind == GM_KIND_Attribute) {
        const gm_Attribute *callee = gm_as_Attribute(gm_as_Call(call)->func);
        if (gm_text_in(callee->attr->text, gm_recorded_methods) && is_older(searching, callee->value)) {
            recorded_container container = {callee->value, are_plain(searching, &gm_as_Call(call)->args)};
            gm_vec_push(searching->analysis->arena, &searching->analysis->recorded->containers, container);
        }
    }
    return !gm_holds_statements(node) || gm_node_children(node, collect, context);
}

static const struct gm_recorded *containers_of(gm_analysis *analysis, gm_function *function) {
    if (analysis->recorded == NULL) {
        analysis->recorded = GM_NEW(analysis->arena, struct gm_recorded);
    }
    if (analysis->recorded->function != function) {
        search searching = {analysis, function, false};
        analysis->recorded->function = function;
        gm_work_below(analysis->arena, function->node);
        analysis->recorded->containers.count = 0;
        gm_node_children(function->node, collect, &searching);
    }
    return analysis->recorded;
}

static bool is_recorded(gm_analysis *analysis, gm_function *function, const gm_node *node, bool plain, uint32_t end) {
    bool named = node->kind == GM_KIND_Attribute || node->kind == GM_KIND_Name;
    const struct gm_recorded *known = named ? containers_of(analysis, function) : NULL;
    gm_work(analysis->arena, known == NULL ? 1 : 2 + known->containers.count * (uint64_t)COMPARE_WORK);
    for (uint32_t i = 0; known != NULL && i < known->containers.count; i++) {
        const recorded_container *container = &known->containers.items[i];
        if ((container->plain || !plain) && container->node->start < end && gm_analysis_same_text(analysis, container->node, node)) {
            return true;
        }
    }
    return false;
}

bool gm_recorded(gm_analysis *analysis, gm_function *function, const gm_node *node) {
    return is_recorded(analysis, function, node, false, UINT32_MAX);
}

bool gm_recorded_plain(gm_analysis *analysis, gm_function *function, const gm_node *node) {
    return is_recorded(analysis, function, node, true, UINT32_MAX);
}

bool gm_recorded_before(gm_analysis *analysis, gm_function *function, const gm_node *node) {
    return is_recorded(analysis, function, node, false, node->start);
}

static bool find_recorded(const gm_node *node, void *context) {
    search *searching = context;
    searching->found = gm_recorded_plain(searching->analysis, searching->function, node);
    return !searching->found && gm_node_children(node, find_recorded, context);
}

bool gm_recorded_within(gm_analysis *analysis, gm_function *function, const gm_node *expression) {
    search searching = {analysis, function, false};
    gm_work_below(analysis->arena, expression);
    find_recorded(expression, &searching);
    return searching.found;
}
