#include "analysis/sides.h"

#include "analysis/blocks.h"

static const gm_refusal none = {NULL, NULL};

/* ---- Symbol lists ---- */

bool gm_symbols_have(const gm_symbol_list *list, const gm_symbol *symbol) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == symbol) {
            return true;
        }
    }
    return false;
}

void gm_symbols_add(gm_arena *arena, gm_symbol_list *list, gm_symbol *symbol) {
    gm_work(arena, list->count + 1U);
    if (gm_symbols_have(list, symbol)) {
        return;
    }
    size_t size = sizeof *list->items;
    list->items = gm_arena_grow(arena, list->items, size * list->count, size * (list->count + 1));
    list->items[list->count++] = symbol;
}

static void add_all(gm_arena *arena, gm_symbol_list *list, const gm_symbol_list *more) {
    for (uint32_t i = 0; i < more->count; i++) {
        gm_symbols_add(arena, list, more->items[i]);
    }
}

/* ---- Names of an expression ---- */

typedef struct gm_name_search {
    gm_analysis *analysis;
    gm_function *function;
    const gm_node *root;
    gm_symbol_list found;
} name_search;

static bool is_inside(const name_search *search, const gm_scope *scope) {
    return scope != search->function->scope && scope->node->start >= search->root->start && scope->node->end <= search->root->end;
}

/* The variable that a name in the expression reads from outside it; NULL for globals and for what closures of the function read. */
static gm_symbol *variable_of(const name_search *search, const gm_node *name) {
    gm_symbol *symbol = gm_scopes_symbol(search->analysis->flow->scopes, name);
    while (symbol != NULL && is_inside(search, symbol->scope)) {
        gm_scope *outer = symbol->scope->parent;
        symbol = symbol->binding == GM_BINDING_FREE && outer != NULL ? gm_scope_find(outer, symbol->name) : NULL;
    }
    if (symbol == NULL) {
        return NULL;
    }
    bool comprehension = symbol->scope != search->function->scope;
    return gm_symbol_is_local(symbol) || (comprehension && symbol->binding == GM_BINDING_FREE) ? symbol : NULL;
}

static bool find_names(const gm_node *node, void *context) {
    name_search *search = context;
    if (node->kind == GM_KIND_Name) {
        gm_symbol *symbol = variable_of(search, node);
        if (symbol != NULL) {
            gm_symbols_add(search->analysis->arena, &search->found, symbol);
        }
    }
    return gm_node_children(node, find_names, context);
}

gm_symbol_list gm_sides_names(gm_analysis *analysis, gm_function *function, const gm_node *expression) {
    name_search search = {analysis, function, expression, {NULL, 0}};
    gm_work_below(analysis->arena, expression);
    find_names(expression, &search);
    return search.found;
}

/* ---- Binding ---- */

gm_refusal gm_sides_bound(gm_analysis *analysis, gm_function *function, const gm_node *statement, const gm_symbol_list *symbols,
                          const gm_symbol_list *walrus) {
    for (uint32_t i = 0; i < symbols->count; i++) {
        const gm_symbol *symbol = symbols->items[i];
        if (symbol->scope != function->scope) {
            symbol = gm_scope_find(function->scope, symbol->name);
            if (symbol == NULL || !gm_symbol_is_local(symbol)) {
                continue; /* a variable of the comprehension around */
            }
        }
        if ((walrus != NULL && gm_symbols_have(walrus, symbol)) || gm_bound_before(function, statement, symbol) == GM_BOUND_ALWAYS) {
            continue;
        }
        return (gm_refusal){gm_analysis_text(analysis, "`%s` may be unbound here", symbol->name->text), statement};
    }
    return none;
}

/* ---- Regions ---- */

/* Globals are declared again in the functions that the sides become. */
static gm_refusal add_globals(gm_analysis *analysis, gm_plan *plan, const gm_region *region) {
    for (uint32_t i = 0; i < region->outer_writes.count; i++) {
        gm_symbol *symbol = region->outer_writes.items[i];
        if (symbol->binding != GM_BINDING_GLOBAL_EXPLICIT) {
            return (gm_refusal){"its code writes a variable that is not local to the function", plan->node};
        }
        gm_symbols_add(analysis->arena, &plan->globals, symbol);
    }
    return none;
}

static gm_refusal refusal_of_region(gm_analysis *analysis, gm_plan *plan, const gm_region *region) {
    static const struct {
        uint32_t trait;
        const char *reason;
    } traits[] = {
        {GM_REGION_ERROR, "its code could not be parsed"},
        {GM_REGION_SUPER, "its code calls `super()` or names `__class__`, which a nested function cannot"},
        {GM_REGION_LOCALS, "its code reads the local variables by name"},
        {GM_REGION_YIELD, "its code yields"},
        {GM_REGION_AWAIT, "its code awaits"},
        {GM_REGION_DELETE, "its code deletes something"},
    };
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        if ((region->traits & traits[i].trait) != 0) {
            return (gm_refusal){traits[i].reason, plan->node};
        }
    }
    return add_globals(analysis, plan, region);
}

/* Lists of variables are compared with one another, so that a limit keeps the time in proportion to the text. */
enum { MOST_DEEP = 200, MOST_VARIABLES = 1000 };

static gm_refusal refusal_of_many(const gm_plan *plan, uint32_t count) {
    return count > MOST_VARIABLES ? (gm_refusal){"it has too many variables", plan->node} : none;
}

static bool is_deleted(const gm_function *function, const gm_symbol *symbol) {
    const gm_cfg *cfg = function->cfg;
    return cfg->deleted != NULL && symbol->scope == cfg->scope && cfg->deleted[symbol->index];
}

/* A variable that a `del` somewhere deletes would have to be bound exactly as in the original, read or not. */
static gm_refusal refusal_of_deleted(gm_analysis *analysis, const gm_plan *plan, const gm_region *side) {
    for (uint32_t i = 0; i < side->writes.count; i++) {
        if (is_deleted(plan->function, side->writes.items[i])) {
            const char *name = side->writes.items[i]->name->text;
            return (gm_refusal){gm_analysis_text(analysis, "`%s` is deleted in the function", name), plan->node};
        }
    }
    return none;
}

static gm_symbol_list walrus_targets(gm_plan *plan) {
    if (plan->test == NULL) {
        return (gm_symbol_list){NULL, 0};
    }
    return gm_region_of_expression(plan->function, plan->test).certain;
}

/* A target that a side does not certainly assign is handed back as it came in. */
static void add_targets(gm_analysis *analysis, gm_plan *plan, const gm_region *side, const gm_region *other) {
    for (uint32_t i = 0; i < side->writes.count; i++) {
        gm_symbol *symbol = side->writes.items[i];
        gm_work(analysis->arena, side->certain.count + other->certain.count);
        if (!gm_is_live_after(plan->function, plan->statement, symbol)) {
            continue;
        }
        gm_symbols_add(analysis->arena, &plan->targets, symbol);
        if (!gm_symbols_have(&side->certain, symbol) || !gm_symbols_have(&other->certain, symbol)) {
            gm_symbols_add(analysis->arena, &plan->operands, symbol);
        }
    }
}

/* The `if` that is all of an `else`, as `elif` is. */
static const gm_node *next_of_chain(const gm_node *node) {
    const gm_list *orelse = node->kind == GM_KIND_If ? &gm_as_If(node)->orelse : NULL;
    return orelse != NULL && orelse->count == 1 && orelse->items[0]->kind == GM_KIND_If ? orelse->items[0] : NULL;
}

bool gm_sides_deep(const gm_site *site) {
    uint32_t depth = 0;
    for (const gm_place *place = site->place; place != NULL && depth <= MOST_DEEP; place = place->outer) {
        depth++;
    }
    for (const gm_node *node = next_of_chain(site->node); node != NULL && depth <= MOST_DEEP; node = next_of_chain(node)) {
        depth++;
    }
    return depth > MOST_DEEP;
}

const gm_node *gm_sides_try(const gm_site *site) {
    for (const gm_place *place = site->place; place != NULL; place = place->outer) {
        if (place->owner->kind == GM_KIND_Try || place->owner->kind == GM_KIND_TryStar) {
            return place->owner;
        }
    }
    return NULL;
}

gm_refusal gm_sides_branch(gm_analysis *analysis, gm_plan *plan) {
    gm_region then = gm_region_of(plan->function, plan->then.items, plan->then.count);
    gm_region orelse = gm_region_of(plan->function, plan->orelse.items, plan->orelse.count);
    gm_refusal refusal = refusal_of_region(analysis, plan, &then);
    refusal = refusal.reason != NULL ? refusal : refusal_of_region(analysis, plan, &orelse);
    uint32_t variables = then.inputs.count + then.writes.count + orelse.inputs.count + orelse.writes.count;
    refusal = refusal.reason != NULL ? refusal : refusal_of_many(plan, variables);
    refusal = refusal.reason != NULL ? refusal : refusal_of_deleted(analysis, plan, &then);
    refusal = refusal.reason != NULL ? refusal : refusal_of_deleted(analysis, plan, &orelse);
    if (refusal.reason != NULL) {
        return refusal;
    }
    plan->operands = plan->targets = (gm_symbol_list){NULL, 0};
    add_all(analysis->arena, &plan->operands, &then.inputs);
    add_all(analysis->arena, &plan->operands, &orelse.inputs);
    add_targets(analysis, plan, &then, &orelse);
    add_targets(analysis, plan, &orelse, &then);
    gm_symbol_list walrus = walrus_targets(plan);
    return gm_sides_bound(analysis, plan->function, plan->statement, &plan->operands, &walrus);
}

gm_refusal gm_sides_return(gm_analysis *analysis, gm_plan *plan) {
    gm_symbol_list live = gm_live_before(plan->function, plan->statement);
    if (live.count > MOST_VARIABLES) {
        return refusal_of_many(plan, live.count);
    }
    plan->operands = (gm_symbol_list){NULL, 0};
    add_all(analysis->arena, &plan->operands, &live);
    gm_symbol_list walrus = walrus_targets(plan);
    add_all(analysis->arena, &plan->operands, &walrus);
    for (const gm_place *place = plan->place; place != NULL; place = place->outer) {
        uint32_t first = place == plan->place ? place->index : place->index + 1;
        gm_region rest = gm_region_of(plan->function, place->list->items + first, place->list->count - first);
        gm_refusal refusal = refusal_of_region(analysis, plan, &rest);
        if (refusal.reason != NULL) {
            return refusal;
        }
    }
    return gm_sides_bound(analysis, plan->function, plan->statement, &plan->operands, &walrus);
}
