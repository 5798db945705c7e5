#include "analysis/effects.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/blocks.h"
#include "analysis/effects_private.h"
#include "analysis/reach.h"

static const gm_refusal none = {NULL, NULL};

gm_refusal gm_effects_refuse(const char *reason, const gm_node *node) {
    return (gm_refusal){reason, node};
}

/* ---- Statements ---- */

typedef struct gm_block_question {
    gm_analysis *analysis;
    gm_function *function;
    gm_effects_mode mode;
    bool loop; /* inside a loop of the block: break and continue stay in the block */
} question;

static gm_refusal of_statement(const question *asked, const gm_node *statement);

static gm_refusal of_list(const question *asked, const gm_list *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        gm_refusal refusal = of_statement(asked, block->items[i]);
        if (refusal.reason != NULL) {
            return refusal;
        }
    }
    return none;
}

static gm_refusal of_value(const question *asked, const gm_node *expression) {
    return expression == NULL ? none : gm_effects_of(asked->analysis, asked->function, expression, asked->mode);
}

static gm_refusal first_of(gm_refusal first, gm_refusal second) {
    return first.reason != NULL ? first : second;
}

/* The variable at the root of `x[i].y`, or NULL. */
static const gm_node *root_of(const gm_node *target) {
    while (target->kind == GM_KIND_Attribute || target->kind == GM_KIND_Subscript) {
        target = target->kind == GM_KIND_Attribute ? gm_as_Attribute(target)->value : gm_as_Subscript(target)->value;
    }
    return target->kind == GM_KIND_Name ? target : NULL;
}

/* Whether a value may be a tensor, as far as is known. */
static bool may_be_tensor(const question *asked, const gm_node *expression) {
    gm_value value = gm_value_of(asked->function, expression);
    return value.class_ != GM_VALUE_NOT;
}

/* An item of what may be a tensor: the tracer stores into a copy, or finds that it is none and refuses. No tensor has items by the name of a text, so
 * an item with such a key belongs to another object. */
static gm_refusal of_item_target(const question *asked, const gm_node *target) {
    const gm_node *root = root_of(target);
    const gm_symbol *symbol = root == NULL ? NULL : gm_scopes_symbol(asked->analysis->flow->scopes, root);
    if (target->kind != GM_KIND_Subscript || symbol == NULL || !gm_symbol_is_local(symbol) ||
        !may_be_tensor(asked, gm_as_Subscript(target)->value) || gm_is_text(gm_as_Subscript(target)->slice)) {
        return gm_effects_refuse("its code writes an item of an object", target);
    }
    return first_of(of_value(asked, gm_as_Subscript(target)->value), of_value(asked, gm_as_Subscript(target)->slice));
}

static gm_refusal of_target(const question *asked, const gm_node *target);

static gm_refusal of_targets(const question *asked, const gm_list *targets) {
    for (uint32_t i = 0; i < targets->count; i++) {
        gm_refusal refusal = of_target(asked, targets->items[i]);
        if (refusal.reason != NULL) {
            return refusal;
        }
    }
    return none;
}

static gm_refusal of_name_target(const question *asked, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(asked->analysis->flow->scopes, name);
    if (symbol == NULL || !gm_symbol_is_local(symbol)) {
        return gm_effects_refuse("its code writes a variable that is not local to the function", name);
    }
    if (symbol->binding == GM_BINDING_CELL && gm_effects_is_captured(symbol)) {
        return gm_effects_refuse("its code writes a variable that a nested function captures", name);
    }
    return none;
}

static gm_refusal of_target(const question *asked, const gm_node *target) {
    switch ((gm_kind)target->kind) {
    case GM_KIND_Name: return of_name_target(asked, target);
    case GM_KIND_Starred: return of_target(asked, gm_as_Starred(target)->value);
    case GM_KIND_Tuple: return of_targets(asked, &gm_as_Tuple(target)->elts);
    case GM_KIND_List: return of_targets(asked, &gm_as_List(target)->elts);
    case GM_KIND_Attribute: return gm_effects_refuse("its code writes an attribute", target);
    default: return of_item_target(asked, target);
    }
}

/* What a side of a branch writes to. The tracer merges a number in an attribute with the number that the attribute has on the other side. */
static gm_refusal of_written(const question *asked, const gm_node *target, bool number) {
    return number && target->kind == GM_KIND_Attribute ? of_value(asked, gm_as_Attribute(target)->value) : of_target(asked, target);
}

static gm_refusal of_assign(const question *asked, const gm_Assign *assign) {
    bool number = asked->mode == GM_EFFECTS_SIDE && gm_value_is_number(gm_value_of(asked->function, assign->value));
    gm_refusal refusal = of_value(asked, assign->value);
    for (uint32_t i = 0; i < assign->targets.count && refusal.reason == NULL; i++) {
        refusal = of_written(asked, assign->targets.items[i], number);
    }
    return refusal;
}

/* Of an attribute without evidence the tracer finds out what it is. */
static gm_refusal of_augmented(const question *asked, const gm_AugAssign *assign) {
    bool number = asked->mode == GM_EFFECTS_SIDE && gm_value_is_number(gm_value_of(asked->function, assign->value));
    gm_value target = gm_value_of(asked->function, assign->target);
    number = number && (target.class_ == GM_VALUE_UNKNOWN || gm_value_is_number(target));
    return first_of(of_value(asked, assign->value), of_written(asked, assign->target, number));
}

/* Contexts of torch itself, such as no_grad and autocast, change nothing but how the operations inside are traced. */
static gm_refusal of_with(const question *asked, const gm_With *with) {
    for (uint32_t i = 0; i < with->items.count; i++) {
        const gm_withitem *item = gm_as_withitem(with->items.items[i]);
        const gm_node *manager = item->context_expr;
        if (manager->kind == GM_KIND_Call) {
            manager = gm_as_Call(manager)->func;
        }
        const gm_name *name = gm_flow_qualified(asked->analysis->flow, manager);
        if (item->optional_vars != NULL || name == NULL || strncmp(name->text, "torch.", 6) != 0) {
            return gm_effects_refuse("its code enters a context manager", item->context_expr);
        }
    }
    return of_list(asked, &with->body);
}

static gm_refusal of_for(const question *asked, const gm_For *loop) {
    question inner = *asked;
    inner.loop = true;
    gm_refusal refusal = first_of(of_value(asked, loop->iter), of_target(asked, loop->target));
    return first_of(refusal, first_of(of_list(&inner, &loop->body), of_list(asked, &loop->orelse)));
}

static gm_refusal of_if(const question *asked, const gm_If *branch) {
    const char *reason = NULL;
    if (gm_test_classify(asked->function, branch->test, &reason) == GM_TEST_TENSOR) {
        return gm_effects_refuse("its code holds a branch on data that cannot be mended", &branch->base);
    }
    gm_refusal refusal = of_value(asked, branch->test);
    return first_of(refusal, first_of(of_list(asked, &branch->body), of_list(asked, &branch->orelse)));
}

static gm_refusal of_return(const question *asked, const gm_Return *leave) {
    if (asked->mode != GM_EFFECTS_TAIL) {
        return gm_effects_refuse("its code returns", &leave->base);
    }
    return of_value(asked, leave->value);
}

static gm_refusal of_jump(const question *asked, const gm_node *jump) {
    return asked->loop ? none : gm_effects_refuse("its code leaves the loop around it", jump);
}

static gm_refusal of_assert(const question *asked, const gm_Assert *assertion) {
    const char *reason = NULL;
    if (gm_test_classify(asked->function, assertion->test, &reason) == GM_TEST_TENSOR) {
        return gm_effects_refuse("its code holds an assertion on data that cannot be mended", &assertion->base);
    }
    return of_value(asked, assertion->test);
}

/* Statements that a plan takes care of. A plan that ends in return is only good where the side may return. */
static bool is_planned(const question *asked, const gm_node *statement) {
    const gm_plan *plan = gm_analysis_plan(asked->analysis, statement);
    return plan != NULL && (plan->kind != GM_PLAN_RETURN || asked->mode == GM_EFFECTS_TAIL);
}

/* What a deferred effect calls where it stands is part of the side. */
static gm_refusal of_called(const question *asked, const gm_plan *plan) {
    gm_refusal refusal = none;
    for (uint32_t i = 0; refusal.reason == NULL && i < plan->captures.count; i++) {
        const gm_capture *capture = &plan->captures.items[i];
        refusal = capture->called ? of_value(asked, capture->node) : none;
    }
    return refusal;
}

/* The side of a guard that goes on runs where the guard stands: it has to be looked at like any other statement. */
static gm_refusal of_planned(const question *asked, const gm_node *statement) {
    const gm_plan *plan = gm_analysis_plan(asked->analysis, statement);
    if (plan->kind == GM_PLAN_DEFER || plan->kind == GM_PLAN_RECORD) {
        return of_called(asked, plan);
    }
    return plan->kind == GM_PLAN_CHECK || plan->kind == GM_PLAN_DROP ? of_list(asked, &plan->then) : none;
}

static const struct {
    gm_kind kind;
    const char *reason;
} forbidden[] = {
    {GM_KIND_FunctionDef, "its code defines a function"},
    {GM_KIND_AsyncFunctionDef, "its code defines a function"},
    {GM_KIND_ClassDef, "its code defines a class"},
    {GM_KIND_Delete, "its code deletes a name"},
    {GM_KIND_Import, "its code imports a module"},
    {GM_KIND_ImportFrom, "its code imports a module"},
    {GM_KIND_Global, "its code declares a global name"},
    {GM_KIND_Nonlocal, "its code declares a nonlocal name"},
    {GM_KIND_Try, "its code handles exceptions"},
    {GM_KIND_TryStar, "its code handles exceptions"},
    {GM_KIND_While, "its code holds a while loop"},
    {GM_KIND_Match, "its code holds a match statement"},
    {GM_KIND_AsyncFor, "its code awaits"},
    {GM_KIND_AsyncWith, "its code awaits"},
    {GM_KIND_TypeAlias, "its code declares a type"},
    {GM_KIND_ErrorStmt, "its code could not be parsed"},
};

static gm_refusal of_forbidden(const gm_node *statement) {
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++) {
        if (statement->kind == forbidden[i].kind) {
            return gm_effects_refuse(forbidden[i].reason, statement);
        }
    }
    return none;
}

static gm_refusal of_statement(const question *asked, const gm_node *statement) {
    if (is_planned(asked, statement)) {
        return of_planned(asked, statement);
    }
    switch ((gm_kind)statement->kind) {
    case GM_KIND_Pass: return none;
    case GM_KIND_Expr: return of_value(asked, gm_as_Expr(statement)->value);
    case GM_KIND_Assign: return of_assign(asked, gm_as_Assign(statement));
    case GM_KIND_AugAssign: return of_augmented(asked, gm_as_AugAssign(statement));
    case GM_KIND_AnnAssign:
        return first_of(of_value(asked, gm_as_AnnAssign(statement)->value), of_target(asked, gm_as_AnnAssign(statement)->target));
    case GM_KIND_If: return of_if(asked, gm_as_If(statement));
    case GM_KIND_For: return of_for(asked, gm_as_For(statement));
    case GM_KIND_With: return of_with(asked, gm_as_With(statement));
    case GM_KIND_Return: return of_return(asked, gm_as_Return(statement));
    case GM_KIND_Break:
    case GM_KIND_Continue: return of_jump(asked, statement);
    case GM_KIND_Assert: return of_assert(asked, gm_as_Assert(statement));
    case GM_KIND_Raise: return none; /* under a Python condition, which the tracer knows: it raises or it does not */
    default: return of_forbidden(statement);
    }
}

gm_refusal gm_effects_of_block(gm_analysis *analysis, gm_function *function, const gm_list *block, gm_effects_mode mode) {
    question asked = {analysis, function, mode, false};
    return of_list(&asked, block);
}

/* ---- Functions ---- */

/* Tools that compile the function's byte code or source on their own. */
static const char *const foreign_compilers[] = {"numba.", "triton.", "torch.jit.", "jax.", "cython.", "taichi."};

static gm_refusal of_decorators(const gm_analysis *analysis, const gm_list *decorators) {
    for (uint32_t i = 0; i < decorators->count; i++) {
        const gm_node *decorator = decorators->items[i];
        if (decorator->kind == GM_KIND_Call) {
            decorator = gm_as_Call(decorator)->func;
        }
        const gm_name *name = gm_flow_qualified(analysis->flow, decorator);
        for (size_t k = 0; name != NULL && k < sizeof foreign_compilers / sizeof foreign_compilers[0]; k++) {
            if (strncmp(name->text, foreign_compilers[k], strlen(foreign_compilers[k])) == 0) {
                return gm_effects_refuse("another compiler reads this function", decorators->items[i]);
            }
        }
    }
    return none;
}

static gm_refusal of_function(gm_analysis *analysis, gm_function *function, uint16_t allowed) {
    static const struct {
        uint16_t trait;
        const char *reason;
    } traits[] = {
        {GM_SCOPE_CALLS_LOCALS, "the function reads its local variables by name"},
        {GM_SCOPE_CALLS_EVAL, "the function evaluates code from text"},
        {GM_SCOPE_NAMES_FRAME, "the function inspects its frame"},
        {GM_SCOPE_HAS_YIELD, "the function is a generator"},
        {GM_SCOPE_HAS_AWAIT, "the function awaits"},
    };
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        if ((function->scope->traits & traits[i].trait & (uint16_t)~allowed) != 0) {
            return gm_effects_refuse(traits[i].reason, function->node);
        }
    }
    if (function->node->kind == GM_KIND_AsyncFunctionDef) {
        return gm_effects_refuse("the function is a coroutine", function->node);
    }
    return function->node->kind == GM_KIND_FunctionDef ? of_decorators(analysis, &gm_as_FunctionDef(function->node)->decorator_list) : none;
}

gm_refusal gm_effects_of_function(gm_analysis *analysis, gm_function *function) {
    return of_function(analysis, function, 0);
}

gm_refusal gm_effects_of_caller(gm_analysis *analysis, gm_function *function) {
    return of_function(analysis, function, GM_SCOPE_HAS_YIELD);
}

/* ---- Functions of the file that are called ---- */

typedef struct gm_verdict {
    const gm_node *definition;
    bool running;
    const char *reason; /* NULL: pure */
} verdict;

/* Functions that call functions that call ...: each is judged inside the one before it, on this thread's stack. */
enum { MOST_CALLEES_DEEP = 48 };

struct gm_purity {
    GM_VEC(verdict) verdicts;
    uint32_t depth;
};

static verdict *find_verdict(gm_analysis *analysis, const gm_node *definition) {
    if (analysis->purity == NULL) {
        analysis->purity = GM_NEW(analysis->arena, struct gm_purity);
    }
    for (uint32_t i = 0; i < analysis->purity->verdicts.count; i++) {
        if (analysis->purity->verdicts.items[i].definition == definition) {
            return &analysis->purity->verdicts.items[i];
        }
    }
    return NULL;
}

static const char *judge(gm_analysis *analysis, const gm_node *definition) {
    gm_function *function = gm_flow_function(analysis->flow, definition);
    if (function == NULL || definition->kind != GM_KIND_FunctionDef) {
        return "its code calls a function whose effects are not known";
    }
    analysis->visit(analysis, definition);
    gm_refusal refusal = gm_effects_of_function(analysis, function);
    refusal = first_of(refusal, gm_effects_of_block(analysis, function, &gm_as_FunctionDef(definition)->body, GM_EFFECTS_TAIL));
    return refusal.reason == NULL
               ? NULL
               : gm_analysis_text(analysis, "its code calls `%s`, in which %s", gm_as_FunctionDef(definition)->name->text, refusal.reason);
}

const char *gm_effects_of_callee(gm_analysis *analysis, const gm_node *definition) {
    verdict *known = find_verdict(analysis, definition);
    if (known != NULL) {
        return known->running ? "its code calls a recursive function" : known->reason;
    }
    if (analysis->purity->depth == MOST_CALLEES_DEEP) {
        return "its code calls functions that are nested too deeply";
    }
    verdict fresh = {definition, true, NULL};
    gm_vec_push(analysis->arena, &analysis->purity->verdicts, fresh);
    analysis->purity->depth++;
    const char *reason = judge(analysis, definition);
    analysis->purity->depth--;
    known = find_verdict(analysis, definition); /* the table may have moved */
    known->running = false;
    known->reason = reason;
    return reason;
}
