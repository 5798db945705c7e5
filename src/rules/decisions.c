#include "rules/decisions.h"

#include "analysis/outside_calls.h"
#include "analysis/test_refusal.h"
#include "rules/rule.h"

typedef struct gm_decision_walk {
    gm_analysis *analysis;
    gm_function *function;
    const gm_node *statement;
    gm_findings *found;
} walk;

/* `bool(a)`, `any(a for ...)`, `all([a for ...])`: returns `a`, or NULL. */
static const gm_node *asked_by_call(const walk *walking, const gm_node *node) {
    gm_flow *flow = walking->analysis->flow;
    const gm_Call *call = gm_as_Call(node);
    if (call->args.count != 1 || call->keywords.count > 0) {
        return NULL;
    }
    if (gm_flow_names(flow, call->func, "builtins.any") || gm_flow_names(flow, call->func, "builtins.all")) {
        const gm_node *items = call->args.items[0];
        return items->kind == GM_KIND_GeneratorExp ? gm_as_GeneratorExp(items)->elt
               : items->kind == GM_KIND_ListComp   ? gm_as_ListComp(items)->elt
                                                   : NULL;
    }
    return gm_test_bool_argument(flow, node);
}

static bool asks_itself(const walk *walking, const gm_node *test) {
    return (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) ||
           (test->kind == GM_KIND_Call && gm_test_bool_argument(walking->analysis->flow, test) != NULL);
}

/* The parts of a condition whose truth Python asks for. `not` and `bool()` ask for it wherever they stand, so they are visited as such. */
static void add_test(walk *walking, const gm_node *test) {
    const char *reason = NULL;
    if (test->kind == GM_KIND_BoolOp) {
        const gm_list *operands = &gm_as_BoolOp(test)->values;
        for (uint32_t i = 0; i < operands->count; i++) {
            add_test(walking, operands->items[i]);
        }
    } else if (!asks_itself(walking, test) && (gm_test_classify(walking->function, test, &reason) != GM_TEST_PYTHON ||
                                               gm_value_of(walking->function, test).form == GM_FORM_ARRAY)) {
        gm_finding decision = {.rule = &gm_rule_path, .node = test, .function = walking->function, .message = "decision on data"};
        gm_site site = {.function = walking->function, .node = test, .statement = walking->statement};
        decision.refusal = gm_test_refusal(walking->analysis, &site, test, false);
        gm_vec_push(walking->analysis->arena, walking->found, decision);
    }
}

static void add_tests(walk *walking, const gm_list *tests) {
    for (uint32_t i = 0; i < tests->count; i++) {
        add_test(walking, tests->items[i]);
    }
}

/* A call that takes a value from outside: the place is its callee. */
static void add_outside(walk *walking, const gm_node *call) {
    gm_outside_form form = gm_outside_form_of(walking->function, call);
    if (form != GM_OUTSIDE_NONE && form != GM_OUTSIDE_OBJECT) {
        gm_finding taken = {.rule = &gm_rule_outside_value,
                            .node = gm_as_Call(call)->func,
                            .function = walking->function,
                            .message = "value from outside of the program"};
        gm_vec_push(walking->analysis->arena, walking->found, taken);
    }
}

/* What a node asks the truth of. */
static void visit_tests(walk *walking, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_If: add_test(walking, gm_as_If(node)->test); break;
    case GM_KIND_While: add_test(walking, gm_as_While(node)->test); break;
    case GM_KIND_IfExp: add_test(walking, gm_as_IfExp(node)->test); break;
    case GM_KIND_Assert: add_test(walking, gm_as_Assert(node)->test); break;
    case GM_KIND_UnaryOp:
        if (gm_as_UnaryOp(node)->op == GM_OP_Not) {
            add_test(walking, gm_as_UnaryOp(node)->operand);
        }
        break;
    case GM_KIND_Call:
        if (asked_by_call(walking, node) != NULL) {
            add_test(walking, asked_by_call(walking, node));
        }
        break;
    case GM_KIND_comprehension: add_tests(walking, &gm_as_comprehension(node)->ifs); break;
    case GM_KIND_match_case:
        if (gm_as_match_case(node)->guard != NULL) {
            add_test(walking, gm_as_match_case(node)->guard);
        }
        break;
    default: break;
    }
}

static bool visit_decision(const gm_node *node, void *context) {
    walk inner = *(walk *)context;
    if (node->kind == GM_KIND_JoinedStr || gm_is_finalizer(node)) {
        return true;
    }
    if (gm_is_def(node)) {
        inner.function = gm_flow_function(inner.analysis->flow, node);
    } else if (node->kind == GM_KIND_ClassDef || node->kind == GM_KIND_Lambda) {
        inner.function = NULL;
    }
    inner.statement = gm_is_stmt(node) ? node : inner.statement;
    if (inner.function != NULL) {
        visit_tests(&inner, node);
        if (node->kind == GM_KIND_Call) {
            add_outside(&inner, node);
        }
    }
    return gm_node_children(node, visit_decision, &inner);
}

gm_findings *gm_decisions_of(gm_analysis *analysis) {
    walk walking = {analysis, NULL, NULL, GM_NEW(analysis->arena, gm_findings)};
    gm_node_children(&analysis->tree->module->base, visit_decision, &walking);
    return walking.found;
}
