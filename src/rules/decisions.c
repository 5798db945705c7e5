#include "rules/decisions.h"

#include "rules/rule.h"
#include "rules/tests.h"

typedef struct gm_decision_walk {
    gm_analysis *analysis;
    gm_function *function;
    gm_findings *found;
} walk;

/* The parts of a condition whose truth Python asks for. */
static void add_test(walk *walking, const gm_node *test) {
    const char *reason = NULL;
    if (test->kind == GM_KIND_BoolOp) {
        const gm_list *operands = &gm_as_BoolOp(test)->values;
        for (uint32_t i = 0; i < operands->count; i++) {
            add_test(walking, operands->items[i]);
        }
    } else if (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        add_test(walking, gm_as_UnaryOp(test)->operand);
    } else if (gm_test_classify(walking->function, test, &reason) != GM_TEST_PYTHON) {
        gm_finding decision = {.rule = &gm_rule_path, .node = test, .function = walking->function, .message = "decision on data"};
        gm_vec_push(walking->analysis->arena, walking->found, decision);
    }
}

static void add_tests(walk *walking, const gm_list *tests) {
    for (uint32_t i = 0; i < tests->count; i++) {
        add_test(walking, tests->items[i]);
    }
}

/* What a node asks the truth of. */
static void visit_tests(walk *walking, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_If:
        add_test(walking, gm_as_If(node)->test);
        break;
    case GM_KIND_While:
        add_test(walking, gm_as_While(node)->test);
        break;
    case GM_KIND_IfExp:
        add_test(walking, gm_as_IfExp(node)->test);
        break;
    case GM_KIND_Assert:
        add_test(walking, gm_as_Assert(node)->test);
        break;
    case GM_KIND_comprehension:
        add_tests(walking, &gm_as_comprehension(node)->ifs);
        break;
    case GM_KIND_match_case:
        if (gm_as_match_case(node)->guard != NULL) {
            add_test(walking, gm_as_match_case(node)->guard);
        }
        break;
    default:
        break;
    }
}

static bool visit(gm_node *node, void *context) {
    walk inner = *(walk *)context;
    if (node->kind == GM_KIND_JoinedStr) {
        return true;
    }
    if (gm_is_def(node)) {
        inner.function = gm_flow_function(inner.analysis->flow, node);
    } else if (node->kind == GM_KIND_ClassDef || node->kind == GM_KIND_Lambda) {
        inner.function = NULL;
    }
    if (inner.function != NULL) {
        visit_tests(&inner, node);
    }
    return gm_node_children(node, visit, &inner);
}

gm_findings *gm_decisions_of(gm_analysis *analysis) {
    walk walking = {analysis, NULL, GM_NEW(analysis->arena, gm_findings)};
    gm_node_children(&analysis->tree->module->base, visit, &walking);
    return walking.found;
}
