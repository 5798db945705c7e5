/* What is known at a branch: gradients, devices and dtypes of the variables that come into it.
 *
 *     with torch.no_grad():                          gradients are off
 *         if x.dtype == torch.float16 and x.max() > 9:   x is floating point in the first side
 *             x = x.clamp(max=9)
 *
 * Problem: `torch.where(test, a, b)` computes both sides and takes a part of each. The file has to show that a stranger cannot tell: no gradient is
 * another, no tensor sits on another device, no dtype is promoted.
 *
 * Idea: if-conversion, the step from control to data that vector machines make, with the conditions under which it changes nothing. Facts
 * come from three places, each safe on its own: how a value was made (values.h), conditions that control has passed on the way (an `if` around says
 * that a dtype is floating point, as long as nothing binds the variable in between), and operations that only one kind of tensor survives (`mean()`).
 * What no fact shows may be assumed where the caller takes assumptions, and then stands in the words of the finding: `fix --unsafe`.
 *
 * Sources: Allen, Kennedy, Porterfield, Warren, Conversion of Control Dependence to Data Dependence, POPL 1983. Mahlke and others, Effective
 * Compiler Support for Predicated Execution Using the Hyperblock, MICRO 1992: which operations may run although their side is not taken. */
#include <string.h>

#include "analysis/blocks.h"
#include "flow/torch_names.h"
#include "mend/relation.h"

/* ---- Gradients ---- */

typedef enum gradient_switch { UNCHANGED, OFF, UNKNOWN } gradient_switch;

/* What a decorator or context manager does with gradients. */
static gradient_switch switch_of(gm_flow *flow, const gm_node *manager) {
    bool is_call = manager->kind == GM_KIND_Call;
    const gm_name *name = gm_flow_qualified(flow, is_call ? gm_as_Call(manager)->func : manager);
    if (name != NULL && gm_torch_names_have(GM_TORCH_NAMES_KEEPS_GRADIENTS, name->text)) {
        return UNCHANGED;
    }
    bool plain = !is_call || gm_as_Call(manager)->args.count + gm_as_Call(manager)->keywords.count == 0;
    bool off = name != NULL && gm_torch_names_have(GM_TORCH_NAMES_GRADIENTS_OFF, name->text);
    return off && plain ? OFF : UNKNOWN;
}

static gradient_switch switch_of_with(gm_flow *flow, const gm_node *owner) {
    gradient_switch last = UNCHANGED;
    const gm_list *items = &gm_as_With(owner)->items;
    for (uint32_t i = 0; i < items->count; i++) {
        gradient_switch next = switch_of(flow, gm_as_withitem(items->items[i])->context_expr);
        last = next != UNCHANGED ? next : last;
    }
    return last;
}

static bool gradients_are_off(const gm_proof *proof) {
    gm_flow *flow = proof->analysis->flow;
    for (const gm_place *place = proof->place; place != NULL; place = place->outer) {
        gradient_switch found = place->owner->kind == GM_KIND_With ? switch_of_with(flow, place->owner) : UNCHANGED;
        if (found != UNCHANGED) {
            return found == OFF;
        }
    }
    const gm_node *function = proof->function->node;
    const gm_list *decorators = function->kind == GM_KIND_FunctionDef ? &gm_as_FunctionDef(function)->decorator_list : NULL;
    bool off = false;
    for (uint32_t i = 0; decorators != NULL && i < decorators->count; i++) {
        gradient_switch found = switch_of(flow, decorators->items[i]);
        off = (off || found == OFF) && found != UNKNOWN;
    }
    return off;
}

gm_proof gm_proof_at(gm_analysis *analysis, gm_function *function, const gm_node *statement, const gm_place *place, const gm_node *test) {
    gm_proof proof = {.analysis = analysis, .function = function, .statement = statement, .place = place, .test = test};
    proof.grad_free = gradients_are_off(&proof);
    return proof;
}

/* ---- Assumptions ---- */

static void note(const gm_proof *proof, gm_variables *list, const gm_symbol *symbol) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == symbol) {
            return;
        }
    }
    gm_vec_push(proof->analysis->arena, list, symbol);
}

static bool assume(const gm_proof *proof, const gm_symbol *symbol) {
    if (proof->assumptions != NULL && symbol != NULL) {
        note(proof, &proof->assumptions->tensors, symbol);
    }
    return proof->assumptions != NULL && symbol != NULL;
}

typedef struct change_search {
    const gm_proof *proof;
    const gm_symbol *symbol;
    bool found;
} change_search;

/* `x[i] = ...`, `x += ...`, `x.add_(...)`, `x.data`: in the function itself. */
static bool changes(const gm_proof *proof, const gm_node *use) {
    const gm_node *parent = gm_flow_parent(proof->analysis->flow, use);
    if (parent == NULL || parent->kind == GM_KIND_AugAssign) {
        return parent == NULL || gm_as_AugAssign(parent)->target == use;
    }
    if (parent->kind == GM_KIND_Subscript) {
        return gm_as_Subscript(parent)->ctx != GM_LOAD;
    }
    if (parent->kind != GM_KIND_Attribute) {
        return false;
    }
    const gm_name *name = gm_as_Attribute(parent)->attr;
    size_t length = strlen(name->text);
    return gm_name_is(name, "data") || (length > 1 && name->text[length - 1] == '_' && name->text[length - 2] != '_');
}

static bool find_change(const gm_node *node, void *context) {
    change_search *search = context;
    if (node->kind == GM_KIND_Name && gm_scopes_symbol(search->proof->analysis->flow->scopes, node) == search->symbol) {
        search->found = search->found || changes(search->proof, node);
    }
    return !search->found && gm_node_children(node, find_change, context);
}

bool gm_proof_kept(const gm_proof *proof, const gm_symbol *symbol) {
    change_search search = {proof, symbol, proof->assumptions == NULL};
    if (!search.found) {
        gm_work_below(proof->analysis->arena, proof->function->node);
        gm_node_children(proof->function->node, find_change, &search);
    }
    if (!search.found) {
        note(proof, &proof->assumptions->kept, symbol);
    }
    return !search.found;
}

bool gm_proof_tensor(const gm_proof *proof, gm_value value, const gm_symbol *symbol) {
    if ((value.traits & GM_VALUE_OPTIONAL) != 0) {
        return false;
    }
    bool by_use = value.class_ == GM_VALUE_MAYBE && (value.traits & GM_VALUE_BY_USE) != 0;
    return value.class_ == GM_VALUE_TENSOR || (by_use && assume(proof, symbol));
}

/* ---- Devices ---- */

enum { MOST_STEPS = 4 };

typedef struct device_search {
    const gm_proof *proof;
    const gm_symbols4 *values;
    uint32_t steps; /* definitions that may still be looked through */
    bool same;
} device_search;

static bool visit_device(const gm_node *node, void *context);

/* A variable that is none of the values may have been computed from them alone. */
static bool comes_from_values(device_search *search, const gm_symbol *symbol) {
    const gm_node *definition = search->steps > 0 ? gm_proof_definition(search->proof, symbol) : NULL;
    if (definition == NULL) {
        return false;
    }
    device_search inner = {search->proof, search->values, search->steps - 1, true};
    gm_node *value = gm_as_Assign(definition)->value;
    bool computed = value->kind == GM_KIND_BinOp || value->kind == GM_KIND_Compare || value->kind == GM_KIND_UnaryOp ||
                    value->kind == GM_KIND_Call;
    visit_device(value, &inner);
    return computed && inner.same;
}

/* Or the other way round: a value may have been computed from the variable alone. */
static bool values_come_from(const device_search *search, const gm_symbol *symbol) {
    gm_symbols4 only = {.items = {symbol}, .count = 1};
    for (uint8_t i = 0; search->steps > 0 && i < search->values->count; i++) {
        device_search inner = {search->proof, &only, search->steps - 1, true};
        if (comes_from_values(&inner, search->values->items[i])) {
            return true;
        }
    }
    return false;
}

static bool is_placed(device_search *search, const gm_symbol *symbol, gm_value value) {
    if (value.class_ == GM_VALUE_NOT || gm_symbols4_have(search->values, symbol) || comes_from_values(search, symbol) ||
        values_come_from(search, symbol)) {
        return true;
    }
    if (search->proof->assumptions != NULL) {
        note(search->proof, &search->proof->assumptions->placed, symbol);
    }
    return search->proof->assumptions != NULL;
}

/* Operations of torch and of Python; what another function returns may be anywhere. */
static bool visit_device(const gm_node *node, void *context) {
    device_search *search = context;
    gm_flow *flow = search->proof->analysis->flow;
    if (node->kind == GM_KIND_Call) {
        const gm_torch_op *op = gm_called_torch_op(search->proof->function, node, NULL);
        const gm_name *name = gm_flow_qualified(flow, gm_as_Call(node)->func);
        bool builtin = name != NULL && strncmp(name->text, "builtins.", strlen("builtins.")) == 0;
        bool moves = op != NULL && ((op->flags & GM_TORCH_CREATES) != 0 || strcmp(op->name, "to") == 0 || strcmp(op->name, "cpu") == 0 ||
                                    strcmp(op->name, "cuda") == 0);
        search->same = search->same && !moves && (op != NULL || builtin);
    } else if (node->kind == GM_KIND_Name) {
        const gm_symbol *symbol = gm_scopes_symbol(flow->scopes, node);
        bool local = symbol != NULL && symbol->scope == search->proof->function->scope && gm_symbol_is_local(symbol);
        search->same = search->same && (!local || is_placed(search, symbol, gm_value_of(search->proof->function, node)));
    } else if (node->kind == GM_KIND_Attribute && gm_as_Attribute(node)->value->kind == GM_KIND_Name) {
        gm_value value = gm_value_of(search->proof->function, node);
        search->same = search->same && value.class_ == GM_VALUE_NOT;
    }
    return gm_node_children(node, visit_device, context);
}

bool gm_proof_same_device(const gm_proof *proof, const gm_node *condition, const gm_symbols4 *values) {
    device_search search = {proof, values, MOST_STEPS, true};
    gm_work_below(proof->analysis->arena, condition);
    visit_device(condition, &search);
    return search.same;
}

/* ---- Dtypes ---- */

static bool is_variable(const gm_proof *proof, const gm_node *node, const gm_symbol *symbol) {
    return node->kind == GM_KIND_Name && gm_scopes_symbol(proof->analysis->flow->scopes, node) == symbol;
}

static bool is_floating_dtype(gm_flow *flow, const gm_node *node) {
    const gm_name *name = gm_flow_qualified(flow, node);
    return name != NULL && gm_torch_names_have(GM_TORCH_NAMES_FLOATING_DTYPES, name->text);
}

/* `x.dtype == torch.float16` and `x.dtype in (torch.float16, torch.bfloat16)`. */
static bool compares_dtype(const gm_proof *proof, const gm_Compare *compare, const gm_symbol *symbol) {
    if (compare->ops.count != 1 || compare->left->kind != GM_KIND_Attribute || !gm_name_is(gm_as_Attribute(compare->left)->attr, "dtype") ||
        !is_variable(proof, gm_as_Attribute(compare->left)->value, symbol)) {
        return false;
    }
    const gm_node *other = compare->comparators.items[0];
    if (compare->ops.items[0] == GM_OP_Eq || compare->ops.items[0] == GM_OP_Is) {
        return is_floating_dtype(proof->analysis->flow, other);
    }
    const gm_list *items = other->kind == GM_KIND_Tuple  ? &gm_as_Tuple(other)->elts
                           : other->kind == GM_KIND_List ? &gm_as_List(other)->elts
                                                         : NULL;
    if (compare->ops.items[0] != GM_OP_In || items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < items->count; i++) {
        if (!is_floating_dtype(proof->analysis->flow, items->items[i])) {
            return false;
        }
    }
    return true;
}

/* `x.is_floating_point()` and `torch.is_floating_point(x)`. */
static bool asks_floating(const gm_proof *proof, const gm_Call *call, const gm_symbol *symbol) {
    if (call->args.count == 1 && gm_flow_names(proof->analysis->flow, call->func, "torch.is_floating_point")) {
        return is_variable(proof, call->args.items[0], symbol);
    }
    return call->func->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(call->func)->attr, "is_floating_point") &&
           is_variable(proof, gm_as_Attribute(call->func)->value, symbol);
}

/* Whether the condition, when true, says that the variable is floating point. */
static bool says_floating(const gm_proof *proof, const gm_node *condition, const gm_symbol *symbol) {
    if (condition->kind == GM_KIND_BoolOp && gm_as_BoolOp(condition)->op == GM_OP_And) {
        const gm_list *values = &gm_as_BoolOp(condition)->values;
        for (uint32_t i = 0; i < values->count; i++) {
            if (says_floating(proof, values->items[i], symbol)) {
                return true;
            }
        }
        return false;
    }
    if (condition->kind == GM_KIND_Compare) {
        return compares_dtype(proof, gm_as_Compare(condition), symbol);
    }
    return condition->kind == GM_KIND_Call && asks_floating(proof, gm_as_Call(condition), symbol);
}

/* Whether the variable is bound anew between two places in the text, or in a loop that holds the second. */
static bool is_rebound(const gm_symbol *symbol, uint32_t start, uint32_t end) {
    for (uint32_t i = 0; i < symbol->binders.count; i++) {
        uint32_t at = symbol->binders.items[i]->start;
        if (at >= start && at < end) {
            return true;
        }
    }
    return false;
}

/* An `if` around the branch that it is in the first side of. */
static bool is_said_around(const gm_proof *proof, const gm_symbol *symbol) {
    uint32_t end = proof->statement->start;
    for (const gm_place *place = proof->place; place != NULL; place = place->outer) {
        if (gm_is_loop(place->owner)) {
            return false;
        }
        if (place->owner->kind == GM_KIND_If) {
            const gm_If *branch = gm_as_If(place->owner);
            bool first = place->list == &branch->body;
            if (first && says_floating(proof, branch->test, symbol)) {
                return !is_rebound(symbol, place->owner->start, end);
            }
        }
    }
    return false;
}

typedef struct mean_search {
    const gm_proof *proof;
    const gm_symbol *symbol;
    bool found;
} mean_search;

/* Only floating point tensors have a mean that can be compared. */
static bool find_mean(const gm_node *node, void *context) {
    mean_search *search = context;
    if (node->kind == GM_KIND_BoolOp) {
        return find_mean(gm_as_BoolOp(node)->values.items[0], context); /* the others need not be evaluated */
    }
    if (node->kind == GM_KIND_IfExp || gm_blocks_is_definition(node)) {
        return true;
    }
    if (node->kind == GM_KIND_Compare && gm_as_Compare(node)->ops.count == 1 && gm_as_Compare(node)->ops.items[0] >= GM_OP_Lt &&
        gm_as_Compare(node)->ops.items[0] <= GM_OP_GtE && gm_as_Compare(node)->left->kind == GM_KIND_Call) {
        const gm_Call *call = gm_as_Call(gm_as_Compare(node)->left);
        search->found = search->found || (call->func->kind == GM_KIND_Attribute && gm_name_is(gm_as_Attribute(call->func)->attr, "mean") &&
                                          call->keywords.count == 0 && call->args.count == 0 &&
                                          is_variable(search->proof, gm_as_Attribute(call->func)->value, search->symbol));
    }
    return gm_node_children(node, find_mean, context);
}

gm_value_dtype gm_proof_dtype(const gm_proof *proof, const gm_symbol *symbol) {
    gm_value value = gm_value_before(proof->function, proof->statement, symbol);
    if (value.dtype != GM_DTYPE_UNKNOWN) {
        return (gm_value_dtype)value.dtype;
    }
    mean_search search = {proof, symbol, false};
    if (proof->test != NULL && !proof->early) {
        gm_work_below(proof->analysis->arena, proof->test);
        find_mean(proof->test, &search);
    }
    bool said = search.found || (proof->test != NULL && says_floating(proof, proof->test, symbol) && proof->statement->kind == GM_KIND_If &&
                                 gm_as_If(proof->statement)->orelse.count == 0);
    if (said || is_said_around(proof, symbol) || gm_proof_floating(proof, symbol)) {
        return GM_DTYPE_FLOATING;
    }
    return gm_proof_tensor(proof, value, symbol) && assume(proof, symbol) ? GM_DTYPE_FLOATING : GM_DTYPE_UNKNOWN;
}
