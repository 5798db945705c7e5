/* Values of conditions: whether their truth is data. */
#include "values/values_private.h"

/* What the truth of a value says of a condition. */
static gm_value truth(gm_value value, const gm_node *node) {
    if (value.class_ == GM_VALUE_NO_PATH) {
        return gm_value_unknown(node);
    }
    if (value.class_ == GM_VALUE_NOT && (value.traits & GM_VALUE_FROM_DATA) != 0) {
        value.class_ = GM_VALUE_TENSOR;
    } else if (value.class_ != GM_VALUE_TENSOR && (value.traits & GM_VALUE_MAYBE_DATA) != 0) {
        value.class_ = GM_VALUE_MAYBE;
    } else if (value.class_ == GM_VALUE_NOT && (value.traits & GM_VALUE_UNSURE_DATA) != 0) {
        value.class_ = GM_VALUE_UNKNOWN;
    }
    return gm_value_finish(value, node);
}

static int rank(gm_value value) {
    static const int ranks[] = {[GM_VALUE_NOT] = 0, [GM_VALUE_UNKNOWN] = 1, [GM_VALUE_MAYBE] = 2, [GM_VALUE_TENSOR] = 3};
    return ranks[value.class_];
}

static gm_value test_of(gm_function *function, const gm_node *test, uint32_t depth);

/* Operands behind the first need not be evaluated. */
static gm_value of_operands(gm_function *function, const gm_list *operands, uint32_t depth) {
    gm_value value = test_of(function, operands->items[0], depth);
    for (uint32_t i = 1; i < operands->count; i++) {
        gm_value operand = test_of(function, operands->items[i], depth);
        operand.class_ = operand.class_ == GM_VALUE_TENSOR ? GM_VALUE_MAYBE : operand.class_;
        value = rank(operand) > rank(value) ? operand : value;
    }
    return value;
}

enum { DEPTH_LIMIT = 100 };

static gm_value test_of(gm_function *function, const gm_node *test, uint32_t depth) {
    if (depth > DEPTH_LIMIT) {
        return gm_value_unknown(test);
    }
    if (test->kind == GM_KIND_BoolOp) {
        return of_operands(function, &gm_as_BoolOp(test)->values, depth + 1);
    }
    if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        return test_of(function, gm_as_UnaryOp(test)->operand, depth + 1);
    }
    return truth(gm_evaluate(function, test), test);
}

gm_value gm_value_of_test(gm_function *function, const gm_node *test) {
    return test_of(function, test, 0);
}
