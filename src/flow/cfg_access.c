/* Which variables of the function an expression or statement touches, in order of evaluation. */
#include "flow/cfg_private.h"
#include "flow/walk.h"

/* ---- One name ---- */

/* The variable of the graph's own scope that `symbol`, in it or in a scope inside, stands for. */
static gm_symbol *own_variable(const gm_cfg *cfg, const gm_symbol *symbol) {
    gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(cfg->scopes, symbol);
    return owner != NULL && owner->scope == cfg->scope ? owner : NULL;
}

static void mark_deleted(gm_arena *arena, gm_cfg *cfg, const gm_symbol *symbol) {
    if (cfg->deleted == NULL) {
        cfg->deleted = GM_NEW_ARRAY(arena, bool, cfg->scope->symbols.count);
    }
    cfg->deleted[symbol->index] = true;
}

static void add_symbol(access_sink *sink, const gm_node *node, gm_symbol *symbol, gm_access_kind kind) {
    gm_access access = {.node = node, .symbol = symbol, .kind = (uint8_t)kind, .maybe = sink->maybe, .nested = sink->nested};
    gm_vec_push(sink->arena, &sink->cfg->accesses, access);
    if (kind == GM_ACCESS_DELETE) {
        mark_deleted(sink->arena, sink->cfg, symbol);
    }
}

void gm_access_add(access_sink *sink, const gm_node *node, gm_access_kind kind) {
    gm_symbol *variable = own_variable(sink->cfg, gm_scopes_symbol(sink->cfg->scopes, node));
    if (variable != NULL) {
        add_symbol(sink, node, variable, kind);
    }
}

static void visit_name(access_sink *sink, const gm_node *node) {
    static const gm_access_kind kinds[] = {[GM_LOAD] = GM_ACCESS_READ, [GM_STORE] = GM_ACCESS_WRITE, [GM_DEL] = GM_ACCESS_DELETE};
    gm_access_add(sink, node, kinds[gm_as_Name(node)->ctx]);
}

static void visit_list(access_sink *sink, const gm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        gm_accesses_of_expression(sink, list->items[i]);
    }
}

/* ---- Nested functions and classes ---- */

/* Everything that a nested scope captures, at any depth: it may run at any time from here on. */
static void visit_captures(access_sink *sink, const gm_node *node, const gm_scope *scope) {
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        const gm_symbol *symbol = scope->symbols.items[i];
        gm_symbol *variable = gm_symbol_is_local(symbol) ? NULL : own_variable(sink->cfg, symbol);
        if (variable != NULL) {
            add_symbol(sink, node, variable, GM_ACCESS_READ);
            if ((symbol->flags & GM_SYMBOL_BOUND) != 0) {
                add_symbol(sink, node, variable, GM_ACCESS_WRITE);
            }
        }
    }
    for (uint32_t i = 0; i < scope->children.count; i++) {
        visit_captures(sink, node, scope->children.items[i]);
    }
}

static void visit_inner_scope(access_sink *sink, const gm_node *node) {
    const gm_scope *scope = gm_scopes_of(sink->cfg->scopes, node);
    access_sink inner = {sink->arena, sink->cfg, true, true};
    if (scope != NULL) {
        visit_captures(&inner, node, scope);
    }
}

static void visit_maybe(access_sink *sink, const gm_node *node) {
    bool before = sink->maybe;
    sink->maybe = true;
    gm_accesses_of_expression(sink, node);
    sink->maybe = before;
}

static void visit_maybe_list(access_sink *sink, const gm_list *list, uint32_t first) {
    for (uint32_t i = first; i < list->count; i++) {
        visit_maybe(sink, list->items[i]);
    }
}

static void visit_annotations(access_sink *sink, const gm_list *arguments) {
    for (uint32_t i = 0; i < arguments->count; i++) {
        visit_maybe(sink, gm_as_arg(arguments->items[i])->annotation);
    }
}

/* Defaults are evaluated at the definition; annotations too, unless a future import or version defers them. */
static void visit_signature(access_sink *sink, const gm_arguments *arguments) {
    visit_list(sink, &arguments->defaults);
    visit_list(sink, &arguments->kw_defaults);
    visit_annotations(sink, &arguments->posonlyargs);
    visit_annotations(sink, &arguments->args);
    visit_annotations(sink, &arguments->kwonlyargs);
    if (arguments->vararg != NULL) {
        visit_maybe(sink, gm_as_arg(arguments->vararg)->annotation);
    }
    if (arguments->kwarg != NULL) {
        visit_maybe(sink, gm_as_arg(arguments->kwarg)->annotation);
    }
}

/* Bounds of type parameters are evaluated when somebody asks for them. */
static void visit_type_params(access_sink *sink, const gm_list *params) {
    access_sink inner = {sink->arena, sink->cfg, true, true};
    visit_list(&inner, params);
}

static void visit_def(access_sink *sink, const gm_node *node) {
    const gm_FunctionDef *function = (const gm_FunctionDef *)(const void *)node;
    visit_list(sink, &function->decorator_list);
    visit_signature(sink, gm_as_arguments(function->args));
    visit_maybe(sink, function->returns);
    visit_type_params(sink, &function->type_params);
    visit_inner_scope(sink, node);
    gm_access_add(sink, node, GM_ACCESS_WRITE);
}

static void visit_class(access_sink *sink, const gm_node *node) {
    const gm_ClassDef *class_ = gm_as_ClassDef(node);
    visit_list(sink, &class_->decorator_list);
    visit_list(sink, &class_->bases);
    visit_list(sink, &class_->keywords);
    visit_type_params(sink, &class_->type_params);
    visit_inner_scope(sink, node);
    gm_access_add(sink, node, GM_ACCESS_WRITE);
}

/* ---- Expressions ---- */

static void visit_boolop(access_sink *sink, const gm_node *node) {
    const gm_BoolOp *operation = gm_as_BoolOp(node);
    gm_accesses_of_expression(sink, operation->values.items[0]);
    visit_maybe_list(sink, &operation->values, 1);
}

static void visit_ifexp(access_sink *sink, const gm_node *node) {
    const gm_IfExp *choice = gm_as_IfExp(node);
    gm_accesses_of_expression(sink, choice->test);
    visit_maybe(sink, choice->body);
    visit_maybe(sink, choice->orelse);
}

/* `a < b < c` evaluates `c` only when `a < b`. */
static void visit_compare(access_sink *sink, const gm_node *node) {
    const gm_Compare *compare = gm_as_Compare(node);
    gm_accesses_of_expression(sink, compare->left);
    gm_accesses_of_expression(sink, compare->comparators.items[0]);
    visit_maybe_list(sink, &compare->comparators, 1);
}

static void visit_walrus(access_sink *sink, const gm_node *node) {
    gm_accesses_of_expression(sink, gm_as_NamedExpr(node)->value);
    gm_accesses_of_target(sink, gm_as_NamedExpr(node)->target);
}

static void visit_lambda(access_sink *sink, const gm_node *node) {
    visit_signature(sink, gm_as_arguments(gm_as_Lambda(node)->args));
    visit_inner_scope(sink, node);
}

static const gm_list *generators_of(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_ListComp: return &gm_as_ListComp(node)->generators;
    case GM_KIND_SetComp: return &gm_as_SetComp(node)->generators;
    case GM_KIND_DictComp: return &gm_as_DictComp(node)->generators;
    default: return &gm_as_GeneratorExp(node)->generators;
    }
}

static void visit_element(access_sink *sink, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_ListComp: gm_accesses_of_expression(sink, gm_as_ListComp(node)->elt); break;
    case GM_KIND_SetComp: gm_accesses_of_expression(sink, gm_as_SetComp(node)->elt); break;
    case GM_KIND_DictComp:
        gm_accesses_of_expression(sink, gm_as_DictComp(node)->key);
        gm_accesses_of_expression(sink, gm_as_DictComp(node)->value);
        break;
    default: gm_accesses_of_expression(sink, gm_as_GeneratorExp(node)->elt);
    }
}

/* The first iterable is evaluated here; the rest may run never, or later when it is a generator. Targets of the `for`
 * belong to the comprehension and are no variables of the function. */
static void visit_comprehension(access_sink *sink, const gm_node *node) {
    const gm_list *generators = generators_of(node);
    access_sink inner = {sink->arena, sink->cfg, true, sink->nested || node->kind == GM_KIND_GeneratorExp};
    gm_accesses_of_expression(sink, gm_as_comprehension(generators->items[0])->iter);
    for (uint32_t i = 0; i < generators->count; i++) {
        const gm_comprehension *part = gm_as_comprehension(generators->items[i]);
        if (i > 0) {
            gm_accesses_of_expression(&inner, part->iter);
        }
        gm_accesses_of_target(&inner, part->target);
        visit_list(&inner, &part->ifs);
    }
    visit_element(&inner, node);
}

static bool visit_child(const gm_node *child, void *context) {
    gm_accesses_of_expression(context, child);
    return true;
}

typedef struct tail_visit {
    access_sink *sink;
    const gm_node *skipped;
} tail_visit;

static bool visit_tail_child(const gm_node *child, void *context) {
    tail_visit *visit = context;
    if (child != visit->skipped) {
        gm_accesses_of_expression(visit->sink, child);
    }
    return true;
}

/* Left-leaning chains without recursion: innermost operand first, then the rest of each node outwards. */
static void visit_chain(access_sink *sink, const gm_node *node) {
    GM_VEC(const gm_node *) chain = {0};
    for (const gm_node *left = gm_left_operand(node); left != NULL; left = gm_left_operand(node)) {
        gm_vec_push(sink->arena, &chain, node);
        node = left;
    }
    gm_accesses_of_expression(sink, node);
    while (chain.count > 0) {
        const gm_node *outer = chain.items[--chain.count];
        tail_visit tail = {sink, gm_left_operand(outer)};
        gm_node_children(outer, visit_tail_child, &tail);
    }
}

static void (*const visitors[GM_KIND_COUNT])(access_sink *, const gm_node *) = {
    [GM_KIND_Name] = visit_name,
    [GM_KIND_BoolOp] = visit_boolop,
    [GM_KIND_IfExp] = visit_ifexp,
    [GM_KIND_Compare] = visit_compare,
    [GM_KIND_NamedExpr] = visit_walrus,
    [GM_KIND_Lambda] = visit_lambda,
    [GM_KIND_ListComp] = visit_comprehension,
    [GM_KIND_SetComp] = visit_comprehension,
    [GM_KIND_DictComp] = visit_comprehension,
    [GM_KIND_GeneratorExp] = visit_comprehension,
    [GM_KIND_FunctionDef] = visit_def,
    [GM_KIND_AsyncFunctionDef] = visit_def,
    [GM_KIND_ClassDef] = visit_class,
};

void gm_accesses_of_expression(access_sink *sink, const gm_node *node) {
    if (node == NULL) {
        return;
    }
    if (visitors[node->kind] != NULL) {
        visitors[node->kind](sink, node);
    } else if (gm_left_operand(node) != NULL) {
        visit_chain(sink, node);
    } else {
        gm_node_children(node, visit_child, sink);
    }
}

/* Names say by their context whether they are stored to; a chain below a store is read. */
void gm_accesses_of_target(access_sink *sink, const gm_node *target) {
    gm_accesses_of_expression(sink, target);
}

/* ---- Statements ---- */

static void visit_assign(access_sink *sink, const gm_node *node) {
    gm_accesses_of_expression(sink, gm_as_Assign(node)->value);
    visit_list(sink, &gm_as_Assign(node)->targets);
}

static void visit_augmented(access_sink *sink, const gm_node *node) {
    const gm_AugAssign *assign = gm_as_AugAssign(node);
    if (assign->target->kind == GM_KIND_Name) {
        gm_access_add(sink, assign->target, GM_ACCESS_READ);
        gm_accesses_of_expression(sink, assign->value);
        gm_access_add(sink, assign->target, GM_ACCESS_WRITE);
    } else {
        gm_accesses_of_expression(sink, assign->target);
        gm_accesses_of_expression(sink, assign->value);
    }
}

/* An annotation of a local is never evaluated; one in a module or class may be. */
static void visit_annotated(access_sink *sink, const gm_node *node) {
    const gm_AnnAssign *assign = gm_as_AnnAssign(node);
    bool plain = assign->target->kind == GM_KIND_Name;
    gm_accesses_of_expression(sink, assign->value);
    if (!plain || assign->value != NULL) {
        gm_accesses_of_target(sink, assign->target);
    }
    if (sink->cfg->scope->kind != GM_SCOPE_FUNCTION) {
        visit_maybe(sink, assign->annotation);
    }
}

static void visit_imports(access_sink *sink, const gm_list *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        gm_access_add(sink, names->items[i], GM_ACCESS_WRITE);
    }
}

void gm_accesses_of_statement(access_sink *sink, const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_Assign: visit_assign(sink, node); break;
    case GM_KIND_AugAssign: visit_augmented(sink, node); break;
    case GM_KIND_AnnAssign: visit_annotated(sink, node); break;
    case GM_KIND_Import: visit_imports(sink, &gm_as_Import(node)->names); break;
    case GM_KIND_ImportFrom: visit_imports(sink, &gm_as_ImportFrom(node)->names); break;
    case GM_KIND_TypeAlias: gm_accesses_of_target(sink, gm_as_TypeAlias(node)->name); break;
    default: gm_accesses_of_expression(sink, node);
    }
}

/* ---- Parameters and patterns ---- */

void gm_accesses_of_parameters(access_sink *sink) {
    const gm_scope *scope = sink->cfg->scope;
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        gm_symbol *symbol = scope->symbols.items[i];
        if ((symbol->flags & GM_SYMBOL_PARAMETER) != 0 && symbol->binders.count > 0) {
            add_symbol(sink, symbol->binders.items[0], symbol, GM_ACCESS_WRITE);
        }
    }
}

static bool read_pattern(const gm_node *child, void *context) {
    if (gm_kind_of(child)->group == GM_GROUP_pattern) {
        gm_accesses_of_pattern(context, child);
    } else {
        visit_maybe(context, child);
    }
    return true;
}

void gm_accesses_of_pattern(access_sink *sink, const gm_node *pattern) {
    gm_node_children(pattern, read_pattern, sink);
}

static bool bind_pattern(const gm_node *child, void *context) {
    if (gm_kind_of(child)->group == GM_GROUP_pattern) {
        gm_accesses_of_captures(context, child);
    }
    return true;
}

/* The captures of one side of an or-pattern are those of the other: only the side that matched binds, but it binds all. */
void gm_accesses_of_captures(access_sink *sink, const gm_node *pattern) {
    gm_node_children(pattern, bind_pattern, sink);
    if (pattern->kind == GM_KIND_MatchAs || pattern->kind == GM_KIND_MatchStar || pattern->kind == GM_KIND_MatchMapping) {
        gm_access_add(sink, pattern, GM_ACCESS_WRITE);
    }
}
