#include "rules/defer.h"

#include <string.h>

#include "analysis/effects.h"
#include "analysis/recorded.h"
#include "analysis/sides.h"
#include "analysis/tests.h"
#include "flow/torch_facts.h"
#include "rules/bound_reads.h"
#include "rules/changing_objects.h"
#include "rules/kept_tensors.h"
#include "rules/own_reads.h"
#include "rules/rule.h"
#include "rules/shape_calls.h"

/* Captures are compared with one another, so that a limit keeps the time in proportion to the text. */
enum { MOST_CAPTURES = 256 };

static const gm_refusal none = {NULL, NULL};

const gm_Call *gm_defer_call(const gm_site *site) {
    if (site->node->kind != GM_KIND_Expr || gm_as_Expr(site->node)->value->kind != GM_KIND_Call) {
        return NULL;
    }
    return gm_as_Call(gm_as_Expr(site->node)->value);
}

const gm_Call *gm_defer_none_call(const gm_site *site) {
    return site->node->kind == GM_KIND_Call ? gm_as_Call(site->node) : gm_defer_call(site);
}

/* ---- Where ---- */

/* A class or function of this file, or a method of `self`: tracing sees all that it does. */
static bool is_of_file(gm_analysis *analysis, const gm_node *callee) {
    if (callee->kind == GM_KIND_Attribute) {
        const gm_node *value = gm_as_Attribute(callee)->value;
        return value->kind == GM_KIND_Name && gm_name_is(gm_as_Name(value)->id, "self");
    }
    const gm_symbol *symbol = callee->kind == GM_KIND_Name ? gm_scopes_symbol(analysis->flow->scopes, callee) : NULL;
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    const gm_node *binder = owner != NULL && owner->binders.count == 1 ? owner->binders.items[0] : NULL;
    return binder != NULL && (binder->kind == GM_KIND_ClassDef || binder->kind == GM_KIND_FunctionDef);
}

static const char *const open_contexts[] = {"contextlib.nullcontext",     "contextlib.suppress",        "contextlib.ExitStack",
                                            "contextlib.redirect_stdout", "contextlib.redirect_stderr", "io.StringIO",
                                            "warnings.catch_warnings"};

static bool is_known_context(const gm_name *name) {
    bool known = name != NULL && strncmp(name->text, "torch.", 6) == 0;
    for (size_t i = 0; name != NULL && i < sizeof open_contexts / sizeof open_contexts[0]; i++) {
        known = known || strcmp(name->text, open_contexts[i]) == 0;
    }
    return known;
}

/* A context manager may look at what is printed, raised or logged in it: those of torch are known not to, and tracing puts some of Python's
 * behind the graph. Whether those of the program do, tracing finds out. */
static bool is_open_context(gm_analysis *analysis, const gm_With *with) {
    for (uint32_t i = 0; i < with->items.count; i++) {
        const gm_node *manager = gm_as_withitem(with->items.items[i])->context_expr;
        const gm_node *callee = manager->kind == GM_KIND_Call ? gm_as_Call(manager)->func : NULL;
        const gm_name *name = callee == NULL ? NULL : gm_flow_qualified(analysis->flow, callee);
        if (name != NULL && !is_known_context(name) && !is_of_file(analysis, callee)) {
            return false;
        }
    }
    return true;
}

gm_refusal gm_defer_context(gm_analysis *analysis, const gm_site *site) {
    for (const gm_place *place = site->place; place != NULL; place = place->outer) {
        if (place->owner->kind == GM_KIND_With && !is_open_context(analysis, gm_as_With(place->owner))) {
            return (gm_refusal){"it stands in a context manager that may act on it", place->owner};
        }
    }
    return none;
}

/* ---- What is kept ---- */

typedef struct gm_capturing {
    gm_analysis *analysis;
    gm_function *function;
    GM_VEC(gm_capture) captures;
    gm_refusal refusal;
    bool names_only;    /* in an f-string that shows the text of its expressions */
    bool numbers;       /* in a call that only reads the numbers in a tensor */
    bool length;        /* it is the argument of `len`, asked for later */
    const gm_node *own;   /* read when the effect happens: what a record writes to; or NULL */
    const gm_node *whole; /* what happens later */
    const gm_node *carried; /* what the method is called on that happens later, or NULL */
    uint32_t computed;      /* where the first expression ends that is computed later: what is called behind it must not be noticed */
    bool watched;           /* there is such a call */
    bool live;              /* every part is evaluated where the statement stands */
    gm_list keys;           /* evaluated as wholes, where the statement stands */
} capturing;

/* `type(x)` and `len(x)`: the argument; NULL for others. The length of what is recorded into is asked for later, like what it holds. */
static const gm_node *described(const capturing *state, const gm_node *node) {
    gm_flow *flow = state->analysis->flow;
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->args.count != 1 || gm_as_Call(node)->keywords.count > 0) {
        return NULL;
    }
    const gm_node *callee = gm_as_Call(node)->func;
    const gm_node *argument = gm_as_Call(node)->args.items[0];
    if (gm_flow_names(flow, callee, "builtins.len")) {
        return gm_recorded(state->analysis, state->function, argument) ? NULL : argument;
    }
    return gm_flow_names(flow, callee, "builtins.type") && !gm_recorded_plain(state->analysis, state->function, argument) ? argument : NULL;
}

/* `args[0]`, `table["loss"]`, `sizes[-1]`: what is indexed; NULL for others. */
static const gm_node *indexed(const gm_node *node) {
    if (node->kind != GM_KIND_Subscript) {
        return NULL;
    }
    const gm_node *index = gm_as_Subscript(node)->slice;
    index = index->kind == GM_KIND_UnaryOp ? gm_as_UnaryOp(index)->operand : index;
    return index->kind == GM_KIND_Constant ? gm_as_Subscript(node)->value : NULL;
}

/* ---- What is called where it stands ---- */

static bool is_called(const capturing *state, const gm_node *node) {
    return node->kind == GM_KIND_Call && node != state->carried && gm_effects_in_place(state->analysis, state->function, node);
}

typedef struct gm_called_question {
    const capturing *state;
    bool found;
} called_question;

static bool find_called(const gm_node *node, void *context) {
    called_question *asked = context;
    asked->found = is_called(asked->state, node);
    return !asked->found && gm_node_children(node, find_called, context);
}

static bool holds_call(const capturing *state, const gm_node *node) {
    called_question asked = {state, false};
    find_called(node, &asked);
    return asked.found;
}

static bool find_object(const gm_node *node, void *context) {
    called_question *asked = context;
    bool named = node->kind == GM_KIND_Name || node->kind == GM_KIND_Attribute;
    asked->found = named && gm_object_may_change(asked->state->function, node);
    return !asked->found && (named || gm_node_children(node, find_object, context));
}

static const gm_list *generators_of(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_ListComp: return &gm_as_ListComp(node)->generators;
    case GM_KIND_SetComp: return &gm_as_SetComp(node)->generators;
    case GM_KIND_DictComp: return &gm_as_DictComp(node)->generators;
    case GM_KIND_GeneratorExp: return &gm_as_GeneratorExp(node)->generators;
    default: return NULL;
    }
}

/* `[layer.scale for layer in self.layers]`: what it asks objects for has to be asked now. */
static bool asks_objects(const capturing *state, const gm_node *node) {
    const gm_list *generators = generators_of(node);
    called_question asked = {state, false};
    for (uint32_t i = 0; generators != NULL && i < generators->count && !asked.found; i++) {
        find_object(gm_as_comprehension(generators->items[i])->iter, &asked);
    }
    return asked.found;
}

/* `sum(self.f(x) for x in y)`: the generator runs while the call does. */
static bool runs_generator(const capturing *state, const gm_node *node) {
    for (uint32_t i = 0; node->kind == GM_KIND_Call && i < gm_as_Call(node)->args.count; i++) {
        const gm_node *argument = gm_as_Call(node)->args.items[i];
        if (argument->kind == GM_KIND_GeneratorExp && (holds_call(state, argument) || asks_objects(state, argument))) {
            return true;
        }
    }
    return false;
}

/* `self.best is self.last`, which kept copies cannot tell. */
static bool asks_identity(const gm_node *node) {
    const gm_Compare *compare = node->kind == GM_KIND_Compare ? gm_as_Compare(node) : NULL;
    for (uint32_t i = 0; compare != NULL && i < compare->ops.count; i++) {
        bool identity = compare->ops.items[i] == GM_OP_Is || compare->ops.items[i] == GM_OP_IsNot;
        if (identity && compare->comparators.items[i]->kind != GM_KIND_Constant && compare->left->kind != GM_KIND_Constant) {
            return true;
        }
    }
    return false;
}

/* Whether an expression is kept as a whole because of a call in it: the call, what is asked of its result at once, or what decides
 * whether it is made. */
static bool is_kept_call(const capturing *state, const gm_node *node) {
    for (;;) {
        const gm_node *argument = described(state, node);
        argument = argument != NULL ? argument : indexed(node);
        if (argument != NULL) {
            node = argument;
        } else if (node->kind == GM_KIND_Attribute) {
            node = gm_as_Attribute(node)->value;
        } else if (node->kind == GM_KIND_Call && gm_is_shape_call(gm_as_Call(node))) {
            node = gm_as_Attribute(gm_as_Call(node)->func)->value;
        } else {
            break;
        }
    }
    return is_called(state, node) || runs_generator(state, node) || (gm_is_conditional(node) && holds_call(state, node)) ||
           asks_objects(state, node) || gm_object_is_copied(state->analysis, state->function, node) || asks_identity(node);
}

/* ---- What is kept, by name ---- */

/* `metrics["loss"]`: no tensor has such keys, and the container may be of any class. */
static bool has_text_key(const gm_node *node) {
    return gm_is_text(gm_as_Subscript(node)->slice);
}

/* The name at the root of a chain of attributes, constant indices and calls that tell nothing but facts: `x` of `x.weight.size(0)`,
 * `x[0].shape` and `type(x).__name__`; NULL when it is no such chain. */
static const gm_node *chain_root(const capturing *state, const gm_node *node) {
    if (node->kind == GM_KIND_Subscript && !(state->numbers && has_text_key(node))) {
        return NULL; /* an item by itself may be a tensor, which shows how it was made */
    }
    for (;;) {
        const gm_node *argument = described(state, node);
        argument = argument != NULL || state->names_only ? argument : indexed(node);
        if (argument != NULL) {
            node = argument;
        } else if (node->kind == GM_KIND_Attribute) {
            node = gm_as_Attribute(node)->value;
        } else if (node->kind == GM_KIND_Call && gm_is_shape_call(gm_as_Call(node))) {
            node = gm_as_Attribute(gm_as_Call(node)->func)->value;
        } else {
            return node->kind == GM_KIND_Name ? node : NULL;
        }
    }
}

/* Whether the name is a variable of a comprehension inside of what happens later, which has its variables with it; one around has to hand them on. */
static bool is_inner(const capturing *state, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(state->analysis->flow->scopes, name);
    return symbol != NULL && symbol->scope != state->function->scope && gm_symbol_is_local(symbol) &&
           symbol->scope->node->start >= state->whole->start && symbol->scope->node->end <= state->whole->end;
}

/* Whether the name is a variable at the place of the call that the sink cannot read later: a local, or a global that is more than the
 * name of a function, class or module. */
static bool is_variable(const capturing *state, const gm_node *name) {
    const gm_scopes *scopes = state->analysis->flow->scopes;
    const gm_symbol *symbol = gm_scopes_symbol(scopes, name);
    if (symbol == NULL || is_inner(state, name)) {
        return false;
    }
    if (symbol->scope != state->function->scope && gm_symbol_is_local(symbol)) {
        return true;
    }
    const gm_symbol *owner = gm_symbol_owner(scopes, symbol);
    if (owner == NULL || owner->scope != scopes->module) {
        return owner != NULL || symbol->binding == GM_BINDING_FREE;
    }
    const gm_node *binder = owner->binders.count == 1 ? owner->binders.items[0] : NULL;
    bool fixed = binder != NULL &&
                 (binder->kind == GM_KIND_alias || binder->kind == GM_KIND_FunctionDef || binder->kind == GM_KIND_ClassDef);
    return !fixed && !gm_is_logger(state->function, name);
}

/* Attributes of classes, functions and modules change like those of any object; where they are only called, they are taken to stay. The
 * standard streams are looked up when the text is written, as `print` itself does. */
static bool is_attribute(const capturing *state, const gm_node *node) {
    return node->kind != GM_KIND_Name && !gm_flow_names(state->analysis->flow, node, "sys.stdout") &&
           !gm_flow_names(state->analysis->flow, node, "sys.stderr");
}

/* A call between two captures of one text may change what they give. */
static const char *parameter_of(capturing *state, const gm_node *node, bool called, bool *first) {
    *first = false;
    bool named = node->kind == GM_KIND_Name;
    for (uint32_t i = state->captures.count; !called && i > 0 && !state->captures.items[i - 1].called; i--) {
        if (gm_analysis_same_text(state->analysis, state->captures.items[i - 1].node, node)) {
            return state->captures.items[i - 1].parameter;
        }
    }
    *first = true;
    for (uint32_t i = 0; named && i < state->captures.count; i++) {
        named = strcmp(state->captures.items[i].parameter, gm_as_Name(node)->id->text) != 0;
    }
    return named ? gm_as_Name(node)->id->text : gm_analysis_text(state->analysis, "_gm_a%u", state->captures.count);
}

/* `p.grad`, `self.weight.grad`: read where the statement stands, and kept like any other tensor. */
static bool is_gradient_of_variable(const capturing *state, const gm_node *node) {
    const gm_node *root = gm_name_is(gm_as_Attribute(node)->attr, "grad") ? chain_root(state, node) : NULL;
    return root != NULL && !is_inner(state, root);
}

static bool refuse(capturing *state, const char *reason, const gm_node *node) {
    state->refusal = (gm_refusal){reason, node};
    return false;
}

/* Objects are kept by reference: one that may change until the call has ended cannot be kept. */
static bool keep(capturing *state, const gm_node *node, bool called) {
    if (!called && gm_object_may_change(state->function, node) && !gm_is_logger(state->function, node)) {
        return refuse(state, "it shows an object that may change before the call ends", node);
    }
    if (state->names_only && node->kind != GM_KIND_Name) {
        return refuse(state, "an f-string with `=` shows the text of an expression that would have to be renamed", node);
    }
    if (state->captures.count == MOST_CAPTURES) {
        return refuse(state, "it keeps too many values", node);
    }
    gm_capture capture = {.node = node, .numbers = state->numbers, .length = state->length, .called = called};
    capture.parameter = parameter_of(state, node, called, &capture.first);
    gm_vec_push(state->analysis->arena, &state->captures, capture);
    state->watched = state->watched || (called && state->computed <= node->start);
    return true;
}

static bool find_debug_part(const gm_JoinedStr *string) {
    for (uint32_t i = 0; i < string->values.count; i++) {
        const gm_node *value = string->values.items[i];
        if (value->kind != GM_KIND_Constant) {
            continue;
        }
        const gm_constant *constant = &gm_as_Constant(value)->value;
        for (uint32_t k = 0; k < constant->part_count; k++) {
            if ((constant->parts[k].flags & GM_PART_DEBUG) != 0) {
                return true;
            }
        }
    }
    return false;
}

static bool capture(const gm_node *node, void *context);

static bool capture_string(capturing *state, const gm_node *node) {
    bool before = state->names_only;
    state->names_only = before || find_debug_part(gm_as_JoinedStr(node));
    bool good = gm_node_children(node, capture, state);
    state->names_only = before;
    return good;
}

static bool capture_parts(capturing *state, const gm_node *node);

/* Keys and values in the order in which Python evaluates them. */
static bool capture_items(capturing *state, const gm_Dict *dict) {
    bool good = true;
    for (uint32_t i = 0; good && i < dict->values.count; i++) {
        good = (dict->keys.items[i] == NULL || capture(dict->keys.items[i], state)) && capture(dict->values.items[i], state);
    }
    return good;
}

/* `x.item()`, `x.tolist()`, `float(x)`, `f"{x:.3f}"`. */
static bool reads_numbers(gm_flow *flow, const gm_node *node) {
    if (node->kind == GM_KIND_FormattedValue) {
        return gm_as_FormattedValue(node)->format_spec != NULL && gm_as_FormattedValue(node)->conversion == -1;
    }
    if (node->kind != GM_KIND_Call) {
        return false;
    }
    const gm_Call *call = gm_as_Call(node);
    if (call->func->kind == GM_KIND_Attribute) {
        const gm_name *method = gm_as_Attribute(call->func)->attr;
        return call->args.count == 0 && (gm_name_is(method, "item") || gm_name_is(method, "tolist"));
    }
    return gm_flow_names(flow, call->func, "builtins.float") || gm_flow_names(flow, call->func, "builtins.int") ||
           gm_flow_names(flow, call->func, "builtins.bool");
}

/* `len(self.losses)` of what is recorded into: the sink asks for it, so that it does not matter what the container holds. */
static bool asks_length(const capturing *state, const gm_node *node) {
    const gm_Call *call = node->kind == GM_KIND_Call ? gm_as_Call(node) : NULL;
    bool asked = call != NULL && call->args.count == 1 && call->keywords.count == 0 &&
                 gm_flow_names(state->analysis->flow, call->func, "builtins.len");
    return asked && (call->args.items[0]->kind == GM_KIND_Attribute || call->args.items[0]->kind == GM_KIND_Name);
}

static bool keep_key(capturing *state, const gm_node *node) {
    if (!keep(state, node, true)) {
        return false;
    }
    state->captures.items[state->captures.count - 1].key = true;
    return true;
}

static bool capture(const gm_node *node, void *context) {
    capturing *state = context;
    if (gm_list_holds(&state->keys, node)) {
        return keep_key(state, node);
    }
    if (state->live && gm_is_computed(node)) {
        return keep(state, node, true);
    }
    if (gm_names_identity(state->function, node) && !is_gradient_of_variable(state, node)) {
        return refuse(state, "it shows the identity of a tensor, which a kept copy does not have", node);
    }
    if (state->own != NULL && gm_analysis_same_text(state->analysis, node, state->own)) {
        return true;
    }
    if (is_kept_call(state, node) || (!state->live && gm_own_is_last_item(state->analysis, state->function, node))) {
        return node->kind == GM_KIND_GeneratorExp ? refuse(state, "it shows a generator", node) : keep(state, node, true);
    }
    const gm_node *root = chain_root(state, node);
    if (root != NULL && !is_inner(state, root)) {
        return is_variable(state, root) || is_attribute(state, node) ? keep(state, node, false) : true;
    }
    if (node->kind == GM_KIND_JoinedStr) {
        return capture_string(state, node);
    }
    bool before = state->numbers;
    state->numbers = before || reads_numbers(state->analysis->flow, node);
    state->length = asks_length(state, node);
    bool good = node->kind == GM_KIND_Dict ? capture_items(state, gm_as_Dict(node)) : capture_parts(state, node);
    state->numbers = before;
    state->length = false;
    if (gm_is_computed(node) && node->end < state->computed) {
        state->computed = node->end;
    }
    return good;
}

static bool capture_parts(capturing *state, const gm_node *node) {
    if (node->kind == GM_KIND_Call && gm_as_Call(node)->func->kind == GM_KIND_Attribute) {
        /* The method is looked up later, on what its receiver is now. */
        const gm_Call *call = gm_as_Call(node);
        gm_node *receiver = gm_as_Attribute(call->func)->value;
        const gm_node *root = chain_root(state, receiver);
        bool named = root != NULL && !is_inner(state, root) && !is_variable(state, root); /* a function of a module or class */
        bool good = !gm_names_identity(state->function, call->func) && (named || capture(receiver, state));
        for (uint32_t i = 0; good && i < call->args.count; i++) {
            good = capture(call->args.items[i], state);
        }
        for (uint32_t i = 0; good && i < call->keywords.count; i++) {
            good = capture(call->keywords.items[i], state);
        }
        return good || state->refusal.reason != NULL ? good : refuse(state, "it shows the identity of a tensor", node);
    }
    return gm_node_children(node, capture, state);
}

/* One parameter serves all captures of one text. */
static void join_captures(capturing *state) {
    gm_work(state->analysis->arena, (uint64_t)state->captures.count * state->captures.count);
    for (uint32_t i = 0; i < state->captures.count; i++) {
        gm_capture *capture = &state->captures.items[i];
        for (uint32_t k = 0; k < state->captures.count; k++) {
            gm_capture *other = &state->captures.items[k];
            if (strcmp(other->parameter, capture->parameter) == 0) {
                capture->numbers = capture->numbers && other->numbers;
                capture->length = capture->length && other->length;
            }
        }
    }
}

static void sort_captures(gm_capture *items, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        gm_capture moved = items[i];
        uint32_t at = i;
        for (; at > 0 && items[at - 1].node->start > moved.node->start; at--) {
            items[at] = items[at - 1];
        }
        items[at] = moved;
    }
}

static gm_refusal effects_of_all(gm_analysis *analysis, const gm_site *site, const gm_list *reads) {
    gm_refusal refusal = none;
    for (uint32_t i = 0; refusal.reason == NULL && i < reads->count; i++) {
        refusal = gm_effects_of(analysis, site->function, reads->items[i], GM_EFFECTS_SINK);
    }
    return refusal;
}

/* Where a statement decides first whether anything else in it is evaluated, or does more than one thing, a call in it comes after something
 * else; the index of what is assigned is evaluated behind the value. */
static gm_refusal order_calls(capturing *state) {
    const gm_Assign *assign = state->whole->kind == GM_KIND_Assign ? gm_as_Assign(state->whole) : NULL;
    bool decided = state->whole->kind == GM_KIND_If;
    for (uint32_t i = 0; i < state->captures.count; i++) {
        const gm_capture *capture = &state->captures.items[i];
        bool before = assign != NULL && assign->targets.items[0]->kind != GM_KIND_Attribute && capture->called;
        if (before || (decided && capture->called)) {
            return (gm_refusal){"a call in it would have to be made earlier", capture->node};
        }
        state->watched = state->watched || (capture->called && state->whole->kind == GM_KIND_With);
    }
    return none;
}

static gm_refusal capture_all(gm_analysis *analysis, const gm_site *site, gm_plan *plan, const gm_list *reads, const gm_node *own) {
    const gm_Call *call = gm_defer_none_call(site);
    capturing state = {
        .analysis = analysis, .function = site->function, .own = own, .whole = site->node, .computed = UINT32_MAX, .live = plan->live};
    state.keys = plan->keys;
    state.carried = call != NULL && call->func->kind == GM_KIND_Attribute ? gm_as_Attribute(call->func)->value : NULL;
    for (uint32_t i = 0; i < reads->count && capture(reads->items[i], &state); i++) {
    }
    if (state.refusal.reason != NULL) {
        return state.refusal;
    }
    gm_refusal refusal = order_calls(&state);
    join_captures(&state);
    sort_captures(state.captures.items, state.captures.count);
    plan->captures = (gm_capture_list){state.captures.items, state.captures.count};
    plan->watched = state.watched;
    return refusal.reason != NULL ? refusal : gm_reads_bound(analysis, site, call, plan);
}

static const char *sink_of(const gm_site *site) {
    return site->function->node->kind == GM_KIND_FunctionDef ? gm_as_FunctionDef(site->function->node)->name->text : "";
}

/* The sink has the object under its own name. */
static gm_refusal keeps_object(const gm_plan *plan) {
    for (uint32_t i = 0; plan->object != NULL && i < plan->captures.count; i++) {
        if (strcmp(plan->captures.items[i].parameter, plan->object->name->text) == 0) {
            return (gm_refusal){"it keeps the object that it writes to", plan->captures.items[i].node};
        }
    }
    return none;
}

void gm_defer_record(gm_analysis *analysis, const gm_site *site, gm_plan *plan, const gm_list *reads, const gm_node *own,
                     const char *message, const char *advice, bool certain) {
    gm_refusal refusal = gm_effects_of_caller(analysis, site->function);
    refusal = refusal.reason != NULL ? refusal : gm_defer_context(analysis, site);
    refusal = refusal.reason != NULL ? refusal : effects_of_all(analysis, site, reads);
    refusal = refusal.reason != NULL ? refusal : capture_all(analysis, site, plan, reads, own);
    refusal = refusal.reason != NULL ? refusal : keeps_object(plan);
    if (refusal.reason != NULL) {
        gm_report_refusal(analysis, plan->rule, site, refusal, message, advice, certain);
        return;
    }
    plan->sink = sink_of(site);
    plan->weight = 1;
    gm_report_plan(analysis, plan, message, advice, certain);
}

void gm_defer_reads(gm_analysis *analysis, gm_list *reads, const gm_Call *call) {
    uint32_t more = call->args.count + call->keywords.count;
    size_t size = sizeof *reads->items;
    reads->items = gm_arena_grow(analysis->arena, reads->items, size * reads->count, size * (reads->count + more));
    for (uint32_t i = 0; i < call->args.count; i++) {
        reads->items[reads->count++] = call->args.items[i];
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        reads->items[reads->count++] = gm_as_keyword(call->keywords.items[i])->value;
    }
}

void gm_defer_absorb(gm_analysis *analysis, const gm_node *statement) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        gm_finding finding = analysis->findings.items[i];
        bool inside = finding.node->start > statement->start && finding.node->end <= statement->end;
        if (inside && finding.plan != NULL) {
            gm_analysis_refuse(analysis, finding.plan, "it is part of a statement that is carried out as a whole");
        }
        if (!inside) {
            analysis->findings.items[kept++] = finding;
        }
    }
    analysis->findings.count = kept;
}

/* Every statement a call that would be deferred by itself, without a view of the stack and with nothing that is called in place. */
static bool are_deferred(gm_analysis *analysis, const gm_list *body, gm_list *reads) {
    for (uint32_t i = 0; i < body->count; i++) {
        const gm_plan *plan = gm_analysis_plan(analysis, body->items[i]);
        if (plan == NULL || plan->kind != GM_PLAN_DEFER || plan->levels > 0 || body->items[i]->kind != GM_KIND_Expr) {
            return false;
        }
        for (uint32_t k = 0; k < plan->captures.count; k++) {
            if (plan->captures.items[k].called) {
                return false;
            }
        }
        gm_defer_reads(analysis, reads, gm_as_Call(gm_as_Expr(body->items[i])->value));
    }
    return true;
}

static bool is_deferred(gm_analysis *analysis, const gm_site *site, gm_list *reads) {
    const gm_If *branch = site->node->kind == GM_KIND_If ? gm_as_If(site->node) : NULL;
    bool elif = branch != NULL && analysis->tree->source->text[site->node->start] == 'e';
    return branch != NULL && !elif && branch->orelse.count == 0 && are_deferred(analysis, &branch->body, reads);
}

bool gm_defer_branch(gm_analysis *analysis, const gm_rule *rule, const gm_site *site, gm_list reads, const char *message,
                     const char *advice) {
    if (!is_deferred(analysis, site, &reads)) {
        return false;
    }
    gm_defer_absorb(analysis, site->node);
    gm_plan *plan = gm_plan_new(analysis, rule, site, GM_PLAN_DEFER);
    gm_defer_record(analysis, site, plan, &reads, NULL, message, advice, true);
    return true;
}

bool gm_defer_recorded_test(gm_analysis *analysis, const gm_site *site) {
    const char *reason = NULL;
    gm_list reads = {NULL, 0};
    if (!is_deferred(analysis, site, &reads)) {
        return false;
    }
    const gm_node *test = gm_as_If(site->node)->test;
    return gm_recorded_within(analysis, site->function, test) && gm_test_classify(site->function, test, &reason) != GM_TEST_TENSOR &&
           gm_effects_of(analysis, site->function, test, GM_EFFECTS_SINK).reason == NULL;
}

static gm_refusal capture_call(gm_analysis *analysis, const gm_site *site, gm_plan *plan) {
    const gm_Call *call = gm_defer_none_call(site);
    gm_list reads = {NULL, 0};
    gm_defer_reads(analysis, &reads, call);
    gm_refusal refusal = effects_of_all(analysis, site, &reads);
    if (refusal.reason != NULL) {
        return refusal;
    }
    if (call->func->kind == GM_KIND_Attribute) {
        size_t size = sizeof *reads.items;
        reads.items = gm_arena_grow(analysis->arena, reads.items, size * reads.count, size * (reads.count + 1));
        reads.items[reads.count++] = gm_as_Attribute(call->func)->value;
    }
    return capture_all(analysis, site, plan, &reads, NULL);
}

void gm_defer_report(gm_analysis *analysis, const gm_rule *rule, const gm_site *site, uint32_t position, gm_refusal refusal,
                     const char *message, const char *advice) {
    gm_plan *plan = gm_plan_new(analysis, rule, site, GM_PLAN_DEFER);
    uint32_t levels = gm_stack_levels(analysis, gm_defer_none_call(site), position);
    if (refusal.reason == NULL && levels == 0) {
        refusal = (gm_refusal){"`stacklevel` is not known", site->node};
    }
    if (refusal.reason == NULL) {
        refusal = gm_effects_of_caller(analysis, site->function);
    }
    if (refusal.reason == NULL) {
        refusal = capture_call(analysis, site, plan);
    }
    if (refusal.reason != NULL) {
        gm_report_refusal(analysis, rule, site, refusal, message, advice, true);
        return;
    }
    plan->sink = sink_of(site);
    plan->levels = levels > 1 ? levels : 0;
    plan->level_position = position;
    plan->weight = 1;
    gm_report_plan(analysis, plan, message, advice, true);
}
