/* Tests: conditions of branches, assertions and conditional expressions. */
#ifndef GM_ANALYSIS_TESTS_H
#define GM_ANALYSIS_TESTS_H

#include "analysis/analysis.h"

typedef enum gm_test_class {
    GM_TEST_PYTHON,  /* certainly no tensor: left alone */
    GM_TEST_SUSPECT, /* may be one, by its shape alone: mended for the tracer, not reported */
    GM_TEST_TENSOR,  /* by evidence */
} gm_test_class;

/* The class of a condition; `*reason` says why it is taken for a tensor. */
gm_test_class gm_test_classify(gm_function *function, const gm_node *test, const char **reason);

/* How a part of a condition is written for the tracer; src/mend/test_text.c has the text. */
typedef enum gm_test_form {
    GM_TEST_PLAIN,    /* as it stands */
    GM_TEST_AND,      /* BoolOp */
    GM_TEST_OR,
    GM_TEST_NOT,
    GM_TEST_CHAIN,    /* a < b < c */
    GM_TEST_TRUTH,    /* bool(a) */
    GM_TEST_ITEM,     /* a.item() OP constant */
    GM_TEST_EQUAL,    /* torch.equal(a, b) */
    GM_TEST_ALLCLOSE, /* torch.allclose(...) */
    GM_TEST_MEMBER,   /* a in [1, 2] */
} gm_test_form;

gm_test_form gm_test_form_of(gm_flow *flow, const gm_node *test);

/* `bool(a)`: returns `a`, or NULL. */
const gm_node *gm_test_bool_argument(gm_flow *flow, const gm_node *expression);

/* A number as a literal, with or without a minus. */
bool gm_test_is_number(const gm_node *expression);

/* `a.item()`: returns `a`, or NULL. */
const gm_node *gm_test_item_receiver(const gm_node *expression);

#endif
