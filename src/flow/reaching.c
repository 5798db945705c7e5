/* Reaching definitions on demand: from a read backwards over the graph until every path has met a binding.
 *
 *     x = f()          1
 *     while c:
 *         g(x)         reads 1 and 2
 *         x = h()      2
 *
 * Problem: the textbook solves in[b] = union of out[p] for all blocks and all definitions at once. A rule asks about a few reads of a few variables,
 * and a long function has thousands of both.
 *
 * Idea: the question goes against the flow of control, and for one variable alone. `previous` chains the changes of a variable within a block, so
 * the question passes a block in one look into a table; it ends at a binding that is certain, and goes on behind one that may not happen (under a
 * short circuit). Each block is entered once in a question, by its number in `visited`. An exception leaves a block behind any of its steps, so
 * a handler is reached by every change of the blocks that it covers, from the last to the first (`raiser`, `next_raiser`).
 *
 * What took a question far is kept, with the block and the variable, and ends later questions that come by: a variable that is read behind each of
 * a thousand branches is looked for once.
 *
 * The work of all questions about a function is bounded; behind the bound every definition is said to reach, which is the safe answer.
 *
 * Sources: Aho, Lam, Sethi, Ullman, Compilers (2nd ed., 2006), 9.2.4, for the equations. Duesterwald, Gupta, Soffa, A Practical Framework for
 * Demand-Driven Interprocedural Data Flow Analysis, ACM TOPLAS 19 (1997), for questions that go backwards; ours stay within one function. */
#include "flow/reaching.h"

#include "base/table.h"
#include "flow/flow_private.h"

/* Blocks looked at in all questions about one function. Behind this, every definition of a variable is said to reach. */
enum {
    VISIT_LIMIT = 4000000,
    NEAR = 64,       /* blocks that a question looks at before it asks what others have found */
    FAR = 2 * NEAR,  /* what took so many is kept for others */
    MOST_FOUND = 128 /* definitions at one place; behind this, too, every one is said to reach: values are joined over them at each read */
};

#define NONE GM_DEFINITION_NONE

/* A read of a Name: the chain of accesses with that node. */
typedef struct read_slot {
    const gm_node *node;
    uint32_t access; /* its number plus one */
} read_slot;
typedef GM_MAP(read_slot) read_map;
GM_MAP_FUNCTIONS(reads, read_map, read_slot, const gm_node *, node, gm_hash_pointer, 64)

/* What is known of a variable in a block. */
typedef struct block_slot {
    uint64_t key; /* block and symbol, plus one */
    uint32_t last_change; /* access that binds or deletes the variable in the block, its number plus one; 0: none */
    uint32_t last_walrus; /* binding under a short circuit or in a comprehension, the same */
} block_slot;
typedef GM_MAP(block_slot) change_map;
GM_MAP_FUNCTIONS(changes, change_map, block_slot, uint64_t, key, gm_hash_near, 64)

/* What a question has found at the beginning of a block, numbers in `kept_numbers`. */
typedef struct kept_answer {
    uint32_t first;
    uint32_t count;
    bool all;
} kept_answer;

struct gm_reaching {
    gm_function *function;
    GM_VEC(gm_definition) definitions;
    uint32_t *definition_of; /* of each access, or NONE */
    uint32_t *previous; /* last access before it that changes the same variable in the same block, or NONE */
    uint32_t *previous_walrus; /* the same, of bindings under a short circuit or in a comprehension */
    uint32_t *next_read; /* access with the same node, or NONE */
    uint32_t *block_of; /* of each access */
    uint32_t *first_of; /* definition of each symbol */
    uint32_t *last_of;
    read_map reads;
    change_map changes;
    uint32_t *raiser; /* of each block: first block whose exceptions come here, or NONE */
    uint32_t *next_raiser;
    uint32_t *visited; /* of each block: number of the question that came to its beginning */
    uint32_t *added; /* of each definition: number of the question that has it */
    uint32_t question;
    bool all; /* the answer is every definition of the variable */
    uint32_t visits;
    uint32_t question_visits; /* of the question in hand */
    gm_table kept; /* of a block and a symbol: the index in `kept_answers` */
    GM_VEC(kept_answer) kept_answers;
    GM_VEC(uint32_t) kept_numbers;
    GM_VEC(uint32_t) stack;
    GM_VEC(uint32_t) found;
};

static gm_arena *arena_of(const gm_reaching *reaching) {
    return reaching->function->flow->arena;
}

static const gm_cfg *cfg_of(const gm_reaching *reaching) {
    return reaching->function->cfg;
}

/* ---- Variables in blocks ---- */

static uint64_t key_of(uint32_t block, uint32_t symbol) {
    return ((uint64_t)block << 32 | symbol) + 1;
}

/* Numbers plus one count up to NONE, which none is. */
static uint32_t last_change(const gm_reaching *reaching, uint32_t block, uint32_t symbol) {
    const block_slot *slot = changes_find(&reaching->changes, key_of(block, symbol));
    return slot == NULL ? NONE : slot->last_change - 1;
}

static uint32_t last_walrus(const gm_reaching *reaching, uint32_t block, uint32_t symbol) {
    const block_slot *slot = changes_find(&reaching->changes, key_of(block, symbol));
    return slot == NULL ? NONE : slot->last_walrus - 1;
}

/* ---- Reads ---- */

static void add_read(gm_reaching *reaching, const gm_node *node, uint32_t access) {
    read_slot *slot = reads_at(arena_of(reaching), &reaching->reads, node);
    reaching->next_read[access] = slot->access - 1;
    slot->access = access + 1;
}

/* ---- Building ---- */

static void add_definition(gm_reaching *reaching, const gm_access *access, uint32_t index) {
    uint32_t number = reaching->definitions.count;
    gm_definition definition = {access->node, access->symbol, access->nested, NONE};
    gm_vec_push(arena_of(reaching), &reaching->definitions, definition);
    reaching->definition_of[index] = number;
    uint32_t *last = &reaching->last_of[access->symbol->index];
    if (*last == NONE) {
        reaching->first_of[access->symbol->index] = number;
    } else {
        reaching->definitions.items[*last].next = number;
    }
    *last = number;
}

static void add_access(gm_reaching *reaching, uint32_t block, uint32_t index) {
    const gm_access *access = &cfg_of(reaching)->accesses.items[index];
    block_slot *slot = changes_at(arena_of(reaching), &reaching->changes, key_of(block, access->symbol->index));
    reaching->previous[index] = slot->last_change - 1;
    reaching->previous_walrus[index] = slot->last_walrus - 1;
    if (access->kind != GM_ACCESS_READ) {
        slot->last_change = index + 1;
    }
    if (access->kind == GM_ACCESS_WRITE && access->maybe && gm_is_expr(access->node)) {
        slot->last_walrus = index + 1;
    }
    reaching->block_of[index] = block;
    if (access->kind == GM_ACCESS_READ && access->node->kind == GM_KIND_Name) {
        add_read(reaching, access->node, index);
    } else if (access->kind == GM_ACCESS_WRITE && cfg_of(reaching)->blocks.items[block].order >= 0) {
        add_definition(reaching, access, index);
    }
}

static void add_block(gm_reaching *reaching, uint32_t index) {
    const gm_cfg *cfg = cfg_of(reaching);
    const gm_block *block = &cfg->blocks.items[index];
    if (block->handler != GM_CFG_NONE && block->order >= 0) {
        reaching->next_raiser[index] = reaching->raiser[block->handler];
        reaching->raiser[block->handler] = index;
    }
    for (uint32_t i = 0; i < block->step_count; i++) {
        const gm_step *step = &cfg->steps.items[block->first_step + i];
        for (uint32_t k = 0; k < step->access_count; k++) {
            add_access(reaching, index, step->first_access + k);
        }
    }
}

static uint32_t *new_numbers(gm_reaching *reaching, uint32_t count, uint32_t value) {
    uint32_t *numbers = GM_NEW_ARRAY(arena_of(reaching), uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = value;
    }
    return numbers;
}

gm_reaching *gm_reaching_build(gm_function *function) {
    gm_arena *arena = function->flow->arena;
    const gm_cfg *cfg = function->cfg;
    gm_reaching *reaching = GM_NEW(arena, gm_reaching);
    reaching->function = function;
    reaching->definition_of = new_numbers(reaching, cfg->accesses.count, NONE);
    reaching->previous = new_numbers(reaching, cfg->accesses.count, NONE);
    reaching->previous_walrus = new_numbers(reaching, cfg->accesses.count, NONE);
    reaching->next_read = new_numbers(reaching, cfg->accesses.count, NONE);
    reaching->block_of = new_numbers(reaching, cfg->accesses.count, 0);
    reaching->first_of = new_numbers(reaching, function->scope->symbols.count, NONE);
    reaching->last_of = new_numbers(reaching, function->scope->symbols.count, NONE);
    reaching->raiser = new_numbers(reaching, cfg->blocks.count, NONE);
    reaching->next_raiser = new_numbers(reaching, cfg->blocks.count, NONE);
    reaching->visited = new_numbers(reaching, cfg->blocks.count, 0);
    reads_reserve(arena, &reaching->reads, cfg->accesses.count);
    for (uint32_t i = 0; i < cfg->blocks.count; i++) {
        add_block(reaching, i);
    }
    reaching->added = new_numbers(reaching, reaching->definitions.count, 0);
    return reaching;
}

uint32_t gm_reaching_count(const gm_reaching *reaching) {
    return reaching->definitions.count;
}

const gm_definition *gm_reaching_at(const gm_reaching *reaching, uint32_t index) {
    return &reaching->definitions.items[index];
}

uint32_t gm_reaching_first(const gm_reaching *reaching, const gm_symbol *symbol) {
    return reaching->first_of[symbol->index];
}

/* ---- Questions ---- */

static void add_found(gm_reaching *reaching, uint32_t definition) {
    if (definition != NONE && reaching->added[definition] != reaching->question) {
        reaching->added[definition] = reaching->question;
        gm_vec_push(arena_of(reaching), &reaching->found, definition);
    }
}

/* Whether the work for all questions, or what this one has found, has come to its limit; then the answer is every definition. */
static bool is_too_much(gm_reaching *reaching) {
    gm_work(arena_of(reaching), 8);
    reaching->question_visits++;
    reaching->all = reaching->all || ++reaching->visits > VISIT_LIMIT || reaching->found.count > MOST_FOUND;
    return reaching->all;
}

/* Backwards from just behind a change within its block; whether the beginning of the block is met. With `all` nothing stops the way:
 * an exception may have come from before any access. */
static bool pass_back(gm_reaching *reaching, uint32_t access, bool all) {
    const gm_cfg *cfg = cfg_of(reaching);
    for (; access != NONE; access = reaching->previous[access]) {
        const gm_access *at = &cfg->accesses.items[access];
        if (at->kind == GM_ACCESS_WRITE) {
            add_found(reaching, reaching->definition_of[access]);
        }
        if ((!at->maybe && !all) || is_too_much(reaching)) {
            return false;
        }
    }
    return true;
}

static void push_block(gm_reaching *reaching, uint32_t block) {
    if (cfg_of(reaching)->blocks.items[block].order >= 0 && reaching->visited[block] != reaching->question) {
        reaching->visited[block] = reaching->question;
        gm_vec_push(arena_of(reaching), &reaching->stack, block);
    }
}

/* The blocks from which control comes to the beginning of a block. */
static void push_predecessors(gm_reaching *reaching, uint32_t index, uint32_t symbol) {
    const gm_cfg *cfg = cfg_of(reaching);
    const gm_block *block = &cfg->blocks.items[index];
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t from = cfg->edges.items[cfg->predecessors[block->first_predecessor + i]].from;
        if (cfg->blocks.items[from].order >= 0 && pass_back(reaching, last_change(reaching, from, symbol), false)) {
            push_block(reaching, from);
        }
    }
    for (uint32_t from = reaching->raiser[index]; from != NONE; from = reaching->next_raiser[from]) {
        pass_back(reaching, last_change(reaching, from, symbol), true);
        push_block(reaching, from);
    }
}

/* Whether what reaches the beginning of a block is known from an earlier question; then it is added. */
static bool add_kept(gm_reaching *reaching, uint32_t block, uint32_t symbol) {
    uint32_t at = gm_table_find(&reaching->kept, key_of(block, symbol));
    if (at == GM_TABLE_NONE) {
        return false;
    }
    const kept_answer *answer = &reaching->kept_answers.items[at];
    gm_work(arena_of(reaching), answer->count);
    reaching->all = reaching->all || answer->all;
    for (uint32_t i = 0; i < answer->count; i++) {
        add_found(reaching, reaching->kept_numbers.items[answer->first + i]);
    }
    return true;
}

static void keep(gm_reaching *reaching, uint32_t block, uint32_t symbol) {
    gm_arena *arena = arena_of(reaching);
    kept_answer answer = {reaching->kept_numbers.count, reaching->all ? 0 : reaching->found.count, reaching->all};
    for (uint32_t i = 0; i < answer.count; i++) {
        gm_vec_push(arena, &reaching->kept_numbers, reaching->found.items[i]);
    }
    gm_table_put(&reaching->kept, arena, key_of(block, symbol), reaching->kept_answers.count);
    gm_vec_push(arena, &reaching->kept_answers, answer);
}

/* What reaches the beginning of a block, into `found`. Reads of one variable in a large function ask for the same blocks again and again:
 * what one of them has found far away, the next ones take over. Near by they look for themselves, for that costs less. */
static void find_at_block(gm_reaching *reaching, uint32_t block, uint32_t symbol) {
    bool first = reaching->found.count == 0 && !reaching->all;
    if (first && add_kept(reaching, block, symbol)) {
        return;
    }
    uint32_t before = reaching->question_visits;
    reaching->stack.count = 0;
    push_block(reaching, block);
    while (reaching->stack.count > 0 && !is_too_much(reaching)) {
        uint32_t at = reaching->stack.items[--reaching->stack.count];
        if (reaching->question_visits < NEAR || !add_kept(reaching, at, symbol)) {
            push_predecessors(reaching, at, symbol);
        }
    }
    reaching->all = reaching->all || reaching->found.count > MOST_FOUND; /* with what was kept for the last block */
    if (first && reaching->question_visits - before > FAR) {
        keep(reaching, block, symbol);
    }
}

static gm_definition_list found(const gm_reaching *reaching) {
    return reaching->all ? (gm_definition_list){NULL, 0, true} : (gm_definition_list){reaching->found.items, reaching->found.count, false};
}

static void begin(gm_reaching *reaching) {
    reaching->question++;
    reaching->question_visits = 0;
    reaching->all = false;
    reaching->found.count = 0;
}

/* A comprehension may come back to a read after a binding behind it in the same step. */
static void add_behind(gm_reaching *reaching, uint32_t access) {
    const gm_cfg *cfg = cfg_of(reaching);
    const gm_access *read = &cfg->accesses.items[access];
    uint32_t last = last_walrus(reaching, reaching->block_of[access], read->symbol->index);
    for (; read->maybe && last != NONE && last > access && !is_too_much(reaching); last = reaching->previous_walrus[last]) {
        add_found(reaching, reaching->definition_of[last]);
    }
}

/* A read in code that runs later sees any binding. */
static void find_of_access(gm_reaching *reaching, uint32_t access) {
    const gm_access *read = &cfg_of(reaching)->accesses.items[access];
    uint32_t block = reaching->block_of[access];
    if (cfg_of(reaching)->blocks.items[block].order < 0) {
        return;
    }
    if (read->nested || (read->symbol->flags & GM_SYMBOL_OUTSIDE) != 0) {
        reaching->all = true;
        return;
    }
    add_behind(reaching, access);
    if (pass_back(reaching, reaching->previous[access], false)) {
        find_at_block(reaching, block, read->symbol->index);
    }
}

bool gm_reaching_of_use(gm_reaching *reaching, const gm_node *use, gm_definition_list *list) {
    const read_slot *slot = reads_find(&reaching->reads, use);
    if (slot == NULL) {
        return false;
    }
    begin(reaching);
    for (uint32_t access = slot->access - 1; access != NONE; access = reaching->next_read[access]) {
        find_of_access(reaching, access);
    }
    *list = found(reaching);
    return true;
}

/* The last access of a symbol in a block before step number `step`. */
static uint32_t access_before(const gm_reaching *reaching, uint32_t block, uint32_t step, uint32_t symbol) {
    const gm_cfg *cfg = cfg_of(reaching);
    uint32_t access = last_change(reaching, block, symbol);
    if (step >= cfg->steps.count || step >= cfg->blocks.items[block].first_step + cfg->blocks.items[block].step_count) {
        return access;
    }
    while (access != NONE && access >= cfg->steps.items[step].first_access) {
        access = reaching->previous[access];
    }
    return access;
}

bool gm_reaching_before(gm_reaching *reaching, const gm_node *statement, const gm_symbol *symbol, gm_definition_list *list) {
    const gm_cfg *cfg = cfg_of(reaching);
    const gm_cfg_slot *slot = gm_cfg_find_slot(cfg, statement);
    if (slot == NULL) {
        return false;
    }
    begin(reaching);
    for (; slot != NULL; slot = gm_cfg_next_slot(cfg, slot)) {
        if (cfg->blocks.items[slot->block].order < 0) {
            continue;
        }
        if ((symbol->flags & GM_SYMBOL_OUTSIDE) != 0) {
            reaching->all = true;
        } else if (pass_back(reaching, access_before(reaching, slot->block, slot->step, symbol->index), false)) {
            find_at_block(reaching, slot->block, symbol->index);
        }
    }
    *list = found(reaching);
    return true;
}
