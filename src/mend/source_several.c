/* Branches that assign several variables. */
#include <string.h>

#include "analysis/sides.h"
#include "mend/source_branch.h"

static gm_arena *arena_of(const gm_selection *all) {
    return all->fixer->analysis->arena;
}

/* The value of the only assignment to a variable in a block; NULL when there is none. */
static const gm_node *value_in(const gm_selection *all, const gm_list *block, const gm_symbol *target) {
    for (uint32_t i = 0; i < block->count; i++) {
        if (gm_select_assigned(all, block->items[i]) == target) {
            return gm_as_Assign(block->items[i])->value;
        }
    }
    return NULL;
}

/* Whether an expression reads a variable. */
static bool reads(const gm_selection *all, const gm_node *expression, const gm_symbol *symbol) {
    gm_symbol_list names = {NULL, 0};
    if (expression != NULL) {
        names = gm_sides_names(all->fixer->analysis, all->plan->function, expression);
    }
    return gm_symbols_have(&names, symbol);
}

/* Whether an expression reads what the first statements of the block have assigned to a variable of the branch: in front of the branch it would
 * read the old value. */
static bool reads_new(const gm_selection *all, const gm_node *expression, const gm_list *block, uint32_t count) {
    gm_symbol_list names = gm_sides_names(all->fixer->analysis, all->plan->function, expression);
    for (uint32_t i = 0; i < count; i++) {
        const gm_symbol *symbol = gm_select_assigned(all, block->items[i]);
        if (symbol != NULL && gm_symbols_have(&all->plan->targets, symbol) && gm_symbols_have(&names, symbol)) {
            return true;
        }
    }
    return false;
}

/* Assignments only, each variable once, no value that depends on another variable's new value. */
static bool take_block(gm_selection *all, const gm_list *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const gm_node *statement = block->items[i];
        const gm_symbol *symbol = gm_select_assigned(all, statement);
        if (statement->kind == GM_KIND_Pass) {
            continue;
        }
        if (symbol == NULL) {
            return false;
        }
        const gm_node *value = gm_as_Assign(statement)->value;
        bool is_target = gm_symbols_have(&all->plan->targets, symbol);
        bool taken = is_target ? value_in(all, block, symbol) == value : gm_branch_take_first(all, statement, block, NULL);
        if (!taken || reads_new(all, value, block, i)) {
            return false;
        }
    }
    return true;
}

/* Whether a variable has to keep its old value for another one that is not written yet. */
static bool is_needed(const gm_selection *all, const gm_symbol *symbol, const gm_symbol_list *rest) {
    for (uint32_t i = 0; i < rest->count; i++) {
        const gm_symbol *other = rest->items[i];
        if (other != symbol &&
            (reads(all, value_in(all, &all->plan->then, other), symbol) || reads(all, value_in(all, &all->plan->orelse, other), symbol))) {
            return true;
        }
    }
    return false;
}

/* The target of the plan that a statement assigns, or NULL. */
static gm_symbol *target_of(const gm_selection *all, const gm_symbol *assigned) {
    const gm_symbol_list *targets = &all->plan->targets;
    for (uint32_t i = 0; i < targets->count; i++) {
        if (targets->items[i] == assigned) {
            return targets->items[i];
        }
    }
    return NULL;
}

/* The variables in the order in which the sides assign them. */
static gm_symbol_list text_order(const gm_selection *all) {
    gm_symbol_list order = {NULL, 0};
    const gm_list *sides[] = {&all->plan->then, &all->plan->orelse};
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < sides[side]->count; i++) {
            gm_symbol *target = target_of(all, gm_select_assigned(all, sides[side]->items[i]));
            if (target != NULL) {
                gm_symbols_add(arena_of(all), &order, target);
            }
        }
    }
    return order;
}

/* The variables in an order in which each is written when nobody needs its old value any more, that of the text where it does not matter; false
 * when there is none. */
static bool put_in_order(const gm_selection *all, gm_symbol_list *targets) {
    gm_symbol_list rest = text_order(all);
    targets->items = GM_NEW_ARRAY(arena_of(all), gm_symbol *, rest.count);
    targets->count = 0;
    for (uint32_t i = 0; i < rest.count;) {
        if (is_needed(all, rest.items[i], &rest)) {
            i++;
            continue;
        }
        targets->items[targets->count++] = rest.items[i];
        rest.count--;
        memmove(rest.items + i, rest.items + i + 1, sizeof *rest.items * (rest.count - i));
        i = 0;
    }
    return rest.count == 0;
}

/* Whether the statements of a side keep their order when they are written as selections of these variables: gradients are summed up in the
 * order of operations, and rounding tells another order. */
static bool keeps_order(const gm_selection *all, const gm_list *block, const gm_symbol_list *targets) {
    uint32_t next = 0;
    bool any = false;
    for (uint32_t i = 0; i < block->count; i++) {
        const gm_symbol *symbol = gm_select_assigned(all, block->items[i]);
        if (symbol == NULL) {
            continue;
        }
        if (!gm_symbols_have(targets, symbol)) {
            if (any) {
                return false; /* what prepares comes first */
            }
            continue;
        }
        any = true;
        while (next < targets->count && targets->items[next] != symbol) {
            next++;
        }
        if (next == targets->count) {
            return false;
        }
    }
    return true;
}

static bool is_ordered(const gm_selection *all, const gm_symbol_list *targets) {
    return all->proof.grad_free || (keeps_order(all, &all->plan->then, targets) && keeps_order(all, &all->plan->orelse, targets));
}

/* A name for the condition that the file does not use. */
static const char *condition_name(const gm_selection *all, const gm_node *test) {
    static const char *const names[] = {"condition", "is_chosen", "selected"};
    const gm_names *taken = all->fixer->analysis->tree->names;
    if (test->kind == GM_KIND_Name && gm_branch_is_ascii(gm_as_Name(test)->id->text)) {
        return gm_as_Name(test)->id->text;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (gm_names_find(taken, names[i], strlen(names[i])) == NULL) {
            return names[i];
        }
    }
    return NULL;
}

static gm_choice side_value(gm_selection *all, const gm_list *block, const gm_symbol *target) {
    const gm_node *value = value_in(all, block, target);
    return value != NULL ? gm_select_value(all, value) : gm_select_unchanged(all, target);
}

/* `condition = ...`, what only prepares, and one selection for each variable. */
static bool write_several(gm_selection *all, const gm_layout *with, const gm_edit_text *condition, gm_edit_text *body) {
    gm_arena *arena = arena_of(all);
    gm_symbol_list list = all->plan->targets;
    const gm_symbol_list *targets = &list;
    if (!put_in_order(all, &list) || !is_ordered(all, &list)) {
        all->fixer->reason = "the variables depend on one another, or gradients would be summed up in another order";
        return false;
    }
    if (condition != NULL) {
        gm_edit_add(arena, body, all->condition);
        gm_edit_add(arena, body, " = ");
        gm_text_append(arena, body, condition);
        gm_edit_add(arena, body, with->end);
        gm_edit_add(arena, body, with->indent);
    }
    for (uint32_t i = 0; i < targets->count; i++) {
        gm_choice then = side_value(all, &all->plan->then, targets->items[i]);
        gm_choice orelse = side_value(all, &all->plan->orelse, targets->items[i]);
        gm_choice value;
        const char *head = gm_branch_head(all, targets->items[i]->name->text, " = ");
        if (!gm_branch_is_ascii(head) ||
            !gm_select(all, all->plan->test, false, &then, &orelse, targets->items[i], with->indent, (uint32_t)strlen(head), &value)) {
            return false;
        }
        if (i > 0) {
            gm_edit_add(arena, body, with->end);
            gm_edit_add(arena, body, with->indent);
        }
        gm_branch_write(all, with, head, &value, body);
        all->written = all->first.count;
    }
    return true;
}

/* The condition without the `not` around it, which swaps the values. */
static const gm_node *bare(const gm_node *test) {
    while (test->kind == GM_KIND_UnaryOp && gm_as_UnaryOp(test)->op == GM_OP_Not) {
        test = gm_as_UnaryOp(test)->operand;
    }
    return test;
}

static bool is_target(const gm_selection *all, const gm_node *name) {
    return gm_symbols_have(&all->plan->targets, gm_scopes_symbol(all->plan->function->flow->scopes, name));
}

void gm_branch_several(gm_selection *all, const gm_layout *with, gm_edits *edits) {
    const gm_node *test = bare(all->plan->test);
    gm_edit_text written = {0};
    gm_edit_text body = {0};
    bool negated = false;
    bool named = test->kind == GM_KIND_Name;
    all->condition = condition_name(all, test);
    if (gm_branch_is_elif(all) || all->condition == NULL || (named && is_target(all, test)) || !take_block(all, &all->plan->then) ||
        !take_block(all, &all->plan->orelse) || !gm_source_condition(all->fixer, &all->proof, test, false, &written, &negated) || negated ||
        !write_several(all, with, named ? NULL : &written, &body)) {
        return;
    }
    gm_branch_replace(all, with, all->plan->node->start, all->plan->node->end, &body, edits);
}
