#include "rules/budget.h"

enum { FREE = 256 << 10, PER_BYTE = 32, BYTES_PER_BRANCH = 24, NAMES_PER_BRANCH = 4, MOST_TARGETS = 2000, LONG_LINE = 100 };

/* A definition that is being counted. What is inside of another one belongs to that. */
typedef struct counter {
    uint64_t total; /* of the definitions that are counted */
    uint64_t branches;
    uint64_t names; /* that are bound */
    uint64_t most;
    const gm_node *largest;
} counter;

static bool is_definition(const gm_node *node) {
    return node->kind == GM_KIND_FunctionDef || node->kind == GM_KIND_AsyncFunctionDef || node->kind == GM_KIND_ClassDef;
}

static bool is_branch(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_If:
    case GM_KIND_While:
    case GM_KIND_For:
    case GM_KIND_AsyncFor:
    case GM_KIND_With:
    case GM_KIND_AsyncWith:
    case GM_KIND_Try:
    case GM_KIND_TryStar:
    case GM_KIND_ExceptHandler:
    case GM_KIND_match_case:
    case GM_KIND_Assert:
    case GM_KIND_Raise:
    case GM_KIND_Return:
        return true;
    default:
        return false;
    }
}

static void close_definition(counter *all, const gm_node *node) {
    uint64_t cost = all->branches * all->branches + all->branches * (all->names / NAMES_PER_BRANCH);
    all->total += cost;
    if (cost > all->most) {
        all->most = cost;
        all->largest = node;
    }
}

/* What one statement binds, where nobody writes so much. */
static uint64_t many_targets(const gm_node *node) {
    uint64_t bound = 0;
    for (uint32_t i = 0; node->kind == GM_KIND_Assign && i < gm_as_Assign(node)->targets.count; i++) {
        const gm_node *target = gm_as_Assign(node)->targets.items[i];
        bound += target->kind == GM_KIND_Tuple ? gm_as_Tuple(target)->elts.count : 1;
    }
    return bound > MOST_TARGETS ? bound : 0;
}

/* Statements alone: expressions take time by their own length. */
static bool count(gm_node *node, void *context) {
    counter *all = context;
    if (is_definition(node)) {
        uint64_t branches = all->branches;
        uint64_t names = all->names;
        all->branches = all->names = 0;
        gm_node_children(node, count, all);
        close_definition(all, node);
        all->branches = branches;
        all->names = names;
        return true;
    }
    all->branches += is_branch(node);
    all->names += node->kind == GM_KIND_Assign || node->kind == GM_KIND_AnnAssign;
    all->branches += many_targets(node);
    return !gm_holds_statements(node) || gm_node_children(node, count, context);
}

/* Few files are so long that their branches could be too many: only those are counted. */
static bool may_be_large(const gm_tree *tree, uint64_t budget) {
    uint64_t branches = tree->source->length / BYTES_PER_BRANCH;
    uint64_t lines = tree->source->line_count;
    branches = branches < lines || lines < tree->source->length / LONG_LINE ? branches : lines;
    return branches * branches * 2 > budget;
}

bool gm_budget_allows(const gm_tree *tree, gm_diagnostic *notice) {
    uint64_t budget = FREE + (uint64_t)tree->source->length * PER_BYTE;
    if (tree->diagnostics.count > 0 || !may_be_large(tree, budget)) {
        return true;
    }
    counter all = {.largest = &tree->module->base};
    gm_node_children(&tree->module->base, count, &all);
    close_definition(&all, &tree->module->base);
    if (all.total <= budget) {
        return true;
    }
    uint32_t start = all.largest->start;
    *notice = (gm_diagnostic){start, start + 1, "too large, not analysed: a function has too many branches"};
    return false;
}
