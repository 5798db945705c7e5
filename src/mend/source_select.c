/* Branches, returns and conditional expressions as `torch.where`. */
#include <string.h>

#include "mend/source_text.h"
#include "mend/writer.h"
#include "rules/effects.h"
#include "rules/sides.h"
#include "rules/tests.h"
#include "syntax/lexer.h"

/* A value of one side: its text, and what is proved of it. */
typedef struct choice {
    gm_edit_text text;
    gm_relation relation;
    const gm_symbol *same; /* the variable that keeps its value in this side; or NULL */
} choice;

/* A mend in the making. */
typedef struct selection {
    gm_fixer *fixer;
    const gm_plan *plan;
    gm_proof proof;
    const char *torch;
    GM_VEC(const gm_node *) first; /* statements of the sides that only prepare: they go in front */
} selection;

static gm_arena *arena_of(const selection *all) {
    return all->fixer->analysis->arena;
}

static selection begin(gm_fixer *fixer, const gm_plan *plan) {
    selection all = {.fixer = fixer, .plan = plan};
    all.proof = gm_proof_at(fixer->analysis, plan->function, plan->statement, plan->place, plan->test);
    all.proof.assumptions = fixer->assumptions;
    return all;
}

/* ---- Values ---- */

static choice value_of(selection *all, const gm_node *value) {
    choice made = {.relation = gm_relation_of(&all->proof, value)};
    gm_edit_add_source(arena_of(all), &made.text, value->start, value->end);
    if (value->kind == GM_KIND_Name && made.relation.alias) {
        made.same = gm_scopes_symbol(all->plan->function->flow->scopes, value);
    }
    return made;
}

static choice unchanged(selection *all, const gm_symbol *target) {
    choice made = {.relation = gm_relation_of_variable(&all->proof, target), .same = target};
    gm_edit_add(arena_of(all), &made.text, target->name->text);
    return made;
}

/* An alias in a side is the same object in the original, and a copy in the mended form: nobody may be able to tell. */
static bool may_copy(const selection *all, const choice *value, const gm_symbol *target) {
    if (!value->relation.alias) {
        return true;
    }
    return value->same != NULL && value->same == target && gm_proof_private(&all->proof, target);
}

static bool is_ascii(const char *text) {
    while (*text != '\0' && (unsigned char)*text < 0x80) {
        text++;
    }
    return *text == '\0';
}

/* ---- Text of a call of where ---- */

static bool fits(const selection *all, const gm_node *at, uint32_t length) {
    const gm_source *source = all->fixer->analysis->tree->source;
    return gm_source_position(source, at->start).column + length <= gm_text_width(all->fixer);
}

static bool has_lines(const selection *all, const gm_edit_text *text) {
    for (uint32_t i = 0; i < text->pieces.count; i++) {
        const gm_edit_piece *piece = &text->pieces.items[i];
        if (piece->ascii == NULL && gm_text_has_lines(all->fixer, piece->start, piece->end)) {
            return true;
        }
    }
    return false;
}

/* `torch.where(c, a, b)`, on lines of its own for each argument where one line would be too long. `indent` is that of the statement, NULL
 * when there is to be one line; `front` is the length of what stands before on the line. */
static gm_edit_text write_where(const selection *all, const gm_edit_text *condition, const gm_edit_text *then,
                                const gm_edit_text *orelse, const char *indent, uint32_t front) {
    gm_arena *arena = arena_of(all);
    gm_edit_text text = {0};
    uint32_t length = front + (uint32_t)strlen(all->torch) + gm_edit_length(condition) + gm_edit_length(then) +
                      gm_edit_length(orelse) + (uint32_t)strlen(".where(, , )");
    bool one_line = indent == NULL || fits(all, all->plan->statement, length) || has_lines(all, condition) ||
                    has_lines(all, then) || has_lines(all, orelse);
    const char *unit = one_line ? "" : gm_text_unit(all->fixer, all->plan->function);
    const char *end = one_line ? "" : gm_text_line_end(all->fixer, all->plan->statement->start);
    const gm_edit_text *arguments[] = {condition, then, orelse};
    gm_edit_add(arena, &text, all->torch);
    gm_edit_add(arena, &text, ".where(");
    for (int i = 0; i < 3; i++) {
        if (!one_line) {
            gm_edit_add(arena, &text, end);
            gm_edit_add(arena, &text, indent);
            gm_edit_add(arena, &text, unit);
        }
        gm_text_append(arena, &text, arguments[i]);
        gm_edit_add(arena, &text, one_line ? (i < 2 ? ", " : "") : ",");
    }
    if (!one_line) {
        gm_edit_add(arena, &text, end);
        gm_edit_add(arena, &text, indent);
    }
    gm_edit_add(arena, &text, ")");
    return text;
}

static bool assigns(const selection *all, const gm_node *expression) {
    return (gm_region_of_expression(all->plan->function, expression).traits & GM_REGION_WALRUS) != 0;
}

/* Why the values cannot be selected from; NULL when they can. */
static const char *refusal_of(const selection *all, const choice *then, const choice *orelse, const gm_symbol *target) {
    if (then->relation.kind == GM_RELATION_NONE || orelse->relation.kind == GM_RELATION_NONE) {
        return then->relation.kind == GM_RELATION_NONE ? then->relation.reason : orelse->relation.reason;
    }
    const char *reason = gm_relation_disagree(&all->proof, &then->relation, &orelse->relation, target);
    if (reason == NULL && (then->same != NULL) && orelse->same != NULL) {
        reason = "both sides leave the variable as it is";
    }
    if (reason == NULL && (!may_copy(all, then, target) || !may_copy(all, orelse, target))) {
        reason = "a side hands on a tensor that others may hold, and a selection is a copy";
    }
    return reason;
}

/* The selection of two values whose relations agree. */
static bool select_values(selection *all, const gm_node *test, bool later, const choice *then, const choice *orelse,
                          const gm_symbol *target, const char *indent, uint32_t front, choice *out) {
    gm_edit_text condition = {0};
    bool negated = false;
    const char *reason = refusal_of(all, then, orelse, target);
    if (reason == NULL && (assigns(all, test) ||
                           !gm_source_condition(all->fixer, &all->proof, test, later, &condition, &negated))) {
        reason = "the condition is not certainly one tensor of bool with one element";
    }
    if (reason == NULL && !gm_proof_same_device(&all->proof, test, &then->relation.bases)) {
        reason = "the condition may be on another device than the values";
    }
    if (reason == NULL && all->first.count > 0 &&
        gm_effects_of(all->fixer->analysis, all->plan->function, test, GM_EFFECTS_TEST).reason != NULL) {
        reason = "the condition may change what the side prepares";
    }
    if (reason != NULL) {
        all->fixer->reason = reason;
        return false;
    }
    const choice *first = negated ? orelse : then;
    const choice *second = negated ? then : orelse;
    out->text = write_where(all, &condition, &first->text, &second->text, indent, front);
    out->relation = then->relation;
    out->relation.gradient = then->relation.gradient > orelse->relation.gradient ? then->relation.gradient : orelse->relation.gradient;
    gm_relation_save_both(&out->relation, &then->relation, &orelse->relation);
    out->relation.alias = out->relation.chain = false;
    out->same = NULL;
    return true;
}

/* ---- Sides ---- */

/* `name = value`; the variable, or NULL. */
static const gm_symbol *assigned(const selection *all, const gm_node *statement) {
    if (statement->kind != GM_KIND_Assign || gm_as_Assign(statement)->targets.count != 1 ||
        gm_as_Assign(statement)->targets.items[0]->kind != GM_KIND_Name) {
        return NULL;
    }
    return gm_scopes_symbol(all->plan->function->flow->scopes, gm_as_Assign(statement)->targets.items[0]);
}

/* Whether the variable is used only by statements of this block: then it may be set before the branch. */
static bool is_temporary(const selection *all, const gm_symbol *symbol, const gm_list *block, const gm_symbol *target) {
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
static bool take_first(selection *all, const gm_node *statement, const gm_list *block, const gm_symbol *target) {
    const gm_symbol *symbol = assigned(all, statement);
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

static bool value_of_block(selection *all, const gm_list *block, const gm_symbol *target, choice *out);

/* `elif`: a selection inside the other. */
static bool value_of_branch(selection *all, const gm_If *branch, const gm_symbol *target, choice *out) {
    choice then;
    choice orelse;
    return value_of_block(all, &branch->body, target, &then) && value_of_block(all, &branch->orelse, target, &orelse) &&
           select_values(all, branch->test, true, &then, &orelse, target, NULL, 0, out);
}

static bool value_of_block(selection *all, const gm_list *block, const gm_symbol *target, choice *out) {
    if (block->count == 0 || (block->count == 1 && block->items[0]->kind == GM_KIND_Pass)) {
        *out = unchanged(all, target);
        return true;
    }
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        if (!take_first(all, block->items[i], block, target)) {
            return false;
        }
    }
    const gm_node *last = block->items[block->count - 1];
    if (last->kind == GM_KIND_If) {
        return value_of_branch(all, gm_as_If(last), target, out);
    }
    if (assigned(all, last) != target) {
        return false;
    }
    *out = value_of(all, gm_as_Assign(last)->value);
    return true;
}

/* ---- Statements ---- */

typedef struct layout {
    const char *indent; /* of the new statements */
    const char *end;    /* of lines */
} layout;

/* The statements that prepare, each on a line of its own, then `head` and the selection. */
static void write_statements(const selection *all, const layout *with, const char *head, const choice *value, gm_edit_text *text) {
    gm_arena *arena = arena_of(all);
    for (uint32_t i = 0; i < all->first.count; i++) {
        gm_edit_add_source(arena, text, all->first.items[i]->start, all->first.items[i]->end);
        gm_edit_add(arena, text, with->end);
        gm_edit_add(arena, text, with->indent);
    }
    gm_edit_add(arena, text, head);
    gm_text_append(arena, text, &value->text);
}

/* Replace a range by comments of it and new statements. */
static void replace(const selection *all, const layout *with, uint32_t start, uint32_t end, const gm_edit_text *body,
                    gm_edits *edits) {
    gm_edit edit = {.start = start, .end = end};
    gm_text_add_comments(all->fixer, &edit.text, start, end, body, with->indent);
    gm_text_append(arena_of(all), &edit.text, body);
    gm_edits_add(arena_of(all), edits, edit);
}

static bool is_elif(const selection *all) {
    return all->fixer->analysis->tree->source->text[all->plan->node->start] == 'e';
}

static const char *join_text(const selection *all, const char *left, const char *right) {
    return gm_analysis_text(all->fixer->analysis, "%s%s", left, right);
}

/* In place of the whole `if`; in place of `elif` behind an `else:`. */
static void replace_branch(const selection *all, layout with, const char *head, const choice *value, gm_edits *edits) {
    gm_edit_text body = {0};
    if (is_elif(all)) {
        const char *outer = with.indent;
        with.indent = join_text(all, outer, gm_text_unit(all->fixer, all->plan->function));
        write_statements(all, &with, head, value, &body);
        gm_edit edit = {.start = all->plan->node->start, .end = all->plan->node->end};
        gm_edit_add(arena_of(all), &edit.text, "else:");
        gm_edit_add(arena_of(all), &edit.text, with.end);
        gm_edit_add(arena_of(all), &edit.text, with.indent);
        gm_text_add_comments(all->fixer, &edit.text, edit.start, edit.end, &body, with.indent);
        gm_text_append(arena_of(all), &edit.text, &body);
        gm_edits_add(arena_of(all), edits, edit);
        return;
    }
    write_statements(all, &with, head, value, &body);
    replace(all, &with, all->plan->node->start, all->plan->node->end, &body, edits);
}

/* ---- `if python and tensor:` ---- */

/* How many operands in front are conditions of Python. */
static uint32_t python_operands(const selection *all, const gm_node *test) {
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

static gm_node *rest_of_test(const selection *all, const gm_BoolOp *test, uint32_t first) {
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
static bool mend_inside(selection *all, uint32_t python, const gm_symbol *target, gm_edits *edits) {
    const gm_If *branch = gm_as_If(all->plan->node);
    const gm_BoolOp *test = gm_as_BoolOp(branch->test);
    const gm_list *body = &branch->body;
    layout with = {gm_text_indent(all->fixer, body->items[0]), gm_text_line_end(all->fixer, branch->base.start)};
    if (branch->orelse.count > 0 || with.indent == NULL) {
        return false;
    }
    choice then;
    choice value;
    choice orelse = unchanged(all, target);
    const char *head = join_text(all, target->name->text, " = ");
    if (!value_of_block(all, body, target, &then) ||
        !select_values(all, rest_of_test(all, test, python), false, &then, &orelse, target, with.indent, (uint32_t)strlen(head) + 4,
                       &value)) {
        return false;
    }
    gm_edit_text text = {0};
    write_statements(all, &with, head, &value, &text);
    uint32_t cut = end_of_operand(all->fixer->analysis->tree, test->values.items[python - 1]);
    gm_edit shorter = {.start = cut, .end = test->base.end};
    gm_edits_add(arena_of(all), edits, shorter);
    replace(all, &with, body->items[0]->start, body->items[body->count - 1]->end, &text, edits);
    return true;
}

/* ---- Forms ---- */

bool gm_form_branch(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    selection all = begin(fixer, plan);
    layout with = {gm_text_indent(fixer, plan->node), gm_text_line_end(fixer, plan->node->start)};
    const gm_symbol *target = plan->targets.count == 1 ? plan->targets.items[0] : NULL;
    if (target == NULL || with.indent == NULL || !is_ascii(target->name->text)) {
        return false;
    }
    all.torch = gm_text_torch(fixer, plan->function);
    uint32_t python = python_operands(&all, plan->test);
    if (all.torch == NULL || python > 0) {
        return all.torch != NULL && mend_inside(&all, python, target, edits);
    }
    choice then;
    choice orelse;
    choice value;
    const char *head = join_text(&all, target->name->text, " = ");
    if (!value_of_block(&all, &plan->then, target, &then) || !value_of_block(&all, &plan->orelse, target, &orelse) ||
        !select_values(&all, plan->test, false, &then, &orelse, target, with.indent, (uint32_t)strlen(head), &value)) {
        return false;
    }
    replace_branch(&all, with, head, &value, edits);
    return true;
}

/* The value of a block that is one `return`; NULL for others. */
static const gm_node *returned(const gm_list *block, uint32_t at) {
    bool is_return = at < block->count && block->items[at]->kind == GM_KIND_Return;
    return is_return ? gm_as_Return(block->items[at])->value : NULL;
}

bool gm_form_return(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    selection all = begin(fixer, plan);
    layout with = {gm_text_indent(fixer, plan->node), gm_text_line_end(fixer, plan->node->start)};
    if (plan->node->kind != GM_KIND_If || with.indent == NULL || plan->then.count != 1) {
        return false;
    }
    bool behind = plan->orelse.count == 0;
    uint32_t next = plan->place->index + 1;
    const gm_node *then_value = returned(&plan->then, 0);
    const gm_node *else_value = behind ? returned(plan->place->list, next) : returned(&plan->orelse, 0);
    all.torch = gm_text_torch(fixer, plan->function);
    if (then_value == NULL || else_value == NULL || (!behind && plan->orelse.count != 1) || all.torch == NULL ||
        (behind && is_elif(&all))) {
        return false;
    }
    choice then = value_of(&all, then_value);
    choice orelse = value_of(&all, else_value);
    choice value;
    if (!select_values(&all, plan->test, false, &then, &orelse, NULL, with.indent, (uint32_t)strlen("return "), &value)) {
        return false;
    }
    if (!behind) {
        replace_branch(&all, with, "return ", &value, edits);
        return true;
    }
    gm_edit_text body = {0};
    write_statements(&all, &with, "return ", &value, &body);
    replace(&all, &with, plan->node->start, plan->place->list->items[next]->end, &body, edits);
    return true;
}

/* The variable that a statement assigns a conditional expression to, if that is all it does. */
static const gm_symbol *target_of(const selection *all) {
    const gm_symbol *symbol = assigned(all, all->plan->statement);
    return symbol != NULL && gm_as_Assign(all->plan->statement)->value == all->plan->node ? symbol : NULL;
}

/* Values of variables are looked at where the statement begins. */
static bool is_simple(const gm_plan *plan) {
    uint8_t kind = plan->statement->kind;
    if (kind != GM_KIND_Assign && kind != GM_KIND_AugAssign && kind != GM_KIND_AnnAssign && kind != GM_KIND_Return &&
        kind != GM_KIND_Expr) {
        return false;
    }
    gm_node *statement = plan->place->list->items[plan->place->index];
    return (gm_region_of(plan->function, &statement, 1).traits & GM_REGION_WALRUS) == 0;
}

/* Of an expression in a larger one, so that comments have no place to go to. */
static bool mend_value(selection *all, gm_edits *edits) {
    const gm_plan *plan = all->plan;
    choice then = value_of(all, plan->then_value);
    choice orelse = value_of(all, plan->else_value);
    choice value;
    all->torch = gm_text_torch(all->fixer, plan->function);
    if (all->torch == NULL || !select_values(all, plan->test, false, &then, &orelse, target_of(all), NULL, 0, &value)) {
        return false;
    }
    gm_edit edit = {.start = plan->node->start, .end = plan->node->end, .text = value.text};
    gm_edit_text comments = {0};
    gm_text_add_comments(all->fixer, &comments, edit.start, edit.end, &value.text, "");
    return comments.pieces.count == 0 && gm_edits_add(arena_of(all), edits, edit);
}

bool gm_form_select(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    selection all = begin(fixer, plan);
    return is_simple(plan) && mend_value(&all, edits);
}

/* `if c: f(a)`, `else: f(b)`: one call. */
bool gm_form_argument(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    selection all = begin(fixer, plan);
    layout with = {gm_text_indent(fixer, plan->node), gm_text_line_end(fixer, plan->node->start)};
    const gm_node *call = gm_as_If(plan->node)->body.items[0];
    choice then = value_of(&all, plan->then_value);
    choice orelse = value_of(&all, plan->else_value);
    choice value;
    all.torch = gm_text_torch(fixer, plan->function);
    if (with.indent == NULL || all.torch == NULL || is_elif(&all) ||
        !select_values(&all, plan->test, false, &then, &orelse, NULL, NULL, 0, &value)) {
        return false;
    }
    gm_edit_text body = {0};
    gm_edit_add_source(fixer->analysis->arena, &body, call->start, plan->then_value->start);
    gm_text_append(fixer->analysis->arena, &body, &value.text);
    gm_edit_add_source(fixer->analysis->arena, &body, plan->then_value->end, call->end);
    replace(&all, &with, plan->node->start, plan->node->end, &body, edits);
    return true;
}
