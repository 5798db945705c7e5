/* usage: nets FILE
 *
 * Damages the control-flow graph of the first function in FILE in one place after the other, each time another graph of it, and prints what
 * gm_cfg_verify says; then what gm_edits_verify says of lists of edits for a text of ten bytes, and what gm_notebook_write says of a notebook
 * whose sources stand elsewhere. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "driver/notebook.h"
#include "flow/cfg.h"
#include "mend/edits.h"
#include "read_file.h"

/* The last block that has steps. */
static gm_block *last_filled(gm_cfg *cfg) {
    gm_block *found = NULL;
    for (uint32_t i = 0; i < cfg->blocks.count; i++) {
        gm_block *block = &cfg->blocks.items[i];
        found = block->step_count > 0 && (found == NULL || block->first_step > found->first_step) ? block : found;
    }
    return found;
}

static gm_edge *first_edge(const gm_cfg *cfg) {
    return &cfg->edges.items[cfg->successors[cfg->blocks.items[GM_CFG_ENTRY].first_successor]];
}

/* An edge that does not begin at the entry. */
static uint32_t other_edge(const gm_cfg *cfg) {
    uint32_t at = 0;
    while (cfg->edges.items[at].from == GM_CFG_ENTRY) {
        at++;
    }
    return at;
}

static void give_step(gm_cfg *cfg, uint32_t end) {
    gm_block *last = last_filled(cfg);
    last->step_count--;
    cfg->blocks.items[end].first_step = last->first_step + last->step_count;
    cfg->blocks.items[end].step_count = 1;
}

static void nothing(gm_cfg *cfg) {
    (void)cfg;
}

static void step_too_many(gm_cfg *cfg) {
    last_filled(cfg)->step_count++;
}

static void step_too_few(gm_cfg *cfg) {
    last_filled(cfg)->step_count--;
}

static void steps_behind_the_last(gm_cfg *cfg) {
    last_filled(cfg)->first_step++;
}

static void steps_before(gm_cfg *cfg) {
    last_filled(cfg)->first_step--;
}

static void last_handler(gm_cfg *cfg) {
    last_filled(cfg)->handler = (int32_t)cfg->blocks.count - 1;
}

static void handler_behind_the_last(gm_cfg *cfg) {
    last_filled(cfg)->handler = (int32_t)cfg->blocks.count;
}

static void handler_in_front(gm_cfg *cfg) {
    last_filled(cfg)->handler = GM_CFG_NONE - 1;
}

static void edge_of_another(gm_cfg *cfg) {
    cfg->successors[cfg->blocks.items[GM_CFG_ENTRY].first_successor] = other_edge(cfg);
}

static void edge_to_nowhere(gm_cfg *cfg) {
    first_edge(cfg)->to = cfg->blocks.count;
}

static void unreachable_successor(gm_cfg *cfg) {
    cfg->blocks.items[first_edge(cfg)->to].order = -1;
}

static void predecessor_of_another(gm_cfg *cfg) {
    gm_block *block = &cfg->blocks.items[first_edge(cfg)->to];
    uint32_t at = 0;
    while (cfg->edges.items[at].to == first_edge(cfg)->to) {
        at++;
    }
    cfg->predecessors[block->first_predecessor] = at;
}

static void step_at_return(gm_cfg *cfg) {
    give_step(cfg, GM_CFG_RETURN);
}

static void step_at_raise(gm_cfg *cfg) {
    give_step(cfg, GM_CFG_RAISE);
}

static void edge_from_return(gm_cfg *cfg) {
    gm_block *end = &cfg->blocks.items[GM_CFG_RETURN];
    gm_block *entry = &cfg->blocks.items[GM_CFG_ENTRY];
    first_edge(cfg)->from = GM_CFG_RETURN;
    end->first_successor = entry->first_successor;
    end->successor_count = 1;
    entry->successor_count = 0;
}

static void gap_in_accesses(gm_cfg *cfg) {
    cfg->steps.items[1].first_access++;
}

static void access_too_many(gm_cfg *cfg) {
    cfg->steps.items[0].access_count++;
}

static void blocks_in_another_order(gm_cfg *cfg) {
    uint32_t first = cfg->order[0];
    cfg->order[0] = cfg->order[1];
    cfg->order[1] = first;
}

static void last_in_another_order(gm_cfg *cfg) {
    cfg->order[cfg->reachable_count - 1] = cfg->order[0];
}

typedef struct damage {
    const char *name;
    void (*make)(gm_cfg *cfg);
} damage;

static const damage damages[] = {
    {"nothing", nothing},
    {"a step too many", step_too_many},
    {"a step too few", step_too_few},
    {"steps behind the last", steps_behind_the_last},
    {"steps before", steps_before},
    {"the last block as handler", last_handler},
    {"a handler behind the last block", handler_behind_the_last},
    {"a handler in front of the first block", handler_in_front},
    {"an edge of another block", edge_of_another},
    {"an edge to nowhere", edge_to_nowhere},
    {"an unreachable successor", unreachable_successor},
    {"a predecessor of another block", predecessor_of_another},
    {"a step at the return", step_at_return},
    {"a step at the raise", step_at_raise},
    {"an edge from the return", edge_from_return},
    {"a gap in the accesses", gap_in_accesses},
    {"an access too many", access_too_many},
    {"blocks in another order", blocks_in_another_order},
    {"the last block in another order", last_in_another_order},
};

static const gm_node *first_function(const gm_tree *tree) {
    const gm_list *body = &tree->module->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (body->items[i]->kind == GM_KIND_FunctionDef) {
            return body->items[i];
        }
    }
    return &tree->module->base;
}

static void damage_graphs(gm_arena *arena, gm_tree *tree) {
    const gm_scopes *scopes = gm_scopes_build(arena, tree, 0);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        gm_cfg *cfg = gm_cfg_build(arena, scopes, first_function(tree));
        damages[i].make(cfg);
        const char *problem = gm_cfg_verify(cfg);
        printf("%s: %s\n", damages[i].name, problem == NULL ? "fine" : problem);
    }
}

static void damage_edits(gm_arena *arena) {
    static const uint32_t lists[][2][2] = {{{0, 3}, {3, 10}}, {{0, 3}, {2, 10}},  {{0, 0}, {0, 0}},   {{3, 2}, {4, 5}},
                                           {{0, 3}, {5, 4}},  {{0, 3}, {4, 11}},  {{0, 3}, {10, 10}}, {{0, 3}, {11, 11}},
                                           {{4, 5}, {0, 3}},  {{9, 10}, {10, 10}}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        gm_edits edits = {0};
        for (size_t k = 0; k < 2; k++) {
            gm_edit edit = {.start = lists[i][k][0], .end = lists[i][k][1]};
            gm_vec_push(arena, &edits.items, edit);
        }
        printf("%u-%u %u-%u: %s\n", lists[i][0][0], lists[i][0][1], lists[i][1][0], lists[i][1][1],
               gm_edits_verify(&edits, 10) ? "fine" : "wrong");
    }
}

/* ---- Notebooks ---- */

typedef struct place_damage {
    const char *name;
    const char *changed; /* digits of the text */
    int first_start; /* of the source of the first cell: from that of which cell it is taken */
    int first_end;
    size_t second_end; /* bytes too many */
    uint32_t cells;
} place_damage;

/* The text of the notebook, of which some digits are others. */
static const char *changed_text(gm_arena *arena, const gm_notebook *notebook, const char *digits) {
    char *text = gm_arena_copy(arena, notebook->text, notebook->size);
    for (char *at = text; *at != '\0'; at++) {
        *at = strchr(digits, *at) != NULL ? (char)(*at + 2) : *at;
    }
    return text;
}

static void damage_notebook(gm_arena *arena) {
    static const char bytes[] = "{\"cells\":[{\"cell_type\":\"code\",\"metadata\":{},\"outputs\":[],\"source\":\"a = 1\"},"
                                "{\"cell_type\":\"code\",\"metadata\":{},\"outputs\":[],\"source\":\"b = 2\"}],"
                                "\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}";
    static const place_damage all[] = {
        {"both cells", "12", 0, 0, 0, 2},        {"no cell", "", 0, 0, 0, 2},
        {"another place", "1", 1, 1, 0, 2},      {"the place of both", "1", 0, 1, 0, 2},
        {"a bracket too much", "2", 0, 0, 1, 2}, {"a cell too few", "12", 0, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *problem = NULL;
        size_t written = 0;
        gm_notebook *notebook = gm_notebook_read(arena, bytes, sizeof bytes - 1, &problem);
        gm_cell *cells = notebook->cells.items.items;
        gm_cells after = {0};
        for (uint32_t k = 0; k < all[i].cells; k++) {
            gm_vec_push(arena, &after.items, cells[k]);
        }
        cells[0].raw_start = cells[all[i].first_start].raw_start;
        cells[0].raw_end = cells[all[i].first_end].raw_end;
        cells[1].raw_end += all[i].second_end;
        const char *text = changed_text(arena, notebook, all[i].changed);
        const char *out = gm_notebook_write(arena, notebook, bytes, sizeof bytes - 1, &after, text, &written, &problem);
        printf("%s: %s\n", all[i].name, out == NULL ? problem : "written");
    }
}

int main(int count, char **arguments) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (count != 2 || setjmp(out_of_memory) != 0) {
        return 2;
    }
    size_t size = 0;
    char *bytes = read_file(arguments[1], &size);
    damage_graphs(&arena, gm_parse(&arena, "a.py", bytes, size, NULL));
    damage_edits(&arena);
    damage_notebook(&arena);
    gm_arena_free(&arena);
    free(bytes);
    return 0;
}
