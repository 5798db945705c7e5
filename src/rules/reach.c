#include "rules/reach.h"

#include <string.h>

#include "rules/blocks.h"

struct gm_reach {
    GM_VEC(const gm_node *) definitions;
    GM_VEC(uint32_t) callers; /* of each definition */
};

typedef struct gm_reaching {
    gm_analysis *analysis;
    gm_function *function; /* whose body is read; NULL while roots are looked for */
} reaching;

/* The index of a definition, or the number of definitions when it is not reached. */
static uint32_t find(const struct gm_reach *reach, const gm_node *definition) {
    uint32_t at = 0;
    while (at < reach->definitions.count && reach->definitions.items[at] != definition) {
        at++;
    }
    return at;
}

static bool has(const struct gm_reach *reach, const gm_node *definition) {
    return find(reach, definition) < reach->definitions.count;
}

static void add(gm_analysis *analysis, const gm_node *definition) {
    if (definition != NULL && !has(analysis->reach, definition)) {
        gm_vec_push(analysis->arena, &analysis->reach->definitions, definition);
        gm_vec_push(analysis->arena, &analysis->reach->callers, 0);
    }
}

static void add_call(gm_analysis *analysis, const gm_node *definition) {
    if (definition != NULL) {
        add(analysis, definition);
        analysis->reach->callers.items[find(analysis->reach, definition)]++;
    }
}

/* ---- Callees ---- */

/* The def that a global or local name certainly stands for. */
static const gm_node *definition_of_name(gm_analysis *analysis, const gm_node *name) {
    const gm_symbol *symbol = gm_scopes_symbol(analysis->flow->scopes, name);
    const gm_symbol *owner = symbol == NULL ? NULL : gm_symbol_owner(analysis->flow->scopes, symbol);
    if (owner == NULL || owner->binders.count != 1 || !gm_is_def(owner->binders.items[0])) {
        return NULL;
    }
    return owner->binders.items[0];
}

static const gm_node *method_of(const gm_class *class_, const gm_name *name) {
    const gm_node *found = NULL;
    const gm_list *body = &gm_as_ClassDef(class_->node)->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (gm_is_def(body->items[i]) && gm_def_name(body->items[i]) == name) {
            found = body->items[i];
        }
    }
    return found;
}

const gm_node *gm_reach_callee(gm_analysis *analysis, gm_function *function, const gm_node *call) {
    const gm_node *callee = gm_as_Call(call)->func;
    if (callee->kind == GM_KIND_Name) {
        return definition_of_name(analysis, callee);
    }
    if (callee->kind != GM_KIND_Attribute || gm_as_Attribute(callee)->value->kind != GM_KIND_Name ||
        !gm_name_is(gm_as_Name(gm_as_Attribute(callee)->value)->id, "self")) {
        return NULL;
    }
    const gm_class *class_ = gm_class_around(function);
    return class_ == NULL ? NULL : method_of(class_, gm_as_Attribute(callee)->attr);
}

/* ---- Roots ---- */

static bool names_compile(gm_analysis *analysis, const gm_node *expression) {
    const gm_node *callee = expression->kind == GM_KIND_Call ? gm_as_Call(expression)->func : expression;
    return gm_flow_names(analysis->flow, callee, "torch.compile");
}

static bool is_module(gm_analysis *analysis, const gm_node *class_def) {
    const gm_class *class_ = gm_class_of(analysis->flow, class_def);
    return class_ != NULL && class_->is_module;
}

/* What a class is takes longer to find out than whether it has the method. */
static void add_methods(gm_analysis *analysis, const gm_node *class_def) {
    const gm_list *body = &gm_as_ClassDef(class_def)->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (gm_is_def(body->items[i]) && gm_name_is(gm_def_name(body->items[i]), "forward") && is_module(analysis, class_def)) {
            add(analysis, body->items[i]);
        }
    }
}

static bool holds_statements(const gm_node *node) {
    return gm_is_stmt(node) || node->kind == GM_KIND_ExceptHandler || node->kind == GM_KIND_match_case;
}

/* `compile` is named in calls and decorators alone; where nothing has that name, expressions need not be read. */
static bool find_roots(gm_node *node, void *context) {
    gm_analysis *analysis = context;
    if (!analysis->names_compile && !holds_statements(node)) {
        return true;
    }
    if (gm_is_def(node)) {
        const gm_list *decorators = gm_def_decorators(node);
        for (uint32_t i = 0; i < decorators->count; i++) {
            if (names_compile(analysis, decorators->items[i])) {
                add(analysis, node);
            }
        }
    } else if (node->kind == GM_KIND_ClassDef) {
        add_methods(analysis, node);
    } else if (node->kind == GM_KIND_Call && names_compile(analysis, node) && gm_as_Call(node)->args.count > 0 &&
               gm_as_Call(node)->args.items[0]->kind == GM_KIND_Name) {
        add(analysis, definition_of_name(analysis, gm_as_Call(node)->args.items[0]));
    }
    return gm_node_children(node, find_roots, context);
}

/* ---- What they call ---- */

static bool follow(gm_node *node, void *context) {
    reaching *state = context;
    if (gm_is_def(node)) {
        add(state->analysis, node);
        return true;
    }
    if (node->kind == GM_KIND_Call) {
        add_call(state->analysis, gm_reach_callee(state->analysis, state->function, node));
    }
    return gm_node_children(node, follow, context);
}

static void run(gm_analysis *analysis) {
    analysis->reach = GM_NEW(analysis->arena, struct gm_reach);
    analysis->names_compile = gm_names_find(analysis->tree->names, "compile", 7) != NULL;
    gm_node_children(&analysis->tree->module->base, find_roots, analysis);
    for (uint32_t i = 0; i < analysis->reach->definitions.count; i++) {
        const gm_node *definition = analysis->reach->definitions.items[i];
        reaching state = {analysis, gm_flow_function(analysis->flow, definition)};
        if (state.function != NULL) {
            gm_node_children(definition, follow, &state);
        }
    }
}

bool gm_reach_has(gm_analysis *analysis, const gm_node *definition) {
    if (analysis->reach == NULL) {
        run(analysis);
    }
    return has(analysis->reach, definition);
}

uint32_t gm_reach_callers(gm_analysis *analysis, const gm_node *definition) {
    if (!gm_reach_has(analysis, definition)) {
        return 0;
    }
    return analysis->reach->callers.items[find(analysis->reach, definition)];
}
