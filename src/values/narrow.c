/* What tests of the type of a variable rule out.
 *
 *     if isinstance(size, torch.Tensor):
 *         return size.clamp(min=1)
 *     return 1 if size == 1 else size - 1     # `size` is no tensor here
 *
 * A test counts for the code that it decides about: a side of its branch, what follows an assertion, what follows a branch that always leaves,
 * and the rest of a conjunction. The bindings that the variable may have in the test and in the use have to be the same. */
#include <string.h>

#include "values/values_private.h"

/* ---- What a test says ---- */

/* Types of which no tensor is. */
static bool is_other_type(gm_function *function, const gm_node *type) {
    static const char *const names[] = {"bool", "bytes", "complex", "dict", "float", "frozenset", "int",
                                        "list", "set",   "slice",   "str",  "tuple", NULL};
    const gm_name *name = gm_flow_qualified(function->flow, type);
    const char prefix[] = "builtins.";
    if (name == NULL) {
        return false;
    }
    bool builtin = strncmp(name->text, prefix, sizeof prefix - 1) == 0 && gm_text_in(name->text + sizeof prefix - 1, names);
    return builtin || strcmp(name->text, "torch.Size") == 0;
}

static bool are_other_types(gm_function *function, const gm_node *types) {
    if (types->kind != GM_KIND_Tuple) {
        return is_other_type(function, types);
    }
    const gm_list *items = &gm_as_Tuple(types)->elts;
    for (uint32_t i = 0; i < items->count; i++) {
        if (!is_other_type(function, items->items[i])) {
            return false;
        }
    }
    return true;
}

static bool names_tensor(gm_function *function, const gm_node *types) {
    const gm_list *items = types->kind == GM_KIND_Tuple ? &gm_as_Tuple(types)->elts : NULL;
    bool found = items == NULL && gm_flow_names(function->flow, types, "torch.Tensor");
    for (uint32_t i = 0; items != NULL && !found && i < items->count; i++) {
        found = gm_flow_names(function->flow, items->items[i], "torch.Tensor");
    }
    return found;
}

/* Whether the question `isinstance(x, ...)` or `torch.is_tensor(x)`, answered so, says that the variable is no tensor. */
static bool question_rules_out(gm_function *function, const gm_node *question, bool answer) {
    const gm_node *types = gm_call_argument(gm_as_Call(question), 1);
    if (types == NULL) {
        return !answer; /* torch.is_tensor */
    }
    return answer ? are_other_types(function, types) : names_tensor(function, types);
}

/* ---- Where it counts ---- */

static bool is_inside(const gm_list *block, const gm_node *node) {
    return block->count > 0 && node->start >= block->items[0]->start && node->end <= block->items[block->count - 1]->end;
}

static bool leaves(const gm_list *block) {
    gm_kind last = block->count == 0 ? GM_KIND_Pass : (gm_kind)block->items[block->count - 1]->kind;
    return last == GM_KIND_Return || last == GM_KIND_Raise || last == GM_KIND_Continue || last == GM_KIND_Break;
}

/* The block that a statement stands in, of the statement around it; NULL where that is not simple. */
static const gm_list *block_of(gm_flow *flow, const gm_node *statement) {
    const gm_node *around = gm_flow_around(flow, statement);
    switch (around == NULL ? GM_KIND_Pass : (gm_kind)around->kind) {
    case GM_KIND_If: return is_inside(&gm_as_If(around)->body, statement) ? &gm_as_If(around)->body : &gm_as_If(around)->orelse;
    case GM_KIND_For: return is_inside(&gm_as_For(around)->body, statement) ? &gm_as_For(around)->body : &gm_as_For(around)->orelse;
    case GM_KIND_While: return is_inside(&gm_as_While(around)->body, statement) ? &gm_as_While(around)->body : &gm_as_While(around)->orelse;
    case GM_KIND_With: return &gm_as_With(around)->body;
    case GM_KIND_FunctionDef: return &gm_as_FunctionDef(around)->body;
    case GM_KIND_AsyncFunctionDef: return &gm_as_AsyncFunctionDef(around)->body;
    default: return NULL;
    }
}

static bool is_behind(gm_flow *flow, const gm_node *statement, const gm_node *use) {
    const gm_list *block = use->start >= statement->end ? block_of(flow, statement) : NULL;
    return block != NULL && is_inside(block, use);
}

/* Whether a use is only evaluated where the whole test of a statement or choice has the value `truth`. */
static bool is_decided_by(gm_flow *flow, const gm_node *owner, const gm_node *test, const gm_node *use, bool truth) {
    switch ((gm_kind)owner->kind) {
    case GM_KIND_If: {
        const gm_If *branch = gm_as_If(owner);
        bool side = is_inside(truth ? &branch->body : &branch->orelse, use);
        return branch->test == test && (side || (leaves(truth ? &branch->orelse : &branch->body) && is_behind(flow, owner, use)));
    }
    case GM_KIND_IfExp: {
        const gm_node *side = truth ? gm_as_IfExp(owner)->body : gm_as_IfExp(owner)->orelse;
        return gm_as_IfExp(owner)->test == test && use->start >= side->start && use->end <= side->end;
    }
    case GM_KIND_Assert: return truth && gm_as_Assert(owner)->test == test && is_behind(flow, owner, use);
    default: return false;
    }
}

/* Whether a use is only evaluated where the question has this answer: climbs from the question through `not`, `and` and `or`. */
static bool counts_for(gm_flow *flow, const gm_node *question, const gm_node *use, bool answer) {
    const gm_node *test = question;
    bool truth = answer;
    for (;;) {
        const gm_node *owner = gm_flow_parent(flow, test);
        if (owner == NULL) {
            return false;
        }
        if (owner->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(owner)->op == GM_OP_Not) {
            truth = !truth;
        } else if (owner->kind != GM_KIND_BoolOp) {
            return is_decided_by(flow, owner, test, use, truth);
        } else if (use->start >= test->end && use->end <= owner->end) {
            return (gm_as_BoolOp(owner)->op == GM_OP_And) == truth;
        } else if ((gm_as_BoolOp(owner)->op == GM_OP_And) != truth) {
            return false; /* the whole may have its value by another part */
        }
        test = owner;
    }
}

static bool rules_out(gm_function *function, const gm_node *question, const gm_node *use) {
    for (int answer = 0; answer < 2; answer++) {
        if (question_rules_out(function, question, answer == 1) && counts_for(function->flow, question, use, answer == 1)) {
            return true;
        }
    }
    return false;
}

/* ---- Bindings ---- */

enum { MOST_BINDINGS = 16 };

static bool same_bindings(gm_reaching *reaching, const gm_node *left, const gm_node *right) {
    gm_definition_list list = {NULL, 0, false};
    uint32_t kept[MOST_BINDINGS];
    if (!gm_reaching_of_use(reaching, left, &list) || list.all || list.count > MOST_BINDINGS) {
        return false;
    }
    uint32_t count = list.count;
    memcpy(kept, list.items, count * sizeof *kept);
    return gm_reaching_of_use(reaching, right, &list) && !list.all && list.count == count &&
           memcmp(kept, list.items, count * sizeof *kept) == 0;
}

bool gm_value_ruled_out(gm_function *function, const gm_value_usage *usage, const gm_node *use) {
    gm_work(function->flow->arena, usage->questions.count);
    for (uint32_t i = 0; i < usage->questions.count; i++) {
        const gm_node *question = usage->questions.items[i];
        if (rules_out(function, question, use) &&
            same_bindings(function->environments->reaching, gm_call_argument(gm_as_Call(question), 0), use)) {
            return true;
        }
    }
    return false;
}
