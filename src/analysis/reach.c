#include "analysis/reach.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/callees.h"
#include "analysis/eager_only.h"
#include "analysis/methods.h"
#include "analysis/untraced.h"
#include "base/table.h"
#include "flow/walk.h"

typedef struct gm_reached {
    const gm_node *definition;
    uint32_t calls;
    uint32_t last; /* index in `sites` of the newest call, plus 1; 0: none */
    bool open;     /* by something else in the file than the calls in `sites` */
    bool entered;  /* from other files */
    bool untraced; /* called, and Python's alone */
} reached;

/* A call that certainly calls a definition. */
typedef struct call_site {
    gm_function *function;
    const gm_node *call;
    uint32_t before; /* as `last` */
} call_site;

struct gm_reach {
    GM_VEC(reached) found;
    gm_table by_definition; /* index in `found` */
    gm_table by_name;       /* index in `outgoing` of what is called, and of what is applied */
    GM_VEC(reached) waiting; /* by weaker evidence: they come when the others are done */
    GM_VEC(call_site) waiting_sites; /* calls of inherited methods by `self`, in `before` the index in `waiting` */
    uint32_t sure; /* how many of the first that were found are reached for sure */
    gm_outgoing_list outgoing;
    GM_VEC(call_site) sites;
    uint32_t looked; /* how many of them gm_reach_all_calls has looked at */
    bool weaker; /* only those by weaker evidence are left */
    bool entering; /* what other files call is being added */
    uint32_t wrappers; /* defs that find_wrappers has come by */
    gm_table values;   /* names of attributes of `self` that are read and not called, when `has_values` */
    bool has_values;
};

typedef struct reaching {
    gm_analysis *analysis;
    gm_function *function; /* whose body is read */
    const gm_node *called; /* by the call that was read last */
} reaching;

/* The index of a definition, or the number of definitions when it is not reached. */
static uint32_t index_of(const struct gm_reach *reach, const gm_node *definition) {
    uint32_t at = gm_table_find(&reach->by_definition, gm_table_pointer(definition));
    return at == GM_TABLE_NONE ? reach->found.count : at;
}

static void add(gm_analysis *analysis, const gm_node *definition, uint32_t calls) {
    uint32_t at = index_of(analysis->reach, definition);
    if (definition != NULL && at == analysis->reach->found.count) {
        gm_vec_push(analysis->arena, &analysis->reach->found,
                    ((reached){definition, 0, 0, false, false, gm_is_untraced(analysis->flow, definition)}));
        gm_table_put(&analysis->reach->by_definition, analysis->arena, gm_table_pointer(definition), at);
    }
    if (definition != NULL) {
        analysis->reach->found.items[at].calls += calls;
        bool *how = analysis->reach->entering ? &analysis->reach->found.items[at].entered : &analysis->reach->found.items[at].open;
        *how = true;
    }
}

static void add_call(gm_analysis *analysis, const gm_node *definition, gm_function *function, const gm_node *call) {
    uint32_t at = index_of(analysis->reach, definition);
    bool open = at < analysis->reach->found.count && analysis->reach->found.items[at].open;
    add(analysis, definition, 1);
    reached *called = &analysis->reach->found.items[at];
    call_site site = {function, call, called->last};
    gm_vec_push(analysis->arena, &analysis->reach->sites, site);
    called->open = open;
    called->last = analysis->reach->sites.count;
}

/* A call by `self` of a method that a base has: a class below may have another one, as if another file called it. */
static void add_inherited(gm_analysis *analysis, const gm_node *definition, gm_function *function, const gm_node *call) {
    struct gm_reach *reach = analysis->reach;
    uint32_t at = index_of(reach, definition);
    bool open = at < reach->found.count && reach->found.items[at].open;
    add_call(analysis, definition, function, call);
    reach->found.items[at].open = open;
    reach->found.items[at].entered = true;
}

static void add_weaker(gm_analysis *analysis, const gm_node *definition, uint32_t calls) {
    if (analysis->reach->weaker) {
        add(analysis, definition, calls);
    } else if (definition != NULL) {
        gm_vec_push(analysis->arena, &analysis->reach->waiting, ((reached){definition, calls, 0, true, false, false}));
    }
}

static void add_outgoing(gm_analysis *analysis, const gm_name *name, bool applied, uint32_t calls) {
    gm_outgoing_list *outgoing = &analysis->reach->outgoing;
    uint64_t key = gm_table_pointer(name) << 1 | applied;
    uint32_t at = gm_table_find(&analysis->reach->by_name, key);
    if (at != GM_TABLE_NONE) {
        outgoing->items[at].calls += calls;
        return;
    }
    gm_table_put(&analysis->reach->by_name, analysis->arena, key, outgoing->count);
    gm_vec_push(analysis->arena, outgoing, ((gm_outgoing){name, applied, calls}));
}

/* ---- Callees ---- */

/* The def that a global or local name certainly stands for. */
static const gm_node *definition_of_name(gm_analysis *analysis, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(analysis->flow->scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    if (owner == NULL || owner->binders.count != 1 || !gm_is_def(owner->binders.items[0])) {
        return NULL;
    }
    return owner->binders.items[0];
}

static bool is_of_self(const gm_node *node) {
    const gm_node *object = node->kind == GM_KIND_Attribute ? gm_as_Attribute(node)->value : NULL;
    return object != NULL && object->kind == GM_KIND_Name && gm_name_is(gm_as_Name(object)->id, "self");
}

/* The method that `self.NAME` is, or NULL. */
static const gm_node *method_of_self(gm_analysis *analysis, gm_function *function, const gm_node *node) {
    if (!is_of_self(node)) {
        return NULL;
    }
    const gm_node *class_def = gm_class_definition_around(function);
    return class_def == NULL ? NULL : gm_method_of_class(analysis, class_def, gm_as_Attribute(node)->attr);
}

const gm_node *gm_reach_callee(gm_analysis *analysis, gm_function *function, const gm_node *call) {
    const gm_node *callee = gm_as_Call(call)->func;
    return callee->kind == GM_KIND_Name ? definition_of_name(analysis, callee) : method_of_self(analysis, function, callee);
}

/* ---- Roots ---- */

static bool has_name(const gm_tree *tree, const char *name) {
    return gm_names_find(tree->names, name, strlen(name)) != NULL;
}

/* Whether `torch.compile` can be named: `torch` is imported, or something is imported from it. */
static bool may_name_compile(const gm_tree *tree) {
    return has_name(tree, "compile") && has_name(tree, "torch");
}

static bool names_compile(gm_analysis *analysis, const gm_node *expression) {
    const gm_node *callee = expression->kind == GM_KIND_Call ? gm_as_Call(expression)->func : expression;
    bool may = callee->kind != GM_KIND_Attribute || gm_name_is(gm_as_Attribute(callee)->attr, "compile");
    return may && gm_flow_names(analysis->flow, callee, "torch.compile");
}

static bool is_forward(const gm_node *node) {
    return gm_is_def(node) && gm_name_is(gm_def_name(node), "forward");
}

static bool has_no_forward(const gm_node *node, void *context) {
    const gm_list *body = node->kind == GM_KIND_ClassDef ? &gm_as_ClassDef(node)->body : NULL;
    for (uint32_t i = 0; body != NULL && i < body->count; i++) {
        if (is_forward(body->items[i])) {
            return false;
        }
    }
    return !gm_holds_statements(node) || gm_node_children(node, has_no_forward, context);
}

bool gm_reach_is_possible(const gm_tree *tree) {
    return may_name_compile(tree) || (has_name(tree, "forward") && !gm_node_children(&tree->module->base, has_no_forward, NULL));
}

/* What `apply` of a `torch.autograd.Function` calls, in the forward pass and in the backward pass. */
static void add_passes(gm_analysis *analysis, const gm_list *body) {
    static const char *const passes[] = {"forward", "setup_context", "backward", NULL};
    for (uint32_t i = 0; i < body->count; i++) {
        if (gm_is_def(body->items[i]) && gm_text_in(gm_def_name(body->items[i])->text, passes)) {
            add(analysis, body->items[i], 0);
        }
    }
}

/* What a class is takes longer to find out than whether it has the method. */
static void add_methods(gm_analysis *analysis, const gm_node *class_def) {
    const gm_list *body = &gm_as_ClassDef(class_def)->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (!is_forward(body->items[i])) {
            continue;
        }
        if (gm_class_is_module(analysis->flow, class_def)) {
            add(analysis, body->items[i], 0);
        } else if (gm_class_is_autograd_function(analysis->flow, class_def)) {
            add_passes(analysis, body);
        } else if (gm_callee_has_outer_base(analysis, class_def)) {
            add_weaker(analysis, body->items[i], 0);
        }
    }
}

/* `compile` is named in calls and decorators alone; where nothing has that name, expressions need not be read. */
static bool find_roots(const gm_node *node, void *context) {
    gm_analysis *analysis = context;
    if (!analysis->names_compile && !gm_holds_statements(node)) {
        return true;
    }
    if (gm_is_def(node)) {
        const gm_list *decorators = gm_def_decorators(node);
        for (uint32_t i = 0; i < decorators->count; i++) {
            if (names_compile(analysis, decorators->items[i])) {
                add(analysis, node, 0);
            }
        }
    } else if (node->kind == GM_KIND_ClassDef) {
        add_methods(analysis, node);
    } else if (node->kind == GM_KIND_Call && names_compile(analysis, node) && gm_as_Call(node)->args.count > 0 &&
               gm_as_Call(node)->args.items[0]->kind == GM_KIND_Name) {
        add(analysis, definition_of_name(analysis, gm_as_Call(node)->args.items[0]), 0);
    }
    return gm_node_children(node, find_roots, context);
}

/* ---- What they call ---- */

static void add_callee(gm_analysis *analysis, gm_callee callee, bool applied, uint32_t calls) {
    if (callee.definition != NULL) {
        add_weaker(analysis, callee.definition, calls);
    } else if (callee.outside != NULL) {
        add_outgoing(analysis, callee.outside, applied, calls);
    }
}

static void wait_for_inherited(reaching *state, const gm_node *definition, const gm_node *call) {
    struct gm_reach *reach = state->analysis->reach;
    if (reach->weaker) {
        add_inherited(state->analysis, definition, state->function, call);
    } else {
        call_site site = {state->function, call, reach->waiting.count};
        gm_vec_push(state->analysis->arena, &reach->waiting_sites, site);
        add_weaker(state->analysis, definition, 1);
    }
}

static void follow_call(reaching *state, const gm_node *call) {
    const gm_node *sure = gm_reach_callee(state->analysis, state->function, call);
    if (sure != NULL) {
        add_call(state->analysis, sure, state->function, call);
    } else if (call->start >= state->function->node->start) { /* decorators come by themselves */
        gm_callee callee = gm_callee_of(state->analysis, state->function, call);
        if (callee.definition != NULL && is_of_self(gm_as_Call(call)->func)) {
            wait_for_inherited(state, callee.definition, call);
        } else {
            add_callee(state->analysis, callee, false, 1);
        }
    }
}

/* A method that is a value may be called later. */
static void follow_attribute(reaching *state, const gm_node *node) {
    const gm_node *method = node == state->called ? NULL : method_of_self(state->analysis, state->function, node);
    if (method != NULL && gm_def_decorators(method)->count == 0) { /* not a property */
        add_weaker(state->analysis, method, 0);
    }
}

static void follow_table(gm_callee callee, void *context) {
    add_callee(context, callee, false, 0);
}

static bool follow(const gm_node *node, void *context);

/* What stands in a block that the compiler passes by is not called. */
static bool follow_branch(reaching *state, const gm_If *branch) {
    const gm_list *left_out = gm_eager_only_block(state->analysis->flow, branch);
    const gm_list *blocks[] = {&branch->body, &branch->orelse};
    follow(branch->test, state);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        for (uint32_t k = 0; blocks[i] != left_out && k < blocks[i]->count; k++) {
            follow(blocks[i]->items[k], state);
        }
    }
    return true;
}

static bool follow(const gm_node *node, void *context) {
    reaching *state = context;
    if (node->kind == GM_KIND_If) {
        return follow_branch(state, gm_as_If(node));
    }
    if (gm_is_def(node)) {
        add(state->analysis, node, 0);
        return true;
    }
    if (node->kind == GM_KIND_Call || node->kind == GM_KIND_Subscript) {
        add_callee(state->analysis, gm_callee_of_table(state->analysis, node), false, 0);
        gm_callees_in_table(state->analysis, node, follow_table, state->analysis);
    }
    if (node->kind == GM_KIND_Call) {
        follow_call(state, node);
        state->called = gm_as_Call(node)->func;
    } else if (node->kind == GM_KIND_Attribute) {
        follow_attribute(state, node);
    } else if (node->kind == GM_KIND_Name && gm_as_Name(node)->ctx == GM_LOAD) { /* it may be called later */
        add_weaker(state->analysis, definition_of_name(state->analysis, node), 0);
    }
    return gm_node_children(node, follow, context);
}

/* ---- Decorators ---- */

/* The defs inside of a decorator that hold no others: one of them is what it returns. */
static bool find_wrappers(const gm_node *node, void *context) {
    gm_analysis *analysis = context;
    if (gm_is_def(node)) {
        uint32_t before = analysis->reach->wrappers;
        gm_node_children(node, find_wrappers, context);
        if (analysis->reach->wrappers == before) {
            add_weaker(analysis, node, 1);
        }
        analysis->reach->wrappers++;
        return true;
    }
    return gm_node_children(node, find_wrappers, context);
}

static void add_applied(gm_analysis *analysis, gm_callee callee) {
    if (callee.definition != NULL) {
        gm_node_children(callee.definition, find_wrappers, analysis);
    } else {
        add_callee(analysis, callee, true, 1);
    }
}

static void follow_decorators(gm_analysis *analysis, const gm_node *definition) {
    const gm_list *decorators = gm_def_decorators(definition);
    for (uint32_t i = 0; i < decorators->count; i++) {
        add_applied(analysis, gm_callee_of_decorator(analysis, decorators->items[i]));
    }
}

/* ---- What other files call here ---- */

typedef struct gm_entering {
    gm_analysis *analysis;
    bool applied;
    uint32_t calls;
} entering;

static void enter(gm_callee callee, void *context) {
    const entering *state = context;
    if (state->applied) {
        add_applied(state->analysis, callee);
    } else {
        add_callee(state->analysis, callee, false, state->calls);
    }
}

/* Lines of "NAME CALLS" or "@NAME CALLS". */
static void add_entrances(gm_analysis *analysis, const char *at) {
    while (at != NULL && *at != '\0') {
        entering state = {analysis, *at == '@', 0};
        at += state.applied;
        size_t length = strcspn(at, " ");
        state.calls = (uint32_t)strtoul(at + length, NULL, 10);
        gm_callees_of_name(analysis, at, length, enter, &state);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
}

/* ---- The whole ---- */

static void follow_from(gm_analysis *analysis, uint32_t first) {
    for (uint32_t i = first; i < analysis->reach->found.count; i++) {
        const gm_node *definition = analysis->reach->found.items[i].definition;
        reaching state = {analysis, gm_flow_function(analysis->flow, definition), NULL};
        if (state.function != NULL && !analysis->reach->found.items[i].untraced) {
            follow_decorators(analysis, definition);
            gm_node_children(definition, follow, &state);
        }
    }
}

static void add_waiting(gm_analysis *analysis) {
    struct gm_reach *reach = analysis->reach;
    for (uint32_t i = 0, next = 0; i < reach->waiting.count; i++) {
        bool inherited = next < reach->waiting_sites.count && reach->waiting_sites.items[next].before == i;
        if (inherited) {
            const call_site site = reach->waiting_sites.items[next++];
            add_inherited(analysis, reach->waiting.items[i].definition, site.function, site.call);
        } else {
            add(analysis, reach->waiting.items[i].definition, reach->waiting.items[i].calls);
        }
    }
}

static void run(gm_analysis *analysis) {
    struct gm_reach *reach = analysis->reach = GM_NEW(analysis->arena, struct gm_reach);
    if (analysis->flow == NULL) {
        return;
    }
    analysis->names_compile = may_name_compile(analysis->tree);
    gm_node_children(&analysis->tree->module->base, find_roots, analysis);
    follow_from(analysis, 0);
    reach->sure = reach->found.count;
    reach->weaker = true;
    add_waiting(analysis);
    reach->entering = true;
    add_entrances(analysis, analysis->entrances);
    reach->entering = false;
    follow_from(analysis, reach->sure);
}

static const struct gm_reach *reach_of(gm_analysis *analysis) {
    if (analysis->reach == NULL) {
        run(analysis);
    }
    return analysis->reach;
}

/* Whether it is traced, and one of the first `count` that were found. */
static bool is_among(const struct gm_reach *reach, const gm_node *definition, uint32_t count) {
    uint32_t at = index_of(reach, definition);
    return at < count && !reach->found.items[at].untraced;
}

bool gm_reach_has(gm_analysis *analysis, const gm_node *definition) {
    const struct gm_reach *reach = reach_of(analysis);
    return is_among(reach, definition, reach->found.count);
}

bool gm_reach_has_surely(gm_analysis *analysis, const gm_node *definition) {
    const struct gm_reach *reach = reach_of(analysis);
    return is_among(reach, definition, reach->sure);
}

/* What is known of a definition, or NULL where nothing reaches it. */
static const reached *find_reached(gm_analysis *analysis, const gm_node *definition) {
    const struct gm_reach *reach = reach_of(analysis);
    uint32_t at = index_of(reach, definition);
    return at < reach->found.count ? &reach->found.items[at] : NULL;
}

uint32_t gm_reach_callers(gm_analysis *analysis, const gm_node *definition) {
    const reached *found = find_reached(analysis, definition);
    return found != NULL ? found->calls : 0;
}

bool gm_reach_each_call(gm_analysis *analysis, const gm_node *definition,
                        bool (*visit)(gm_function *function, const gm_node *call, void *context), void *context) {
    enum { MOST_LOOKED = 100000 }; /* calls in a file: time stays in proportion to it */
    const reached *found = find_reached(analysis, definition);
    struct gm_reach *reach = analysis->reach;
    bool all = found != NULL && found->last > 0;
    for (uint32_t i = all ? found->last : 0; all && i > 0; i = reach->sites.items[i - 1].before) {
        const call_site site = reach->sites.items[i - 1];
        all = ++reach->looked < MOST_LOOKED && visit(site.function, site.call, context);
    }
    return all;
}

bool gm_reach_all_calls(gm_analysis *analysis, const gm_node *definition,
                        bool (*visit)(gm_function *function, const gm_node *call, void *context), void *context) {
    const reached *found = find_reached(analysis, definition);
    return found != NULL && !found->open && !found->entered && gm_reach_each_call(analysis, definition, visit, context);
}

static bool find_values(const gm_node *node, const gm_node *parent, void *context) {
    gm_analysis *analysis = context;
    if (is_of_self(node) && !(parent->kind == GM_KIND_Call && gm_as_Call(parent)->func == node)) {
        gm_table_put(&analysis->reach->values, analysis->arena, gm_table_pointer(gm_as_Attribute(node)->attr), 1);
    }
    return true;
}

/* Whether a method may be handed on by a class below. */
static bool is_value(gm_analysis *analysis, const gm_node *definition) {
    if (!analysis->reach->has_values) {
        analysis->reach->has_values = true;
        gm_walk(analysis->arena, &analysis->tree->module->base, find_values, analysis);
    }
    return gm_table_find(&analysis->reach->values, gm_table_pointer(gm_def_name(definition))) != GM_TABLE_NONE;
}

bool gm_reach_own_calls(gm_analysis *analysis, const gm_node *definition,
                        bool (*visit)(gm_function *function, const gm_node *call, void *context), void *context) {
    const reached *found = find_reached(analysis, definition);
    bool closed = found != NULL && !found->open && !is_value(analysis, definition);
    return closed && ((found->last == 0 && found->entered) || gm_reach_each_call(analysis, definition, visit, context));
}

const gm_outgoing_list *gm_reach_outgoing(gm_analysis *analysis) {
    return &reach_of(analysis)->outgoing;
}
