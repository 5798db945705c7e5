/* Conditions in the runtime dialect: `and`, `or`, `not` and what turns a tensor into a Python value become calls. */
#include "analysis/tests.h"
#include "mend/runtime_private.h"

static void begin_call(gm_emitter *emitter, const gm_plan *plan, const char *name) {
    gm_write(&emitter->out, "_gm.");
    gm_write(&emitter->out, name);
    gm_write(&emitter->out, "(");
    gm_emit_site(emitter, plan);
}

static void emit_operand(gm_emitter *emitter, const gm_plan *plan, const gm_node *operand) {
    gm_write(&emitter->out, ", ");
    gm_emit_lambda(emitter, plan, operand);
    gm_emit_test(emitter, plan, operand);
}

static void emit_junction(gm_emitter *emitter, const gm_plan *plan, const gm_BoolOp *junction) {
    begin_call(emitter, plan, junction->op == GM_OP_And ? "and_" : "or_");
    for (uint32_t i = 0; i < junction->values.count; i++) {
        emit_operand(emitter, plan, junction->values.items[i]);
    }
    gm_write(&emitter->out, ")");
}

/* A call of one tested operand. */
static void emit_unary(gm_emitter *emitter, const gm_plan *plan, const char *name, const gm_node *operand) {
    begin_call(emitter, plan, name);
    gm_write(&emitter->out, ", ");
    gm_emit_test(emitter, plan, operand);
    gm_write(&emitter->out, ")");
}

static const char *const operator_texts[GM_OP_COUNT] = {
    [GM_OP_Eq] = " == ",  [GM_OP_NotEq] = " != ", [GM_OP_Lt] = " < ",         [GM_OP_LtE] = " <= ", [GM_OP_Gt] = " > ",
    [GM_OP_GtE] = " >= ", [GM_OP_Is] = " is ",    [GM_OP_IsNot] = " is not ", [GM_OP_In] = " in ",  [GM_OP_NotIn] = " not in ",
};

/* `a < b < c` as `a < b and b < c`; what is evaluated twice is a name or a number. */
static void emit_chain(gm_emitter *emitter, const gm_plan *plan, const gm_Compare *chain) {
    gm_node *left = chain->left;
    begin_call(emitter, plan, "and_");
    for (uint32_t i = 0; i < chain->comparators.count; i++) {
        gm_node *right = chain->comparators.items[i];
        gm_Compare link = {.base = chain->base, .left = left, .comparators = {&right, 1}};
        link.base.start = left->start;
        link.base.end = right->end;
        gm_write(&emitter->out, ", ");
        gm_emit_lambda(emitter, plan, &link.base);
        gm_emit_expression(emitter, left);
        gm_write(&emitter->out, operator_texts[chain->ops.items[i]]);
        gm_emit_expression(emitter, right);
        left = right;
    }
    gm_write(&emitter->out, ")");
}

/* One side of `a.item() > 0`. */
static void emit_item_side(gm_emitter *emitter, const gm_plan *plan, const gm_node *side) {
    const gm_node *receiver = gm_test_item_receiver(side);
    if (receiver == NULL) {
        gm_emit_expression(emitter, side);
        return;
    }
    begin_call(emitter, plan, "item");
    gm_write(&emitter->out, ", ");
    gm_emit_expression(emitter, receiver);
    gm_write(&emitter->out, ")");
}

static void emit_item(gm_emitter *emitter, const gm_plan *plan, const gm_Compare *compare) {
    gm_write(&emitter->out, "(");
    emit_item_side(emitter, plan, compare->left);
    gm_write(&emitter->out, operator_texts[compare->ops.items[0]]);
    emit_item_side(emitter, plan, compare->comparators.items[0]);
    gm_write(&emitter->out, ")");
}

/* The arguments of a call as they stand. */
static void emit_call(gm_emitter *emitter, const gm_plan *plan, const char *name, const gm_Call *call) {
    begin_call(emitter, plan, name);
    for (uint32_t i = 0; i < call->args.count; i++) {
        const gm_node *argument = call->args.items[i];
        gm_write(&emitter->out, ", ");
        if (argument->kind == GM_KIND_Starred) {
            gm_emit_source(emitter, argument->start, argument->end);
        } else {
            gm_emit_expression(emitter, argument);
        }
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        gm_write(&emitter->out, keyword->arg == NULL ? ", **" : ", ");
        gm_write(&emitter->out, keyword->arg == NULL ? "" : keyword->arg->text);
        gm_write(&emitter->out, keyword->arg == NULL ? "" : "=");
        gm_emit_expression(emitter, keyword->value);
    }
    gm_write(&emitter->out, ")");
}

static void emit_membership(gm_emitter *emitter, const gm_plan *plan, const gm_Compare *compare) {
    bool negated = compare->ops.items[0] == GM_OP_NotIn;
    if (negated) {
        begin_call(emitter, plan, "not_");
        gm_write(&emitter->out, ", ");
    }
    begin_call(emitter, plan, "member");
    gm_write(&emitter->out, ", ");
    gm_emit_expression(emitter, compare->left);
    gm_write(&emitter->out, ", ");
    gm_emit_expression(emitter, compare->comparators.items[0]);
    gm_write(&emitter->out, negated ? "))" : ")");
}

void gm_emit_test(gm_emitter *emitter, const gm_plan *plan, const gm_node *test) {
    switch (gm_test_form_of(emitter->analysis->flow, test)) {
    case GM_TEST_AND:
    case GM_TEST_OR: emit_junction(emitter, plan, gm_as_BoolOp(test)); break;
    case GM_TEST_NOT: emit_unary(emitter, plan, "not_", gm_as_UnaryOp(test)->operand); break;
    case GM_TEST_CHAIN: emit_chain(emitter, plan, gm_as_Compare(test)); break;
    case GM_TEST_TRUTH: emit_unary(emitter, plan, "truth", gm_as_Call(test)->args.items[0]); break;
    case GM_TEST_ITEM: emit_item(emitter, plan, gm_as_Compare(test)); break;
    case GM_TEST_EQUAL: emit_call(emitter, plan, "equal", gm_as_Call(test)); break;
    case GM_TEST_ALLCLOSE: emit_call(emitter, plan, "allclose", gm_as_Call(test)); break;
    case GM_TEST_MEMBER: emit_membership(emitter, plan, gm_as_Compare(test)); break;
    case GM_TEST_PLAIN: gm_emit_expression(emitter, test); break;
    }
}
