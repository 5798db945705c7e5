/* Conditions of branches as one tensor of bool with one element. */
#include <string.h>

#include "analysis/sides.h"
#include "analysis/tests.h"
#include "mend/source_forms.h"
#include "mend/source_text.h"
#include "mend/writer.h"
#include "syntax/lexer.h"

typedef struct gm_writing {
    gm_fixer *fixer;
    gm_proof *proof;
} writing;

/* ---- What a part of a condition is ---- */

/* `m.any()`, `torch.all(m)`: the mask, or NULL. */
static const gm_node *reduced(gm_flow *flow, const gm_node *node) {
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->keywords.count > 0) {
        return NULL;
    }
    const gm_Call *call = gm_as_Call(node);
    if (call->args.count == 1 && call->args.items[0]->kind != GM_KIND_Starred &&
        (gm_flow_names(flow, call->func, "torch.any") || gm_flow_names(flow, call->func, "torch.all"))) {
        return call->args.items[0];
    }
    bool method = call->args.count == 0 && call->func->kind == GM_KIND_Attribute &&
                  (gm_name_is(gm_as_Attribute(call->func)->attr, "any") || gm_name_is(gm_as_Attribute(call->func)->attr, "all"));
    return method ? gm_as_Attribute(call->func)->value : NULL;
}

/* Whether a value that a condition reads is a tensor; what is not certain of its variables is taken for granted, if it may be. */
static bool is_tensor(const writing *with, const gm_node *node, gm_value value) {
    if (value.class_ == GM_VALUE_TENSOR) {
        return (value.traits & GM_VALUE_OPTIONAL) == 0;
    }
    gm_symbol_list names = gm_sides_names(with->fixer->analysis, with->proof->function, node);
    bool all = with->proof->assumptions != NULL && names.count > 0;
    for (uint32_t i = 0; all && i < names.count; i++) {
        gm_value variable = gm_value_before(with->proof->function, with->proof->statement, names.items[i]);
        all = variable.class_ == GM_VALUE_NOT || gm_proof_tensor(with->proof, variable, names.items[i]);
    }
    return all && gm_proof_tensor(with->proof, value, names.items[0]);
}

/* A tensor of bool without dimensions. `any` and `all` of uint8 are uint8, so what they reduce has to be known. */
static bool is_flag(const writing *with, const gm_node *node) {
    gm_value value = gm_value_of(with->proof->function, node);
    const gm_node *mask = reduced(with->fixer->analysis->flow, node);
    if (mask != NULL) {
        gm_value inner = gm_value_of(with->proof->function, mask);
        return is_tensor(with, mask, inner) && (inner.dtype == GM_DTYPE_BOOL || inner.dtype == GM_DTYPE_FLOATING);
    }
    return is_tensor(with, node, value) && (value.traits & GM_VALUE_SCALAR) != 0 && value.dtype == GM_DTYPE_BOOL;
}

/* `x.sum()`, `x.abs().sum()` or the like: a reduction that has a result for every tensor. */
static bool is_total_sum(gm_proof *proof, const gm_node *node) {
    if (node->kind != GM_KIND_Call || gm_as_Call(node)->args.count + gm_as_Call(node)->keywords.count > 0 ||
        gm_as_Call(node)->func->kind != GM_KIND_Attribute) {
        return false;
    }
    const gm_Attribute *method = gm_as_Attribute(gm_as_Call(node)->func);
    gm_relation tensor = gm_relation_of(proof, method->value);
    return tensor.kind == GM_RELATION_TENSOR && gm_relation_floating(proof, &tensor) &&
           (gm_name_is(method->attr, "sum") || gm_name_is(method->attr, "mean"));
}

/* Whether a flag can be computed although Python might not have: it has no effect and cannot raise. */
static bool is_total(const writing *with, const gm_node *node) {
    const gm_node *mask = reduced(with->fixer->analysis->flow, node);
    if (mask != NULL) {
        gm_relation relation = gm_relation_of(with->proof, mask);
        return relation.kind == GM_RELATION_TENSOR && relation.bases.count == 1;
    }
    if (node->kind == GM_KIND_Compare && gm_as_Compare(node)->ops.count == 1) {
        gm_relation bound = gm_relation_of(with->proof, gm_as_Compare(node)->comparators.items[0]);
        return bound.kind == GM_RELATION_NUMBER && is_total_sum(with->proof, gm_as_Compare(node)->left);
    }
    if (node->kind == GM_KIND_Name) {
        const gm_symbol *symbol = gm_scopes_symbol(with->proof->function->flow->scopes, node);
        return symbol != NULL && symbol->scope == with->proof->function->scope &&
               gm_bound_before(with->proof->function, with->proof->statement, symbol) == GM_BOUND_ALWAYS;
    }
    return false;
}

/* ---- Its text ---- */

static bool write_condition(const writing *with, const gm_node *test, bool later, gm_edit_text *text, bool *negated);

static bool binds_tightly(const gm_node *node) {
    return node->kind == GM_KIND_Call || node->kind == GM_KIND_Name || node->kind == GM_KIND_Attribute || node->kind == GM_KIND_Subscript;
}

static void add_source(const writing *with, gm_edit_text *text, const gm_node *node, bool enclosed) {
    gm_arena *arena = with->fixer->analysis->arena;
    gm_edit_add(arena, text, enclosed ? "(" : "");
    gm_edit_add_source(arena, text, node->start, node->end);
    gm_edit_add(arena, text, enclosed ? ")" : "");
}

static const gm_node *inside_bool(gm_flow *flow, const gm_node *test) {
    return gm_test_form_of(flow, test) == GM_TEST_TRUTH ? gm_as_Call(test)->args.items[0] : NULL;
}

/* What is left of a condition without `not` and `bool()` around it. */
static const gm_node *innermost(gm_flow *flow, const gm_node *test) {
    for (;;) {
        bool is_not = test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not;
        const gm_node *inner = is_not ? gm_as_UnaryOp(test)->operand : inside_bool(flow, test);
        if (inner == NULL) {
            return test;
        }
        test = inner;
    }
}

/* An operand of `&` or `|`. */
static bool write_operand(const writing *with, const gm_node *operand, bool later, gm_edit_text *text) {
    gm_arena *arena = with->fixer->analysis->arena;
    gm_edit_text inner = {0};
    bool negated = false;
    if (!write_condition(with, operand, later, &inner, &negated)) {
        return false;
    }
    bool enclosed = !binds_tightly(innermost(with->fixer->analysis->flow, operand));
    gm_edit_add(arena, text, negated ? "~" : "");
    gm_edit_add(arena, text, enclosed ? "(" : "");
    gm_text_append(arena, text, &inner);
    gm_edit_add(arena, text, enclosed ? ")" : "");
    return true;
}

static bool write_operands(const writing *with, const gm_BoolOp *operation, bool later, gm_edit_text *text) {
    for (uint32_t i = 0; i < operation->values.count; i++) {
        if (i > 0) {
            gm_edit_add(with->fixer->analysis->arena, text, operation->op == GM_OP_And ? " & " : " | ");
        }
        if (!write_operand(with, operation->values.items[i], later || i > 0, text)) {
            return false;
        }
    }
    return true;
}

/* Where the receiver of a call of a method ends, closing brackets included. */
static uint32_t end_in_front_of_dot(const gm_tree *tree, const gm_node *call) {
    uint32_t name = gm_token_at(tree, gm_as_Call(call)->func->end) - 1;
    while (tree->tokens[name].kind != GM_TOKEN_DOT) {
        name--;
    }
    return tree->tokens[name - 1].end;
}

/* `x.sum().item() > 0`: a small whole number compares the same as a tensor of any dtype. */
static bool write_item(const writing *with, const gm_node *test, gm_edit_text *text) {
    const gm_Compare *compare = gm_as_Compare(test);
    const gm_node *receiver = gm_test_item_receiver(compare->left);
    gm_relation bound = gm_relation_of(with->proof, compare->comparators.items[0]);
    gm_value value = receiver != NULL ? gm_value_of(with->proof->function, receiver) : (gm_value){.reason = ""};
    bool whole = bound.kind == GM_RELATION_NUMBER && bound.literal && bound.value == (double)(int)bound.value && bound.value >= 0 &&
                 bound.value <= 127;
    if (!whole || compare->ops.items[0] < GM_OP_Eq || compare->ops.items[0] > GM_OP_GtE || value.class_ != GM_VALUE_TENSOR ||
        (value.traits & GM_VALUE_SCALAR) == 0 || (value.dtype != GM_DTYPE_FLOATING && value.dtype != GM_DTYPE_INTEGER)) {
        return false;
    }
    gm_arena *arena = with->fixer->analysis->arena;
    gm_edit_add_source(arena, text, compare->base.start, end_in_front_of_dot(with->fixer->analysis->tree, compare->left));
    gm_edit_add_source(arena, text, compare->left->end, compare->base.end);
    return true;
}

static bool write_condition(const writing *with, const gm_node *test, bool later, gm_edit_text *text, bool *negated) {
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        *negated = !*negated;
        return write_condition(with, gm_as_UnaryOp(test)->operand, later, text, negated);
    }
    if (test->kind == GM_KIND_BoolOp) {
        return write_operands(with, gm_as_BoolOp(test), later, text);
    }
    const gm_node *inner = inside_bool(with->fixer->analysis->flow, test);
    if (inner != NULL) {
        return write_condition(with, inner, later, text, negated);
    }
    if (is_flag(with, test)) {
        add_source(with, text, test, false);
        return !later || is_total(with, test);
    }
    return !later && test->kind == GM_KIND_Compare && gm_as_Compare(test)->ops.count == 1 && write_item(with, test, text);
}

bool gm_source_condition(gm_fixer *fixer, gm_proof *proof, const gm_node *test, bool later, gm_edit_text *text, bool *negated) {
    writing with = {fixer, proof};
    return write_condition(&with, test, later, text, negated);
}
