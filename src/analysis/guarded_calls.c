#include "analysis/guarded_calls.h"

#include "analysis/blocks.h"
#include "analysis/defaults.h"
#include "analysis/eager_only.h"
#include "analysis/messages.h"
#include "analysis/reach.h"

/* An attribute of `self`, and whether it is true. */
typedef struct fact {
    const gm_name *name;
    bool value;
} fact;

static bool is_self(const gm_node *node) {
    return node->kind == GM_KIND_Name && gm_name_is(gm_as_Name(node)->id, "self");
}

/* Whether a test that has the value `when` says the fact: `self.NAME`, `not self.NAME`, or a part of a conjunction. */
static bool says(const gm_node *test, bool when, const fact *wanted) {
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        return says(gm_as_UnaryOp(test)->operand, !when, wanted);
    }
    if (test->kind == GM_KIND_BoolOp && (gm_as_BoolOp(test)->op == GM_OP_And) == when) {
        const gm_list *values = &gm_as_BoolOp(test)->values;
        for (uint32_t i = 0; i < values->count; i++) {
            if (says(values->items[i], when, wanted)) {
                return true;
            }
        }
        return false;
    }
    return test->kind == GM_KIND_Attribute && is_self(gm_as_Attribute(test)->value) && gm_as_Attribute(test)->attr == wanted->name &&
           when == wanted->value;
}

static bool is_inside(const gm_node *outer, const gm_node *node) {
    return node->start >= outer->start && node->end <= outer->end;
}

static bool is_documentation(const gm_node *statement) {
    return statement->kind == GM_KIND_Expr && gm_as_Expr(statement)->value->kind == GM_KIND_Constant;
}

/* Whether a node stands in the first statement of a block that does anything: nothing has changed since the block was entered. */
static bool is_first(const gm_list *block, const gm_node *node) {
    uint32_t first = 0;
    while (first < block->count && is_documentation(block->items[first])) {
        first++;
    }
    return first < block->count && is_inside(block->items[first], node);
}

/* A fact that is looked for in front of calls. */
typedef struct asked {
    gm_analysis *analysis;
    fact fact;
    uint32_t depth; /* of callers of callers */
    bool own;       /* calls in other files are taken to say it, too */
} asked;

enum { DEEPEST = 4 };

static bool is_said(gm_function *function, const gm_node *call, void *context);

static bool is_said_by_calls(const gm_node *definition, asked *wanted) {
    return wanted->own ? gm_reach_own_calls(wanted->analysis, definition, is_said, wanted)
                       : gm_reach_all_calls(wanted->analysis, definition, is_said, wanted);
}

/* Whether all callers of a function say the fact, and the function hands it on: the call is the first that it does. */
static bool is_said_before(const gm_node *definition, const gm_node *call, const asked *wanted) {
    asked outer = {wanted->analysis, wanted->fact, wanted->depth + 1, wanted->own};
    return outer.depth < DEEPEST && is_first(gm_blocks_of_function(definition), call) && is_said_by_calls(definition, &outer);
}

/* Whether the tests around a call say the fact, with nothing in between. */
static bool is_said(gm_function *function, const gm_node *call, void *context) {
    const asked *wanted = context;
    for (const gm_node *at = gm_flow_around(function->flow, call); at != NULL; at = gm_flow_around(function->flow, at)) {
        if (gm_is_def(at)) {
            return is_said_before(at, call, wanted);
        }
        if (at->kind != GM_KIND_If) {
            if (gm_is_stmt(at) && at->kind != GM_KIND_Expr) {
                return false;
            }
            continue;
        }
        const gm_If *branch = gm_as_If(at);
        bool body = is_first(&branch->body, call);
        if (!body && !is_first(&branch->orelse, call)) {
            return false;
        }
        if (says(branch->test, body, &wanted->fact)) {
            return true;
        }
    }
    return false;
}

/* ---- Parameters that nobody gives ---- */

typedef struct parameter {
    const gm_name *name;
    uint32_t index; /* among those by position; UINT32_MAX: by name alone */
} parameter;

static bool is_left_out(gm_function *function, const gm_node *call, void *context) {
    const parameter *wanted = context;
    const gm_Call *made = gm_as_Call(call);
    bool bound = made->func->kind == GM_KIND_Attribute; /* `self` stands in front */
    (void)function;
    for (uint32_t i = 0; i < made->args.count; i++) {
        if (made->args.items[i]->kind == GM_KIND_Starred || (wanted->index != UINT32_MAX && i + bound >= wanted->index)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < made->keywords.count; i++) {
        const gm_name *name = gm_as_keyword(made->keywords.items[i])->arg;
        if (name == NULL || name == wanted->name) {
            return false;
        }
    }
    return true;
}

/* Whether a test is a parameter whose default is False or None, which no reached call gives, and nothing binds again. `assumed` says to take it
 * that none does. */
static bool is_never_given(gm_analysis *analysis, const gm_node *definition, const gm_node *test, bool assumed) {
    const gm_symbol *symbol = gm_scopes_symbol(analysis->flow->scopes, test);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    parameter wanted = {gm_as_Name(test)->id, 0};
    const gm_node *value = gm_default_of(definition, wanted.name, &wanted.index);
    bool off = gm_flag_of_constant(value) == GM_FLAG_OFF && owner != NULL && owner->binders.count == 1;
    return off && (assumed || gm_reach_all_calls(analysis, definition, is_left_out, &wanted));
}

/* How a test is looked at. */
typedef struct view {
    gm_analysis *analysis;
    const gm_node *definition;
    const gm_list *block; /* what it decides about, where that is one block */
    bool assumed;         /* of a message: parameters and attributes have their defaults */
} view;

static gm_function *function_of(const view *of) {
    return of->assumed && of->block != NULL ? gm_flow_function(of->analysis->flow, of->definition) : NULL;
}

/* Whether a block of messages is behind a flag `self.NAME` that is off where nobody says otherwise. */
static bool is_switched_off(const view *of, const gm_node *test) {
    gm_function *function = function_of(of);
    const gm_node *class_def = function == NULL ? NULL : gm_class_definition_around(function);
    return class_def != NULL && gm_are_messages(function, of->block) &&
           gm_is_off_by_default(of->analysis, class_def, gm_as_Attribute(test)->attr);
}

/* `if not self.merged: warn(); return`, in front of all that a method does: who calls it has asked. */
static bool is_mistake(const view *of) {
    gm_function *function = function_of(of);
    return function != NULL && gm_class_definition_around(function) != NULL && gm_are_messages_and_end(function, of->block);
}

/* Whether callers exclude that a test has the value `when`. `fresh` says that nothing has happened since the call. */
static bool is_excluded(const view *of, const gm_node *test, bool when, bool fresh) {
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        return is_excluded(of, gm_as_UnaryOp(test)->operand, !when, fresh);
    }
    if (test->kind == GM_KIND_BoolOp && (gm_as_BoolOp(test)->op == GM_OP_And) == when) {
        const gm_list *values = &gm_as_BoolOp(test)->values;
        for (uint32_t i = 0; i < values->count; i++) {
            if (is_excluded(of, values->items[i], when, fresh && i == 0)) {
                return true;
            }
        }
        return false;
    }
    if (test->kind == GM_KIND_Name) {
        return when && is_never_given(of->analysis, of->definition, test, of->assumed);
    }
    if (test->kind != GM_KIND_Attribute || !is_self(gm_as_Attribute(test)->value)) {
        return false;
    }
    if (when && is_switched_off(of, test)) {
        return true;
    }
    if (!fresh) {
        return false;
    }
    asked opposite = {of->analysis, {gm_as_Attribute(test)->attr, !when}, 0, is_mistake(of)};
    return is_said_by_calls(of->definition, &opposite);
}

/* Whether the first part of a conjunction is excluded, so that nothing behind it is asked. */
static bool is_unasked(const view *of, const gm_node *test, bool fresh) {
    return test->kind == GM_KIND_BoolOp && gm_as_BoolOp(test)->op == GM_OP_And &&
           is_excluded(of, gm_as_BoolOp(test)->values.items[0], true, fresh);
}

static bool holds(const gm_list *block, const gm_node *node) {
    return block->count > 0 && node->start >= block->items[0]->start && node->end <= block->items[block->count - 1]->end;
}

/* Whether the calls of the function exclude `node` inside of it. With `assumed`, parameters have their defaults. */
static bool is_never(gm_analysis *analysis, const gm_node *definition, const gm_node *node, bool assumed) {
    view of = {analysis, definition, NULL, assumed};
    if (!gm_is_def(definition)) {
        return false;
    }
    for (const gm_node *at = node; at != NULL && at != definition; at = gm_flow_around(analysis->flow, at)) {
        if (at->kind != GM_KIND_If) {
            continue;
        }
        const gm_If *branch = gm_as_If(at);
        bool body = holds(&branch->body, node);
        bool fresh = is_first(gm_blocks_of_function(definition), at) && gm_flow_around(analysis->flow, at) == definition;
        of.block = body ? &branch->body : holds(&branch->orelse, node) ? &branch->orelse : NULL;
        if (at == node && is_unasked(&of, branch->test, fresh)) {
            return true;
        }
        if ((body || holds(&branch->orelse, node)) && is_excluded(&of, branch->test, body, fresh)) {
            return true;
        }
    }
    return false;
}

void gm_guarded_mark(gm_analysis *analysis, gm_finding *finding, const gm_node *definition, bool output) {
    bool compiled = !gm_eager_only(analysis->flow, finding->node) && !is_never(analysis, definition, finding->node, output);
    finding->reached = compiled && gm_reach_has(analysis, definition);
    finding->reached_surely = compiled && gm_reach_has_surely(analysis, definition);
    finding->callers = gm_reach_callers(analysis, definition);
}
