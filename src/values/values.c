/* Values of expressions and variables: rounds over the definitions of a function. */
#include "values/values.h"

#include <string.h>

#include "values/values_private.h"

enum {
    ROUND_LIMIT = 12,    /* behind it, what still changes is given up */
    DEPTH_LIMIT = 220,   /* of evaluations that nest, over all functions */
    BINDER_LIMIT = 12,   /* a module's variable with more bindings is unknown */
    JOIN_WORK = 8,
    EVALUATE_WORK = 32,
};

/* ---- What a file shares ---- */

static bool imports(const gm_flow *flow, const char *package) {
    size_t length = strlen(package);
    const gm_list *body = &flow->tree->module->body;
    for (uint32_t i = 0; i < body->count; i++) {
        const gm_node *node = body->items[i];
        if (node->kind == GM_KIND_ImportFrom && gm_as_ImportFrom(node)->module != NULL) {
            const char *module = gm_as_ImportFrom(node)->module->text;
            if (strncmp(module, package, length) == 0 && (module[length] == '\0' || module[length] == '.')) {
                return true;
            }
        }
        for (uint32_t k = 0; node->kind == GM_KIND_Import && k < gm_as_Import(node)->names.count; k++) {
            const char *module = gm_as_alias(gm_as_Import(node)->names.items[k])->name->text;
            if (strncmp(module, package, length) == 0 && (module[length] == '\0' || module[length] == '.')) {
                return true;
            }
        }
    }
    return false;
}

struct gm_values_shared *gm_values_shared_of(gm_flow *flow) {
    if (flow->hidden->values == NULL) {
        struct gm_values_shared *shared = GM_NEW(flow->arena, struct gm_values_shared);
        shared->torch = gm_names_find(flow->tree->names, "torch", 5) != NULL || imports(flow, "torch");
        shared->tensors = shared->torch && !imports(flow, "numpy") && !imports(flow, "pandas");
        flow->hidden->values = shared;
    }
    return flow->hidden->values;
}

/* ---- Values of expressions, kept ---- */

GM_MAP_FUNCTIONS(places, gm_memo_map, gm_memo_slot, const gm_node *, node, gm_hash_pointer, 32)

static void remember(gm_arena *arena, struct gm_environments *environments, const gm_node *node, gm_value value) {
    gm_memo_slot *slot = places_at(arena, &environments->places, node);
    if (slot->number == 0) {
        gm_vec_push(arena, &environments->memos, ((gm_value_memo){environments->round, value}));
        slot->number = environments->memos.count;
    } else {
        environments->memos.items[slot->number - 1] = (gm_value_memo){environments->round, value};
    }
}

static const gm_value_memo *remembered(const struct gm_environments *environments, const gm_node *node) {
    const gm_memo_slot *slot = places_find(&environments->places, node);
    const gm_value_memo *memo = slot == NULL ? NULL : &environments->memos.items[slot->number - 1];
    return memo != NULL && memo->round == environments->round ? memo : NULL;
}

static bool is_cheap(const gm_node *node) {
    return node->kind == GM_KIND_Constant || node->kind == GM_KIND_JoinedStr || node->kind == GM_KIND_Lambda;
}

gm_value gm_evaluate(gm_function *function, const gm_node *expression) {
    if (is_cheap(expression)) {
        return gm_evaluate_node(function, expression);
    }
    struct gm_environments *environments = gm_values_environments(function);
    const gm_value_memo *memo = remembered(environments, expression);
    if (memo != NULL) {
        return memo->value;
    }
    struct gm_values_shared *shared = gm_values_shared_of(function->flow);
    if (shared->depth >= DEPTH_LIMIT) {
        shared->put_off++;
        return gm_value_unknown(expression);
    }
    gm_work(function->flow->arena, EVALUATE_WORK);
    shared->depth++;
    uint32_t round = environments->round;
    /* Whoever comes back here, by `x = x + 1` in a module, finds nothing known. */
    remember(function->flow->arena, environments, expression, gm_value_unknown(expression));
    gm_value value = gm_evaluate_node(function, expression);
    shared->depth--;
    if (round == environments->round) {
        remember(function->flow->arena, environments, expression, value);
    }
    return value;
}

/* ---- Rounds ---- */

/* One round over the definitions; whether a value changed that had been read in the round: what came of it may change, too. */
static bool run_round(gm_function *function, struct gm_environments *environments, bool give_up) {
    bool changed = false;
    environments->round++;
    gm_work(function->flow->arena, (uint64_t)gm_reaching_count(environments->reaching) * JOIN_WORK);
    for (uint32_t i = 0; i < gm_reaching_count(environments->reaching); i++) {
        gm_value old = environments->values[i];
        gm_value new = gm_value_join(old, gm_evaluate_binder(function, gm_reaching_at(environments->reaching, i)->node));
        if (!gm_value_same(old, new)) {
            environments->values[i] = give_up ? gm_value_join(new, gm_value_unknown(new.evidence)) : new;
            changed = changed || environments->read_round[i] == environments->round;
        }
    }
    return changed;
}

/* The last round has found the values of many expressions. They are final unless something was not looked into that will be known later. */
static void run_rounds(gm_function *function, struct gm_environments *environments) {
    const struct gm_values_shared *shared = gm_values_shared_of(function->flow);
    uint32_t put_off = shared->put_off;
    uint32_t rounds = 0;
    while (run_round(function, environments, rounds >= ROUND_LIMIT) && rounds < 2 * ROUND_LIMIT) {
        rounds++;
    }
    for (uint32_t i = 0; rounds == 2 * ROUND_LIMIT && i < gm_reaching_count(environments->reaching); i++) {
        environments->values[i] = gm_value_make(GM_VALUE_MAYBE, GM_FORM_ANY, "it changes in a loop", environments->values[i].evidence);
    }
    environments->round += rounds == 2 * ROUND_LIMIT || shared->put_off != put_off;
}

/* A class is looked at before the functions in it, so that what they know of `self` does not depend on who asks first. */
static void look_at_class(gm_function *function) {
    const gm_scope *class_ = function->scope->owner_class;
    if (class_ != NULL) {
        gm_class_of(function->flow, class_->node);
    }
}

static struct gm_environments *new_environments(gm_function *function) {
    gm_arena *arena = function->flow->arena;
    struct gm_environments *environments = GM_NEW(arena, struct gm_environments);
    environments->busy = true;
    function->environments = environments;
    function->reaching = function->reaching != NULL ? function->reaching : gm_reaching_build(function);
    environments->reaching = function->reaching;
    uint32_t count = gm_reaching_count(environments->reaching);
    environments->values = GM_NEW_ARRAY(arena, gm_value, count);
    environments->read_round = GM_NEW_ARRAY(arena, uint32_t, count);
    environments->all = GM_NEW_ARRAY(arena, gm_value, function->scope->symbols.count);
    environments->all_round = GM_NEW_ARRAY(arena, uint32_t, function->scope->symbols.count);
    for (uint32_t i = 0; i < count; i++) {
        environments->values[i] = gm_value_no_path();
    }
    return environments;
}

struct gm_environments *gm_values_environments(gm_function *function) {
    if (function->environments != NULL) {
        return function->environments;
    }
    if (function->node->kind == GM_KIND_Module) {
        function->environments = GM_NEW(function->flow->arena, struct gm_environments);
        function->environments->known = true;
        return function->environments;
    }
    look_at_class(function);
    if (function->environments != NULL) {
        return function->environments;
    }
    struct gm_environments *environments = new_environments(function);
    run_rounds(function, environments);
    environments->busy = false;
    environments->known = true;
    return environments;
}

/* ---- Names ---- */

const gm_value_usage *gm_values_usage(gm_function *function, const gm_symbol *symbol) {
    struct gm_environments *environments = gm_values_environments(function);
    if (environments->usages == NULL) {
        environments->usages = gm_values_usages(function);
    }
    return &environments->usages[symbol->index];
}

/* What the uses of a variable add to its value. */
static gm_value use_evidence(gm_function *function, const gm_symbol *symbol, gm_value value) {
    if (value.class_ == GM_VALUE_UNKNOWN) {
        const gm_value_usage *usage = gm_values_usage(function, symbol);
        if (usage->reason != NULL && !usage->counts) {
            uint16_t traits = (uint16_t)(value.traits & GM_VALUE_LEAF_INPUT);
            value = gm_value_make(GM_VALUE_MAYBE, GM_FORM_ANY, usage->reason, usage->evidence);
            value.traits = (uint16_t)(traits | GM_VALUE_BY_USE);
        }
    } else if ((value.traits & GM_VALUE_FRESH) != 0 && gm_values_usage(function, symbol)->escapes) {
        value.traits &= (uint16_t)~GM_VALUE_FRESH;
    }
    return value;
}

/* The join over all definitions of a variable, kept for the round. */
static gm_value join_all(gm_function *function, const gm_symbol *symbol) {
    struct gm_environments *environments = function->environments;
    if (environments->all_round[symbol->index] == environments->round + 1) {
        return environments->all[symbol->index];
    }
    gm_value value = gm_value_no_path();
    for (uint32_t i = gm_reaching_first(environments->reaching, symbol); i != GM_DEFINITION_NONE;) {
        gm_work(function->flow->arena, JOIN_WORK);
        environments->read_round[i] = environments->round;
        value = gm_value_join(value, environments->values[i]);
        i = gm_reaching_at(environments->reaching, i)->next;
    }
    environments->all[symbol->index] = value;
    environments->all_round[symbol->index] = environments->round + 1;
    return value;
}

static gm_value join_definitions(gm_function *function, const gm_symbol *symbol, gm_definition_list list) {
    struct gm_environments *environments = function->environments;
    if (list.all) {
        return join_all(function, symbol);
    }
    gm_work(function->flow->arena, (uint64_t)list.count * JOIN_WORK);
    gm_value value = gm_value_no_path();
    for (uint32_t i = 0; i < list.count; i++) {
        environments->read_round[list.items[i]] = environments->round;
        value = gm_value_join(value, environments->values[list.items[i]]);
    }
    return value;
}

/* A variable of this function, read here or in a comprehension or lambda inside it. */
static gm_value value_of_local(gm_function *function, const gm_symbol *symbol, const gm_node *name) {
    struct gm_environments *environments = gm_values_environments(function);
    if (environments->reaching == NULL) {
        return gm_value_unknown(name);
    }
    gm_definition_list list = {NULL, 0, false};
    bool read = gm_reaching_of_use(environments->reaching, name, &list);
    gm_value value = read ? join_definitions(function, symbol, list) : join_all(function, symbol);
    value = use_evidence(function, symbol, value);
    bool other = gm_value_has_tensor(value) && gm_value_ruled_out(function, gm_values_usage(function, symbol), name);
    return other ? gm_value_python(GM_FORM_ANY, "it is asked whether it is a tensor", name) : value;
}

/* A variable of a function around. */
static gm_value value_of_outer(gm_function *function, const gm_symbol *owner, const gm_node *name) {
    gm_function *outer = gm_flow_function(function->flow, owner->scope->node);
    struct gm_environments *environments = gm_values_environments(outer);
    if (!environments->known || environments->reaching == NULL) {
        gm_values_shared_of(function->flow)->put_off++;
        return gm_value_unknown(name);
    }
    gm_value value = use_evidence(outer, owner, join_all(outer, owner));
    value.traits &= (uint16_t)~(GM_VALUE_FRESH | GM_VALUE_LEAF_INPUT);
    return value;
}

/* A variable of the module, or a target of a comprehension: what its binders say, in whatever order they run. */
static gm_value value_of_binders(gm_function *function, const gm_symbol *owner, const gm_node *name) {
    if (owner->binders.count == 0 || owner->binders.count > BINDER_LIMIT ||
        ((owner->flags & GM_SYMBOL_OUTSIDE) != 0 && owner->scope->kind == GM_SCOPE_MODULE)) {
        return gm_value_unknown(name);
    }
    gm_value value = gm_value_no_path();
    for (uint32_t i = 0; i < owner->binders.count; i++) {
        value = gm_value_join(value, gm_evaluate_binder(function, owner->binders.items[i]));
    }
    value.traits &= (uint16_t)~GM_VALUE_FRESH;
    return value;
}

gm_value gm_evaluate_name(gm_function *function, const gm_node *name) {
    const gm_scopes *scopes = function->flow->scopes;
    const gm_symbol *symbol = gm_scopes_symbol(scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(scopes, symbol);
    if (owner == NULL) {
        return gm_value_unknown(name);
    }
    if (owner->scope->kind == GM_SCOPE_MODULE) {
        return value_of_binders(gm_flow_function(function->flow, &function->flow->tree->module->base), owner, name);
    }
    if (owner->scope->kind != GM_SCOPE_FUNCTION) {
        return gm_value_unknown(name);
    }
    if (owner->scope == function->scope) {
        return value_of_local(function, owner, name);
    }
    if (gm_is_comprehension(owner->scope->node)) {
        return owner->binders.count == 0 ? gm_value_unknown(name) : value_of_binders(function, owner, name);
    }
    bool inside = gm_scope_frame(owner->scope) == owner->scope && owner->scope->node->start >= function->node->start &&
                  owner->scope->node->end <= function->node->end && function->node->kind != GM_KIND_Module;
    return inside ? gm_value_unknown(name) : value_of_outer(function, owner, name);
}

/* ---- Questions ---- */

gm_value gm_value_of(gm_function *function, const gm_node *expression) {
    return gm_value_finish(gm_evaluate(function, expression), expression);
}

gm_value gm_value_before(gm_function *function, const gm_node *statement, const gm_symbol *symbol) {
    struct gm_environments *environments = gm_values_environments(function);
    gm_definition_list list = {NULL, 0, false};
    if (environments->reaching == NULL || symbol->scope != function->scope ||
        !gm_reaching_before(environments->reaching, statement, symbol, &list)) {
        return gm_value_unknown(statement);
    }
    return gm_value_finish(use_evidence(function, symbol, join_definitions(function, symbol, list)), statement);
}

const gm_node *gm_reaching_definition(gm_function *function, const gm_node *use) {
    if (function->node->kind == GM_KIND_Module) {
        return NULL;
    }
    gm_definition_list list = {NULL, 0, false};
    gm_reaching *reaching = gm_values_environments(function)->reaching;
    if (!gm_reaching_of_use(reaching, use, &list)) {
        return NULL;
    }
    if (list.all) {
        uint32_t first = gm_reaching_first(reaching, gm_scopes_symbol(function->flow->scopes, use));
        const gm_definition *only = first == GM_DEFINITION_NONE ? NULL : gm_reaching_at(reaching, first);
        return only == NULL || only->next != GM_DEFINITION_NONE ? NULL : only->node;
    }
    return list.count == 1 ? gm_reaching_at(reaching, list.items[0])->node : NULL;
}
