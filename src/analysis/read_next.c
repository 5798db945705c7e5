#include "analysis/read_next.h"

#include <string.h>

#include "base/search.h"
#include "base/seed.h"
#include "flow/walk.h"

/* A block is read once: for each text that a statement of it reads first, the statements that do, in order. A question then takes as long as
 * finding a number among them, however many statements follow the site. */
typedef GM_VEC(uint32_t) index_list;

typedef struct gm_block_reads {
    const uint32_t *stops; /* of each statement: the first one from there on behind which nothing is certain; the number of them: none */
    gm_table by_text;
    GM_VEC(index_list) statements;
} block_reads;

struct gm_reads_ahead {
    gm_table by_block;
    GM_VEC(block_reads *) blocks;
};

/* Of a longer text the beginning and the length stand for the whole. */
enum { LONGEST = 256 };

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = length;
    for (size_t i = 0; i < length && i < LONGEST; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3U;
    }
    return gm_seed_mix(hash);
}

typedef struct gm_block_reading {
    gm_arena *arena;
    const gm_tree *tree;
    block_reads *reads;
    uint32_t statement;
} block_reading;

/* Whether a part of an expression may not be evaluated though the whole is. */
static bool is_optional(const gm_node *node, const gm_node *parent) {
    if (parent == NULL) {
        return false;
    }
    switch ((gm_kind)parent->kind) {
    case GM_KIND_BoolOp: return node != gm_as_BoolOp(parent)->values.items[0];
    case GM_KIND_IfExp: return node != gm_condition(parent);
    case GM_KIND_Compare: /* a chain ends where it is false */
        return node != gm_as_Compare(parent)->left && node != gm_as_Compare(parent)->comparators.items[0];
    case GM_KIND_Lambda:
    case GM_KIND_ListComp:
    case GM_KIND_SetComp:
    case GM_KIND_DictComp:
    case GM_KIND_GeneratorExp: return true;
    default: return false;
    }
}

static void add(block_reading *state, uint64_t key) {
    block_reads *reads = state->reads;
    uint32_t at = gm_table_find(&reads->by_text, key);
    if (at == GM_TABLE_NONE) {
        at = reads->statements.count;
        gm_table_put(&reads->by_text, state->arena, key, at);
        gm_vec_push(state->arena, &reads->statements, ((index_list){NULL, 0, 0}));
    }
    index_list *list = &reads->statements.items[at];
    if (list->count == 0 || list->items[list->count - 1] != state->statement) {
        gm_vec_push(state->arena, list, state->statement);
    }
}

static bool look(const gm_node *node, const gm_node *parent, void *context) {
    block_reading *state = context;
    if (is_optional(node, parent)) {
        return false;
    }
    if (node->kind == GM_KIND_Attribute || node->kind == GM_KIND_Name) {
        add(state, hash_of(state->tree->source->text + node->start, node->end - node->start));
    }
    return true;
}

/* What is evaluated first when a statement runs; NULL where that is nothing, or nothing simple. */
static const gm_node *first_of(const gm_node *statement) {
    switch ((gm_kind)statement->kind) {
    case GM_KIND_If:
    case GM_KIND_While:
    case GM_KIND_Assert: return gm_condition(statement);
    case GM_KIND_Assign: return gm_as_Assign(statement)->value;
    case GM_KIND_AugAssign: return gm_as_AugAssign(statement)->value;
    case GM_KIND_Return: return gm_as_Return(statement)->value;
    case GM_KIND_Expr: return gm_as_Expr(statement)->value;
    default: return NULL;
    }
}

static bool goes_on(const gm_node *statement) {
    return statement->kind == GM_KIND_Assign || statement->kind == GM_KIND_AugAssign || statement->kind == GM_KIND_Expr;
}

static block_reads *read_block(gm_analysis *analysis, const gm_list *block) {
    block_reads *reads = GM_NEW(analysis->arena, block_reads);
    block_reading state = {analysis->arena, analysis->tree, reads, 0};
    uint32_t *stops = GM_NEW_ARRAY(analysis->arena, uint32_t, block->count);
    uint32_t stop = block->count;
    for (uint32_t i = block->count; i > 0; i--) {
        stops[i - 1] = stop = goes_on(block->items[i - 1]) ? stop : i - 1;
    }
    for (; state.statement < block->count; state.statement++) {
        const gm_node *first = first_of(block->items[state.statement]);
        if (first != NULL) {
            gm_walk(analysis->arena, first, look, &state);
        }
    }
    reads->stops = stops;
    return reads;
}

static const block_reads *reads_of(gm_analysis *analysis, const gm_list *block) {
    if (analysis->reads_ahead == NULL) {
        analysis->reads_ahead = GM_NEW(analysis->arena, struct gm_reads_ahead);
    }
    struct gm_reads_ahead *ahead = analysis->reads_ahead;
    uint32_t at = gm_table_find(&ahead->by_block, gm_table_pointer(block));
    if (at == GM_TABLE_NONE) {
        at = ahead->blocks.count;
        gm_table_put(&ahead->by_block, analysis->arena, gm_table_pointer(block), at);
        gm_vec_push(analysis->arena, &ahead->blocks, read_block(analysis, block));
    }
    return ahead->blocks.items[at];
}

/* The first statement behind another one that reads the text; the greatest number when none does. */
static uint32_t next_read(const block_reads *reads, uint32_t behind, uint64_t key) {
    uint32_t at = gm_table_find(&reads->by_text, key);
    const index_list *list = at == GM_TABLE_NONE ? NULL : &reads->statements.items[at];
    uint32_t low = 0;
    uint32_t count = list == NULL ? 0 : list->count;
    for (uint32_t high = count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (list->items[middle] <= behind) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count ? list->items[low] : UINT32_MAX;
}

bool gm_read_next(gm_analysis *analysis, const gm_site *site, const char *path) {
    uint64_t key = hash_of(path, strlen(path));
    for (const gm_place *place = site->place; place != NULL; place = place->outer) {
        uint32_t count = place->list->count;
        if (place->index + 1 < count) {
            const block_reads *reads = reads_of(analysis, place->list);
            uint32_t stop = reads->stops[place->index + 1];
            uint32_t read = next_read(reads, place->index, key);
            if (read <= stop && read != UINT32_MAX) {
                return true;
            }
            if (stop < count) {
                return false;
            }
        }
        if (place->owner->kind != GM_KIND_If && place->owner->kind != GM_KIND_With) {
            return false;
        }
    }
    return false;
}
