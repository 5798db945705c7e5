#include "mend/definitions.h"

#include "base/hash.h"
#include "base/search.h"
#include "base/work.h"

enum { BINDER_WORK = 16, LOOK_WORK = 16 };

/* Assignments of a variable among the statements of one parent, in order. */
typedef struct block {
    const gm_symbol *symbol;
    const gm_node *parent;
    GM_VEC(const gm_node *) statements;
} block;

struct gm_definitions {
    gm_table known; /* variables whose assignments are in `blocks` */
    gm_table by_key;
    GM_VEC(block) blocks;
};

/* The index of a block, or where it would be. */
static uint32_t find_block(const struct gm_definitions *all, const gm_symbol *symbol, const gm_node *parent, uint64_t *key) {
    const uint64_t both[] = {gm_table_pointer(symbol), gm_table_pointer(parent)};
    for (*key = gm_hash_of(both, sizeof both).words[0];; ++*key) {
        uint32_t at = gm_table_find(&all->by_key, *key);
        if (at == GM_TABLE_NONE || (all->blocks.items[at].symbol == symbol && all->blocks.items[at].parent == parent)) {
            return at;
        }
    }
}

const gm_node *gm_definition_of(gm_analysis *analysis, const gm_node *binder) {
    const gm_node *statement = gm_flow_statement(analysis->flow, binder);
    bool plain = statement != NULL && statement->kind == GM_KIND_Assign && gm_as_Assign(statement)->targets.count == 1 &&
                 gm_as_Assign(statement)->targets.items[0] == binder;
    return plain ? statement : NULL;
}

static void add(gm_analysis *analysis, struct gm_definitions *all, const gm_symbol *symbol, const gm_node *statement) {
    const gm_node *parent = gm_flow_parent(analysis->flow, statement);
    uint64_t key;
    uint32_t at = find_block(all, symbol, parent, &key);
    if (at == GM_TABLE_NONE) {
        at = all->blocks.count;
        gm_table_put(&all->by_key, analysis->arena, key, at);
        gm_vec_push(analysis->arena, &all->blocks, ((block){.symbol = symbol, .parent = parent}));
    }
    gm_vec_push(analysis->arena, &all->blocks.items[at].statements, statement);
}

static struct gm_definitions *definitions_of(gm_analysis *analysis, const gm_symbol *symbol) {
    if (analysis->definitions == NULL) {
        analysis->definitions = GM_NEW(analysis->arena, struct gm_definitions);
    }
    struct gm_definitions *all = analysis->definitions;
    if (gm_table_find(&all->known, gm_table_pointer(symbol)) != GM_TABLE_NONE) {
        return all;
    }
    gm_table_put(&all->known, analysis->arena, gm_table_pointer(symbol), 0);
    gm_work(analysis->arena, symbol->binders.count * (uint64_t)BINDER_WORK);
    for (uint32_t i = 0; i < symbol->binders.count; i++) {
        const gm_node *statement = gm_definition_of(analysis, symbol->binders.items[i]);
        if (statement != NULL) {
            add(analysis, all, symbol, statement);
        }
    }
    return all;
}

/* Statements of a block are in order of position. */
static bool stands_in_front(const gm_place *place, const gm_node *statement) {
    uint32_t low = 0;
    for (uint32_t high = place->index; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (place->list->items[middle]->start < statement->start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < place->index && place->list->items[low] == statement;
}

/* The last assignment of a block in front of a place in it, or NULL. What stands in another block of the parent is further away. */
static const gm_node *last_in(const block *found, const gm_place *place) {
    uint32_t low = 0;
    for (uint32_t high = found->statements.count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (found->statements.items[middle]->start < place->list->items[place->index]->start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const gm_node *last = low > 0 ? found->statements.items[low - 1] : NULL;
    return last != NULL && stands_in_front(place, last) ? last : NULL;
}

const gm_node *gm_definition_before(gm_analysis *analysis, const gm_place *place, const gm_symbol *symbol) {
    const struct gm_definitions *all = definitions_of(analysis, symbol);
    for (const gm_place *at = place; at != NULL; at = at->outer) {
        uint64_t key;
        uint32_t index = find_block(all, symbol, gm_flow_parent(analysis->flow, at->list->items[0]), &key);
        const gm_node *last = index == GM_TABLE_NONE ? NULL : last_in(&all->blocks.items[index], at);
        gm_work(analysis->arena, LOOK_WORK);
        if (last != NULL || gm_is_loop(at->owner)) {
            return last;
        }
    }
    return NULL;
}
