/* `graphmend debug variables`: for every statement the locals that are bound and live before it, for every read of a local the
 * bindings that it may see. `s LINE NAME BOUND LIVE ...` and `r LINE:COLUMN NAME LINE:COLUMN ...`, of functions only. */
#include "analysis/sides.h"
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "flow/reaching.h"
#include "flow/walk.h"

typedef struct printer {
    gm_function *function;
    gm_reaching *reaching;
    gm_buffer *out;
} printer;

static gm_position position_of(const printer *state, const gm_node *node) {
    return gm_source_position(state->function->flow->tree->source, node->start);
}

static void add_statement(const printer *state, const gm_node *node) {
    static const char *const bound[] = {"never", "maybe", "always"};
    gm_symbol_list live = gm_live_before(state->function, node);
    gm_buffer_printf(state->out, "s %u", position_of(state, node).line);
    for (uint32_t i = 0; i < state->function->scope->symbols.count; i++) {
        const gm_symbol *symbol = state->function->scope->symbols.items[i];
        if (gm_symbol_is_local(symbol)) {
            gm_buffer_printf(state->out, " %s %s %s", symbol->name->text, bound[gm_bound_before(state->function, node, symbol)],
                             gm_symbols_have(&live, symbol) ? "live" : "dead");
        }
    }
    gm_buffer_add_char(state->out, '\n');
}

static void add_definition(const printer *state, uint32_t number) {
    gm_position from = position_of(state, gm_reaching_at(state->reaching, number)->node);
    gm_buffer_printf(state->out, " %u:%u", from.line, from.column);
}

static void add_read(const printer *state, const gm_node *node) {
    gm_definition_list list;
    if (!gm_reaching_of_use(state->reaching, node, &list)) {
        return;
    }
    gm_position at = position_of(state, node);
    gm_buffer_printf(state->out, "r %u:%u %s", at.line, at.column, gm_as_Name(node)->id->text);
    for (uint32_t i = 0; i < list.count; i++) {
        add_definition(state, list.items[i]);
    }
    const gm_symbol *symbol = gm_symbol_owner(state->function->flow->scopes, gm_scopes_symbol(state->function->flow->scopes, node));
    uint32_t next = list.all ? gm_reaching_first(state->reaching, symbol) : GM_DEFINITION_NONE;
    for (; next != GM_DEFINITION_NONE; next = gm_reaching_at(state->reaching, next)->next) {
        add_definition(state, next);
    }
    gm_buffer_add_char(state->out, '\n');
}

static bool visit_read(const gm_node *node, const gm_node *parent, void *context) {
    const printer *state = context;
    bool inner = node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef || node->kind == GM_KIND_ClassDef;
    if (parent != NULL && gm_is_stmt(node) && gm_cfg_place(state->function->cfg, node, &(uint32_t){0}, &(uint32_t){0})) {
        add_statement(state, node);
    }
    if (node->kind == GM_KIND_Name) {
        add_read(state, node);
    }
    return parent == NULL || !inner;
}

static void print_variables(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    (void)options;
    gm_flow *flow = gm_flow_build(arena, tree, GM_RELEASE_2_13);
    for (uint32_t i = 0; i < flow->scopes->all.count; i++) {
        const gm_node *node = flow->scopes->all.items[i]->node;
        if (node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef) {
            gm_function *function = gm_flow_function(flow, node);
            printer state = {function, gm_reaching_build(function), out};
            gm_buffer_printf(out, "f %s\n", function->scope->name->text);
            gm_walk(arena, node, visit_read, &state);
        }
    }
}

int gm_cli_debug_variables(int count, char **arguments) {
    return gm_debug_each_file(count, arguments, (const char *const[]){NULL}, print_variables);
}
