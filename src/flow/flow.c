#include "flow/flow.h"

#include <string.h>

#include "base/search.h"
#include "flow/flow_private.h"
#include "flow/torch_facts.h"
#include "flow/walk.h"

GM_MAP_FUNCTIONS(functions, gm_function_map, gm_function_slot, const gm_node *, node, gm_hash_pointer, 64)

gm_flow *gm_flow_build(gm_arena *arena, gm_tree *tree, gm_release release) {
    gm_flow *flow = GM_NEW(arena, gm_flow);
    flow->arena = arena;
    flow->tree = tree;
    flow->scopes = gm_scopes_build(arena, tree, 0);
    flow->facts = gm_torch_facts_of(release);
    flow->hidden = GM_NEW(arena, struct gm_flow_private);
    return flow;
}

/* ---- Functions ---- */

gm_function *gm_flow_function(gm_flow *flow, const gm_node *node) {
    gm_function_slot *slot = functions_at(flow->arena, &flow->hidden->functions, node);
    if (slot->function == NULL) {
        gm_function *function = GM_NEW(flow->arena, gm_function);
        function->flow = flow;
        function->node = node;
        function->scope = gm_scopes_of(flow->scopes, node);
        function->cfg = gm_cfg_build(flow->arena, flow->scopes, node);
        slot->function = function;
    }
    return slot->function;
}

/* ---- Parents ---- */

typedef struct parent_index {
    const gm_node **parents;
    const gm_node *parent;
    gm_arena *arena;
    GM_VEC(const gm_node *) waiting;
} parent_index;

static bool store_parent(const gm_node *node, void *context) {
    parent_index *index = context;
    index->parents[node->number] = index->parent;
    if (gm_child_fields[node->kind][0] != 0) {
        gm_vec_push(index->arena, &index->waiting, node);
    }
    return true;
}

static void index_below(gm_flow *flow, uint32_t at) {
    if (flow->hidden->indexed[at]) {
        return;
    }
    flow->hidden->indexed[at] = true;
    parent_index index = {.parents = flow->hidden->parents, .parent = &flow->tree->module->base, .arena = flow->arena};
    store_parent(flow->tree->module->body.items[at], &index);
    while (index.waiting.count > 0) {
        index.parent = index.waiting.items[--index.waiting.count];
        gm_node_children(index.parent, store_parent, &index);
    }
}

/* The statement of the module that a node belongs to, decorators in front of it included: the first that ends behind it. */
static uint32_t statement_at(const gm_list *body, uint32_t start) {
    uint32_t low = 0;
    uint32_t high = body->count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (body->items[middle]->end <= start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const gm_node *gm_flow_parent(gm_flow *flow, const gm_node *node) {
    struct gm_flow_private *hidden = flow->hidden;
    const gm_list *body = &flow->tree->module->body;
    if (hidden->parents == NULL) {
        hidden->parents = GM_NEW_ARRAY(flow->arena, const gm_node *, flow->tree->node_count + 1);
        hidden->indexed = GM_NEW_ARRAY(flow->arena, bool, body->count);
    }
    gm_work(flow->arena, 2);
    if (hidden->parents[node->number] == NULL && node->kind != GM_KIND_Module) {
        uint32_t at = statement_at(body, node->start);
        if (at < body->count) {
            index_below(flow, at);
        }
        for (at = 0; hidden->parents[node->number] == NULL && at < body->count; at++) {
            index_below(flow, at); /* what could not be parsed may stand behind its statement */
        }
    }
    return hidden->parents[node->number];
}

static bool stops_climbing(const gm_node *node) {
    return gm_is_stmt(node) || node->kind == GM_KIND_IfExp || node->kind == GM_KIND_Lambda || node->kind == GM_KIND_Module;
}

const gm_node *gm_flow_around(gm_flow *flow, const gm_node *node) {
    struct gm_flow_private *hidden = flow->hidden;
    if (hidden->around == NULL) {
        hidden->around = GM_NEW_ARRAY(flow->arena, const gm_node *, flow->tree->node_count + 1);
    }
    const gm_node *found = node;
    gm_work(flow->arena, 4);
    do {
        const gm_node *known = hidden->around[found->number];
        found = known != NULL ? known : gm_flow_parent(flow, found);
    } while (found != NULL && !stops_climbing(found));
    for (const gm_node *at = node; at != found && hidden->around[at->number] == NULL; at = gm_flow_parent(flow, at)) {
        hidden->around[at->number] = found;
    }
    return found;
}

const gm_node *gm_flow_statement(gm_flow *flow, const gm_node *node) {
    while (node != NULL && !gm_is_stmt(node)) {
        node = gm_flow_around(flow, node);
    }
    return node;
}

static bool is_function(const gm_node *node) {
    return node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef || node->kind == GM_KIND_Lambda ||
           node->kind == GM_KIND_Module;
}

/* Whether what stands in a function belongs to its inside, its body, not to decorators, defaults and annotations. */
static bool is_inside(const gm_node *function, const gm_node *child) {
    if (function->kind == GM_KIND_Module) {
        return true;
    }
    if (function->kind == GM_KIND_Lambda) {
        const gm_node *body = gm_as_Lambda(function)->body;
        return child->start >= body->start && child->end <= body->end;
    }
    return gm_is_stmt(child);
}

gm_function *gm_flow_function_at(gm_flow *flow, const gm_node *node) {
    const gm_node *child = node;
    for (const gm_node *at = gm_flow_around(flow, node); at != NULL; at = gm_flow_around(flow, at)) {
        if (is_function(at) && is_inside(at, child)) {
            return gm_flow_function(flow, at);
        }
        child = at;
    }
    return gm_flow_function(flow, &flow->tree->module->base);
}

/* ---- Sets of variables ---- */

gm_symbol_list gm_set_list(gm_function *function, const gm_sets *sets, gm_set set) {
    gm_symbol_list list = {NULL, gm_set_count(sets, set)};
    gm_work(function->flow->arena, (uint64_t)list.count * (sets->height + 1));
    list.items = GM_NEW_ARRAY(function->flow->arena, gm_symbol *, list.count);
    uint32_t next = 0;
    for (uint32_t at = gm_set_next(sets, set, 0); at != GM_SET_END; at = gm_set_next(sets, set, at + 1)) {
        list.items[next++] = function->scope->symbols.items[at];
    }
    return list;
}

bool gm_always_live(const gm_function *function, const gm_symbol *symbol) {
    uint16_t by_name = GM_SCOPE_CALLS_LOCALS | GM_SCOPE_CALLS_EVAL | GM_SCOPE_NAMES_FRAME;
    return gm_symbol_is_local(symbol) &&
           (function->scope->kind == GM_SCOPE_MODULE || symbol->binding == GM_BINDING_CELL || (function->scope->traits & by_name) != 0);
}

/* ---- Names ---- */

const gm_name *gm_flow_qualified(gm_flow *flow, const gm_node *expression) {
    if (expression->kind != GM_KIND_Name && expression->kind != GM_KIND_Attribute) {
        return NULL;
    }
    gm_qualified_slot *slot = &flow->hidden->qualified[gm_hash_pointer(expression) % GM_QUALIFIED_SLOTS];
    if (slot->node != expression) {
        *slot = (gm_qualified_slot){expression, gm_scopes_qualified(flow->scopes, expression)};
    }
    return slot->name;
}

bool gm_flow_names(gm_flow *flow, const gm_node *expression, const char *name) {
    return gm_name_is(gm_flow_qualified(flow, expression), name);
}
