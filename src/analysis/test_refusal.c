#include "analysis/test_refusal.h"

#include "analysis/effects.h"
#include "analysis/sides.h"

static bool is_suspension(const gm_node *node) {
    return node->kind == GM_KIND_Await || node->kind == GM_KIND_Yield || node->kind == GM_KIND_YieldFrom || node->kind == GM_KIND_ErrorExpr;
}

/* A plain function over nodes for gm_node_children. */
static bool find_suspension(const gm_node *node, void *context) {
    const gm_node **found = context;
    if (is_suspension(node)) {
        *found = node;
        return false;
    }
    return gm_node_children(node, find_suspension, context);
}

static bool find_walrus(const gm_node *node, void *context) {
    const gm_node **found = context;
    if (node->kind == GM_KIND_NamedExpr) {
        *found = node;
        return false;
    }
    return gm_node_children(node, find_walrus, context);
}

typedef bool (*finder)(const gm_node *node, void *context);

static const gm_node *search(gm_arena *arena, const gm_node *node, finder find) {
    const gm_node *found = NULL;
    gm_work_below(arena, node);
    find(node, &found);
    return found;
}

typedef struct gm_test_question {
    gm_analysis *analysis;
    const gm_site *site;
} question;

static gm_refusal refusal_of(const question *asked, const gm_node *test);

/* Operands behind one that may be a tensor are evaluated although Python might have stopped before them. */
static gm_refusal refusal_of_operands(const question *asked, const gm_list *operands) {
    bool data = false;
    gm_refusal refusal = {NULL, NULL};
    for (uint32_t i = 0; i < operands->count && refusal.reason == NULL; i++) {
        const gm_node *operand = operands->items[i];
        if (search(asked->analysis->arena, operand, find_walrus) != NULL) {
            return (gm_refusal){"an operand of the condition assigns a variable", operand};
        }
        if (data) {
            refusal = gm_effects_of(asked->analysis, asked->site->function, operand, GM_EFFECTS_TEST);
        }
        const char *reason = NULL;
        data = data || gm_test_classify(asked->site->function, operand, &reason) != GM_TEST_PYTHON;
        refusal = refusal.reason != NULL ? refusal : refusal_of(asked, operand);
    }
    return refusal;
}

static gm_refusal refusal_of_names(const question *asked, const gm_node *test) {
    gm_symbol_list names = gm_sides_names(asked->analysis, asked->site->function, test);
    return gm_sides_bound(asked->analysis, asked->site->function, asked->site->statement, &names, NULL);
}

static gm_refusal refusal_of(const question *asked, const gm_node *test) {
    switch (gm_test_form_of(asked->analysis->flow, test)) {
    case GM_TEST_AND:
    case GM_TEST_OR: {
        gm_refusal refusal = refusal_of_operands(asked, &gm_as_BoolOp(test)->values);
        return refusal.reason != NULL ? refusal : refusal_of_names(asked, test);
    }
    case GM_TEST_NOT: return refusal_of(asked, gm_as_UnaryOp(test)->operand);
    case GM_TEST_TRUTH: return refusal_of(asked, gm_as_Call(test)->args.items[0]);
    case GM_TEST_CHAIN:
    case GM_TEST_EQUAL:
    case GM_TEST_MEMBER: {
        if (search(asked->analysis->arena, test, find_walrus) != NULL) {
            return (gm_refusal){"an operand of the condition assigns a variable", test};
        }
        return refusal_of_names(asked, test);
    }
    case GM_TEST_PLAIN:
        if (test->kind == GM_KIND_Compare && gm_as_Compare(test)->ops.count > 1) {
            return (gm_refusal){"the middle of the chained comparison would be evaluated twice", test};
        }
        return (gm_refusal){NULL, NULL};
    case GM_TEST_ITEM:
    case GM_TEST_ALLCLOSE: break;
    }
    return (gm_refusal){NULL, NULL};
}

/* A parameter of a function besides its first one. */
static bool is_later_parameter(const gm_function *function, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(function->flow->scopes, name);
    const gm_arguments *parameters = gm_as_arguments(gm_as_FunctionDef(function->node)->args);
    bool own = symbol != NULL && symbol->scope == function->scope && (symbol->flags & GM_SYMBOL_PARAMETER) != 0;
    return own && parameters->args.count > 0 && symbol->name != gm_as_arg(parameters->args.items[0])->arg;
}

typedef struct gm_gradient_question {
    const gm_function *function;
    const gm_node *found;
} gradient_question;

static bool find_gradient(const gm_node *node, void *context) {
    gradient_question *asked = context;
    if (node->kind == GM_KIND_Name && is_later_parameter(asked->function, node)) {
        asked->found = node;
    }
    return asked->found == NULL && gm_node_children(node, find_gradient, context);
}

/* In the backward pass of an autograd function, its arguments are gradients: no graph of the forward pass can decide by them. */
static const gm_node *gradient_in(const gm_analysis *analysis, gm_function *function, const gm_node *test) {
    bool named = function->node->kind == GM_KIND_FunctionDef && gm_name_is(gm_as_FunctionDef(function->node)->name, "backward");
    const gm_node *class_def = named ? gm_class_definition_around(function) : NULL;
    if (class_def == NULL || !gm_class_is_autograd_function(function->flow, class_def)) {
        return NULL;
    }
    gradient_question asked = {function, NULL};
    gm_work_below(analysis->arena, test);
    find_gradient(test, &asked);
    return asked.found;
}

gm_refusal gm_test_refusal(gm_analysis *analysis, const gm_site *site, const gm_node *test, bool twice) {
    const gm_node *suspension = search(analysis->arena, test, find_suspension);
    if (suspension != NULL) {
        return (gm_refusal){"the condition awaits or yields", suspension};
    }
    const gm_node *gradient = gradient_in(analysis, site->function, test);
    if (gradient != NULL) {
        return (gm_refusal){"gradients are known only in the backward pass, when the graph has been made", gradient};
    }
    if (twice) {
        const gm_node *walrus = search(analysis->arena, test, find_walrus);
        if (walrus != NULL) {
            return (gm_refusal){"the condition assigns a variable", walrus};
        }
        gm_refusal refusal = gm_effects_of(analysis, site->function, test, GM_EFFECTS_TEST);
        if (refusal.reason != NULL) {
            return refusal;
        }
    }
    question asked = {analysis, site};
    return refusal_of(&asked, test);
}
