/* `graphmend debug cfg`: the control-flow graph of every function; --verify only checks its invariants. */
#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "flow/flow.h"

enum { VERIFY };

static const char *const step_kinds[] = {
    [GM_STEP_STATEMENT] = "statement", [GM_STEP_TEST] = "test", [GM_STEP_ITERATE] = "iterate", [GM_STEP_NEXT] = "next",
    [GM_STEP_ENTER] = "enter",         [GM_STEP_EXIT] = "exit", [GM_STEP_SUBJECT] = "subject", [GM_STEP_CASE] = "case",
    [GM_STEP_HANDLER] = "handler",     [GM_STEP_BIND] = "bind", [GM_STEP_UNBIND] = "unbind",   [GM_STEP_ENTRY] = "entry",
};

static const char *const edge_kinds[] = {
    [GM_EDGE_NEXT] = "next",   [GM_EDGE_TRUE] = "true",         [GM_EDGE_FALSE] = "false",   [GM_EDGE_BACK] = "back",
    [GM_EDGE_BREAK] = "break", [GM_EDGE_CONTINUE] = "continue", [GM_EDGE_RETURN] = "return", [GM_EDGE_RAISE] = "raise",
};

static const char *const access_kinds[] = {[GM_ACCESS_READ] = "read", [GM_ACCESS_WRITE] = "write", [GM_ACCESS_DELETE] = "delete"};

static void add_accesses(gm_buffer *out, const gm_cfg *cfg, const gm_step *step) {
    for (uint32_t i = 0; i < step->access_count; i++) {
        const gm_access *access = &cfg->accesses.items[step->first_access + i];
        gm_buffer_printf(out, " %s%s%s %s", access->maybe ? "maybe " : "", access->nested ? "nested " : "", access_kinds[access->kind],
                         access->symbol->name->text);
    }
}

static void add_block(gm_buffer *out, const gm_cfg *cfg, uint32_t index) {
    const gm_block *block = &cfg->blocks.items[index];
    static const char *const ends[] = {"entry", "return", "raise"};
    gm_buffer_printf(out, "  block %u%s%s%s", index, index < 3 ? " (" : "", index < 3 ? ends[index] : "", index < 3 ? ")" : "");
    if (block->order < 0) {
        gm_buffer_add_text(out, " unreachable");
    }
    if (block->handler != GM_CFG_NONE) {
        gm_buffer_printf(out, " handler %d", block->handler);
    }
    gm_buffer_add_char(out, '\n');
    for (uint32_t i = 0; i < block->step_count; i++) {
        const gm_step *step = &cfg->steps.items[block->first_step + i];
        gm_buffer_printf(out, "    line %u %s:", gm_source_position(cfg->scopes->tree->source, step->node->start).line,
                         step_kinds[step->kind]);
        add_accesses(out, cfg, step);
        gm_buffer_add_char(out, '\n');
    }
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const gm_edge *edge = &cfg->edges.items[cfg->successors[block->first_successor + i]];
        gm_buffer_printf(out, "    %s -> %u\n", edge_kinds[edge->kind], edge->to);
    }
}

static bool has_body(const gm_node *node) {
    return node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef || node->kind == GM_KIND_Lambda ||
           node->kind == GM_KIND_Module;
}

static void print_graph(const gm_function *function, const gm_debug_options *options, gm_buffer *out) {
    const gm_cfg *cfg = function->cfg;
    const char *problem = gm_cfg_verify(cfg);
    if (problem != NULL) {
        gm_buffer_printf(out, "%s:%u: %s\n", cfg->scopes->tree->source->path,
                         gm_source_position(cfg->scopes->tree->source, function->node->start).line, problem);
        *options->status = GM_EXIT_FINDINGS;
    }
    if (options->switched[VERIFY]) {
        return;
    }
    gm_buffer_printf(out, "%s, line %u\n", function->scope->name->text, function->scope->line);
    for (uint32_t i = 0; i < cfg->blocks.count; i++) {
        add_block(out, cfg, i);
    }
}

static void print_graphs(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    gm_flow *flow = gm_flow_build(arena, tree, GM_RELEASE_2_13);
    for (uint32_t i = 0; i < flow->scopes->all.count; i++) {
        if (has_body(flow->scopes->all.items[i]->node)) {
            print_graph(gm_flow_function(flow, flow->scopes->all.items[i]->node), options, out);
        }
    }
}

int gm_cli_debug_cfg(int count, char **arguments) {
    static const char *const switches[] = {"--verify", NULL};
    return gm_debug_each_file(count, arguments, switches, print_graphs);
}
