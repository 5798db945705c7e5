/* Branches and returns as `torch.where`. */
#include <string.h>

#include "analysis/sides.h"
#include "analysis/tests.h"
#include "mend/source_branch.h"
#include "mend/writer.h"
#include "syntax/lexer.h"

static gm_arena *arena_of(const gm_selection *all) {
    return all->fixer->analysis->arena;
}

/* ---- Sides ---- */

/* Whether the variable is used only by statements of this block: then it may be set before the branch. */
static bool is_temporary(const gm_selection *all, const gm_symbol *symbol, const gm_list *block, const gm_symbol *target) {
    if (symbol == NULL || symbol == target || symbol->binding != GM_BINDING_LOCAL || symbol->scope != all->plan->function->scope ||
        gm_is_live_after(all->plan->function, all->plan->statement, symbol)) {
        return false;
    }
    gm_symbol_list before = gm_live_before(all->plan->function, all->plan->statement);
    if (gm_symbols_have(&before, symbol)) {
        return false;
    }
    uint32_t bindings = 0;
    for (uint32_t i = 0; i < symbol->binders.count; i++) {
        uint32_t at = symbol->binders.items[i]->start;
        bool here = at >= block->items[0]->start && at < block->items[block->count - 1]->end;
        bool in_branch = at >= all->plan->node->start && at < all->plan->node->end;
        bindings += here;
        if (in_branch && !here) {
            return false;
        }
    }
    return bindings == 1;
}

/* A statement that only prepares: it goes in front of the selection. */
bool gm_branch_take_first(gm_selection *all, const gm_node *statement, const gm_list *block, const gm_symbol *target) {
    const gm_symbol *symbol = gm_select_assigned(all, statement);
    if (!is_temporary(all, symbol, block, target)) {
        return false;
    }
    all->proof.early = true;
    gm_relation relation = gm_relation_of(&all->proof, gm_as_Assign(statement)->value);
    all->proof.early = false;
    if (relation.kind == GM_RELATION_NONE || relation.alias) {
        return false;
    }
    gm_relation_bind(&all->proof, symbol, relation);
    gm_vec_push(arena_of(all), &all->first, statement);
    return true;
}

static bool value_of_block(gm_selection *all, const gm_list *block, const gm_symbol *target, gm_choice *out);

/* `elif`: a selection inside the other. */
static bool value_of_branch(gm_selection *all, const gm_If *branch, const gm_symbol *target, gm_choice *out) {
    gm_choice then;
    gm_choice orelse;
    return value_of_block(all, &branch->body, target, &then) && value_of_block(all, &branch->orelse, target, &orelse) &&
           gm_select(all, branch->test, true, &then, &orelse, target, NULL, 0, out);
}

static bool value_of_block(gm_selection *all, const gm_list *block, const gm_symbol *target, gm_choice *out) {
    if (block->count == 0 || (block->count == 1 && block->items[0]->kind == GM_KIND_Pass)) {
        *out = gm_select_unchanged(all, target);
        return true;
    }
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        if (!gm_branch_take_first(all, block->items[i], block, target)) {
            return false;
        }
    }
    const gm_node *last = block->items[block->count - 1];
    if (last->kind == GM_KIND_If) {
        return value_of_branch(all, gm_as_If(last), target, out);
    }
    if (gm_select_assigned(all, last) != target) {
        return false;
    }
    *out = gm_select_value(all, gm_as_Assign(last)->value);
    return true;
}

/* ---- Statements ---- */

/* The statements that prepare, each on a line of its own, then `head` and the selection. */
void gm_branch_write(const gm_selection *all, const gm_layout *with, const char *head, const gm_choice *value, gm_edit_text *text) {
    gm_arena *arena = arena_of(all);
    for (uint32_t i = all->written; i < all->first.count; i++) {
        gm_edit_add_source(arena, text, all->first.items[i]->start, all->first.items[i]->end);
        gm_edit_add(arena, text, with->end);
        gm_edit_add(arena, text, with->indent);
    }
    gm_edit_add(arena, text, head);
    gm_text_append(arena, text, &value->text);
}

/* Replace a range by comments of it and new statements. */
void gm_branch_replace(const gm_selection *all, const gm_layout *with, uint32_t start, uint32_t end, const gm_edit_text *body,
                       gm_edits *edits) {
    gm_edit edit = {.start = start, .end = end};
    gm_text_add_comments(all->fixer, &edit.text, start, end, body, with->indent);
    gm_text_append(arena_of(all), &edit.text, body);
    gm_edits_add(arena_of(all), edits, edit);
}

bool gm_branch_is_elif(const gm_selection *all) {
    return all->fixer->analysis->tree->source->text[all->plan->node->start] == 'e';
}

const char *gm_branch_head(const gm_selection *all, const char *left, const char *right) {
    return gm_analysis_text(all->fixer->analysis, "%s%s", left, right);
}

/* In place of the whole `if`; in place of `elif` behind an `else:`. */
static void replace_branch(const gm_selection *all, gm_layout with, const char *head, const gm_choice *value, gm_edits *edits) {
    gm_edit_text body = {0};
    if (gm_branch_is_elif(all)) {
        const char *outer = with.indent;
        with.indent = gm_branch_head(all, outer, gm_text_unit(all->fixer, all->plan->function));
        gm_branch_write(all, &with, head, value, &body);
        gm_edit edit = {.start = all->plan->node->start, .end = all->plan->node->end};
        gm_edit_add(arena_of(all), &edit.text, "else:");
        gm_edit_add(arena_of(all), &edit.text, with.end);
        gm_edit_add(arena_of(all), &edit.text, with.indent);
        gm_text_add_comments(all->fixer, &edit.text, edit.start, edit.end, &body, with.indent);
        gm_text_append(arena_of(all), &edit.text, &body);
        gm_edits_add(arena_of(all), edits, edit);
        return;
    }
    gm_branch_write(all, &with, head, value, &body);
    gm_branch_replace(all, &with, all->plan->node->start, all->plan->node->end, &body, edits);
}

bool gm_branch_is_ascii(const char *text) {
    while (*text != '\0' && (unsigned char)*text < 0x80) {
        text++;
    }
    return *text == '\0';
}

/* ---- `if python and tensor:` ---- */

/* How many operands in front are conditions of Python. */
static uint32_t python_operands(const gm_selection *all, const gm_node *test) {
    if (test->kind != GM_KIND_BoolOp || gm_as_BoolOp(test)->op != GM_OP_And) {
        return 0;
    }
    const gm_list *values = &gm_as_BoolOp(test)->values;
    uint32_t count = 0;
    const char *reason = NULL;
    while (count < values->count && gm_test_classify(all->plan->function, values->items[count], &reason) == GM_TEST_PYTHON) {
        count++;
    }
    return count;
}

/* The end of an operand with the brackets around it: the end of the token in front of the next `and`. */
static uint32_t end_of_operand(const gm_tree *tree, const gm_node *operand) {
    uint32_t token = gm_token_at(tree, operand->end);
    while (tree->tokens[token].kind == GM_TOKEN_RPAR) {
        token++;
    }
    return tree->tokens[token - 1].end;
}

static gm_node *rest_of_test(const gm_selection *all, const gm_BoolOp *test, uint32_t first) {
    if (first + 1 == test->values.count) {
        return test->values.items[first];
    }
    gm_BoolOp *rest = GM_NEW(arena_of(all), gm_BoolOp);
    *rest = *test;
    rest->base.start = test->values.items[first]->start;
    rest->values.items += first;
    rest->values.count -= first;
    return &rest->base;
}

/* The conditions of Python stay an `if`, and what depends on data is selected inside. */
static void mend_inside(gm_selection *all, uint32_t python, const gm_symbol *target, gm_edits *edits) {
    const gm_If *branch = gm_as_If(all->plan->node);
    const gm_BoolOp *test = gm_as_BoolOp(branch->test);
    const gm_list *body = &branch->body;
    gm_layout with = {gm_text_indent(all->fixer, body->items[0]), gm_text_line_end(all->fixer, branch->base.start)};
    if (branch->orelse.count > 0 || with.indent == NULL) {
        return;
    }
    gm_choice then;
    gm_choice value;
    gm_choice orelse = gm_select_unchanged(all, target);
    const char *head = gm_branch_head(all, target->name->text, " = ");
    if (!value_of_block(all, body, target, &then) ||
        !gm_select(all, rest_of_test(all, test, python), false, &then, &orelse, target, with.indent, (uint32_t)strlen(head) + 4, &value)) {
        return;
    }
    gm_edit_text text = {0};
    gm_branch_write(all, &with, head, &value, &text);
    uint32_t cut = end_of_operand(all->fixer->analysis->tree, test->values.items[python - 1]);
    gm_edit shorter = {.start = cut, .end = test->base.end};
    gm_edits_add(arena_of(all), edits, shorter);
    gm_branch_replace(all, &with, body->items[0]->start, body->items[body->count - 1]->end, &text, edits);
}

static void mend_whole(gm_selection *all, gm_layout with, const gm_symbol *target, gm_edits *edits) {
    const gm_plan *plan = all->plan;
    gm_choice then;
    gm_choice orelse;
    gm_choice value;
    const char *head = gm_branch_head(all, target->name->text, " = ");
    if (value_of_block(all, &plan->then, target, &then) && value_of_block(all, &plan->orelse, target, &orelse) &&
        gm_select(all, plan->test, false, &then, &orelse, target, with.indent, (uint32_t)strlen(head), &value)) {
        replace_branch(all, with, head, &value, edits);
    }
}

/* ---- Forms ---- */

void gm_form_branch(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    if (plan->targets.count == 0) {
        gm_form_messages(fixer, plan, edits, assumption);
        return;
    }
    gm_selection all = gm_select_begin(fixer, plan);
    gm_layout with = {gm_text_indent(fixer, plan->node), gm_text_line_end(fixer, plan->node->start)};
    const gm_symbol *target = plan->targets.items[0];
    if (with.indent == NULL || !gm_branch_is_ascii(target->name->text)) {
        return;
    }
    all.torch = gm_text_torch(fixer, plan->function);
    uint32_t python = python_operands(&all, plan->test);
    if (all.torch == NULL || (plan->targets.count > 1 && python > 0)) {
        return;
    }
    if (plan->targets.count > 1) {
        gm_branch_several(&all, &with, edits);
    } else if (python > 0) {
        mend_inside(&all, python, target, edits);
    } else {
        mend_whole(&all, with, target, edits);
    }
}

/* The value of a block that is one `return`; NULL for others. */
static const gm_node *returned(const gm_list *block, uint32_t at) {
    bool is_return = at < block->count && block->items[at]->kind == GM_KIND_Return;
    return is_return ? gm_as_Return(block->items[at])->value : NULL;
}

void gm_form_return(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    gm_selection all = gm_select_begin(fixer, plan);
    gm_layout with = {gm_text_indent(fixer, plan->node), gm_text_line_end(fixer, plan->node->start)};
    if (plan->node->kind != GM_KIND_If || with.indent == NULL || plan->then.count != 1) {
        return;
    }
    bool behind = plan->orelse.count == 0;
    uint32_t next = plan->place->index + 1;
    const gm_node *then_value = returned(&plan->then, 0);
    const gm_node *else_value = behind ? returned(plan->place->list, next) : returned(&plan->orelse, 0);
    all.torch = gm_text_torch(fixer, plan->function);
    if (then_value == NULL || else_value == NULL || (!behind && plan->orelse.count != 1) || all.torch == NULL ||
        (behind && gm_branch_is_elif(&all))) {
        return;
    }
    gm_choice then = gm_select_value(&all, then_value);
    gm_choice orelse = gm_select_value(&all, else_value);
    gm_choice value;
    if (!gm_select(&all, plan->test, false, &then, &orelse, NULL, with.indent, (uint32_t)strlen("return "), &value)) {
        return;
    }
    if (!behind) {
        replace_branch(&all, with, "return ", &value, edits);
        return;
    }
    gm_edit_text body = {0};
    gm_branch_write(&all, &with, "return ", &value, &body);
    gm_branch_replace(&all, &with, plan->node->start, plan->place->list->items[next]->end, &body, edits);
}

/* `if c: f(a)`, `else: f(b)`: one call. */
void gm_form_argument(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    gm_selection all = gm_select_begin(fixer, plan);
    gm_layout with = {gm_text_indent(fixer, plan->node), gm_text_line_end(fixer, plan->node->start)};
    const gm_node *call = gm_as_If(plan->node)->body.items[0];
    gm_choice then = gm_select_value(&all, plan->then_value);
    gm_choice orelse = gm_select_value(&all, plan->else_value);
    gm_choice value;
    all.torch = gm_text_torch(fixer, plan->function);
    if (with.indent == NULL || all.torch == NULL || gm_branch_is_elif(&all) ||
        !gm_select(&all, plan->test, false, &then, &orelse, NULL, NULL, 0, &value)) {
        return;
    }
    gm_edit_text body = {0};
    gm_edit_add_source(fixer->analysis->arena, &body, call->start, plan->then_value->start);
    gm_text_append(fixer->analysis->arena, &body, &value.text);
    gm_edit_add_source(fixer->analysis->arena, &body, plan->then_value->end, call->end);
    gm_branch_replace(&all, &with, plan->node->start, plan->node->end, &body, edits);
}
