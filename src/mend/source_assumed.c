/* Effects and guards that compiled code does without: `if not torch.compiler.is_compiling():` in front. Python does as before. */
#include <string.h>

#include "analysis/eager_only.h"
#include "analysis/effects.h"
#include "mend/source_text.h"
#include "mend/writer.h"
#include "rules/rule.h"
#include "syntax/lexer.h"

static const char leaves_out[] = "compiled code leaves this call out";
static const char only_assumed[] = "compiled code cannot do the same; `--unsafe` leaves it out there";

/* ---- Guards ---- */

static bool is_loose(const gm_node *test, bool under_and) {
    return test->kind == GM_KIND_IfExp || test->kind == GM_KIND_Lambda || test->kind == GM_KIND_NamedExpr ||
           (under_and && test->kind == GM_KIND_BoolOp && gm_as_BoolOp(test)->op == GM_OP_Or);
}

/* Where the `and` in front of an operand begins: it stands between the operands, with brackets around them perhaps. */
static uint32_t and_between(const gm_source *source, const gm_node *left, const gm_node *right) {
    for (uint32_t at = left->end; at + 5 <= right->start; at++) {
        if (memcmp(source->text + at, " and ", 5) == 0) {
            return at;
        }
    }
    return 0;
}

/* How long the line of an `if` is up to its colon. */
static uint32_t head_length(const gm_source *source, const gm_node *test) {
    uint32_t at = test->end;
    while (at < source->length && source->text[at] != ':' && source->text[at] != '\n') {
        at++;
    }
    return gm_source_column(source, gm_source_position(source, at));
}

/* Whether the test is to be broken over lines: it fits its line now, and will not with `added` characters more. What ends in a bracket and
 * holds no `and` is left to those who format. */
static bool is_broken(const gm_fixer *fixer, const gm_plan *plan, size_t added) {
    const gm_source *source = fixer->analysis->tree->source;
    const gm_node *test = plan->test;
    if (plan->negated || plan->node->kind != GM_KIND_If || gm_text_has_lines(fixer, plan->node->start, test->end) ||
        source->text[test->start - 1] != ' ' || source->text[test->end] != ':' || gm_text_indent(fixer, plan->node) == NULL) {
        return false;
    }
    bool several = test->kind == GM_KIND_BoolOp && gm_as_BoolOp(test)->op == GM_OP_And;
    char last = source->text[test->end - 1];
    uint32_t length = head_length(source, test);
    uint32_t width = gm_text_width(fixer);
    return length <= width && length + added > width && (several || (last != ')' && last != ']' && last != '}'));
}

/* What needs brackets of its own has them around its line. */
static bool break_enclosed(gm_fixer *fixer, const gm_plan *plan, const gm_edit_text *first, gm_edits *edits) {
    gm_arena *arena = fixer->analysis->arena;
    const gm_node *test = plan->test;
    const char *line_end = gm_text_line_end(fixer, test->start);
    const char *indent = gm_text_indent(fixer, plan->node);
    const char *unit = gm_text_unit(fixer, plan->function);
    if (strlen(indent) + strlen(unit) + (test->end - test->start) > gm_text_width(fixer)) {
        return false;
    }
    gm_edit edit = {.start = test->start, .end = test->end};
    gm_text_append(arena, &edit.text, first);
    gm_edit_add(arena, &edit.text, gm_analysis_text(fixer->analysis, " and (%s%s%s", line_end, indent, unit));
    gm_edit_add_source(arena, &edit.text, test->start, test->end);
    gm_edit_add(arena, &edit.text, gm_analysis_text(fixer->analysis, "%s%s)", line_end, indent));
    return gm_edits_add(arena, edits, edit);
}

/* The test in brackets, `first` and each of its operands on a line of its own. */
static bool break_test(gm_fixer *fixer, const gm_plan *plan, const gm_edit_text *first, gm_edits *edits) {
    gm_arena *arena = fixer->analysis->arena;
    const gm_source *source = fixer->analysis->tree->source;
    const gm_node *test = plan->test;
    const char *line_end = gm_text_line_end(fixer, test->start);
    const char *indent = gm_text_indent(fixer, plan->node);
    const char *unit = gm_text_unit(fixer, plan->function);
    bool several = test->kind == GM_KIND_BoolOp && gm_as_BoolOp(test)->op == GM_OP_And;
    uint32_t count = several ? gm_as_BoolOp(test)->values.count : 1;
    gm_edit edit = {.start = test->start, .end = test->end};
    gm_edit_add(arena, &edit.text, gm_analysis_text(fixer->analysis, "(%s%s%s", line_end, indent, unit));
    gm_text_append(arena, &edit.text, first);
    uint32_t at = test->start;
    for (uint32_t i = 0; i < count; i++) {
        gm_node *const *values = several ? gm_as_BoolOp(test)->values.items : NULL;
        uint32_t end = i + 1 < count ? and_between(source, values[i], values[i + 1]) : test->end;
        if (end == 0) {
            return false;
        }
        gm_edit_add(arena, &edit.text, gm_analysis_text(fixer->analysis, "%s%s%sand ", line_end, indent, unit));
        gm_edit_add_source(arena, &edit.text, at, end);
        at = end + 5;
    }
    gm_edit_add(arena, &edit.text, gm_analysis_text(fixer->analysis, "%s%s)", line_end, indent));
    return gm_edits_add(arena, edits, edit);
}

/* Put `not torch.compiler.is_compiling() and` in front of the test, or `torch.compiler.is_compiling() or`. */
static void guard_test(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits) {
    gm_arena *arena = fixer->analysis->arena;
    fixer->reason = fixer->options->assumed ? "it cannot be left out of compiled code here" : only_assumed;
    const char *torch = fixer->options->assumed && !gm_eager_only(fixer->analysis->flow, plan->node) ? gm_text_torch(fixer, plan->function)
                                                                                                     : NULL;
    if (torch == NULL) {
        return;
    }
    bool enclosed = is_loose(plan->test, !plan->negated);
    gm_edit front = {.start = plan->test->start, .end = plan->test->start};
    const char *gap = gm_text_gap(fixer, front.start);
    gm_edit_add(arena, &front.text, gap);
    gm_edit_add(arena, &front.text, plan->negated ? "" : "not ");
    gm_edit_add(arena, &front.text, torch);
    gm_edit_add(arena, &front.text, ".compiler.is_compiling()");
    if (gap[0] == '\0' && is_broken(fixer, plan, gm_edit_length(&front.text) + 5 + (enclosed ? 2 : 0)) &&
        (enclosed ? break_enclosed : break_test)(fixer, plan, &front.text, edits)) {
        return;
    }
    gm_edit_add(arena, &front.text, plan->negated ? " or " : " and ");
    gm_edit_add(arena, &front.text, enclosed ? "(" : "");
    gm_edits_add(arena, edits, front);
    if (enclosed) {
        gm_edit back = {.start = plan->test->end, .end = plan->test->end};
        gm_edit_add(arena, &back.text, ")");
        gm_edits_add(arena, edits, back);
    }
}

void gm_form_check(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    *assumption = "compiled code may go on where Python raises";
    guard_test(fixer, plan, edits);
}

/* ---- Effects ---- */

static bool is_named(const char *codes, const char *code) {
    size_t length = strlen(code);
    const char *at = codes == NULL ? NULL : strstr(codes, code);
    while (at != NULL && (at[length] != ',' || (at > codes && at[-1] != ','))) {
        at = strstr(at + 1, code);
    }
    return at != NULL;
}

/* Whether output of this rule may be dropped. */
static bool may_drop(const gm_fixer *fixer, const gm_rule *rule) {
    return fixer->options->assumed && (fixer->options->drops_output || is_named(fixer->options->named, rule->code));
}

/* Why output stays: nobody has asked for the opposite. */
static const char *not_named(const gm_fixer *fixer, const char *codes) {
    return gm_analysis_text(fixer->analysis, "compiled code cannot do the same; `--unsafe --select %s` leaves it out there", codes);
}

static bool calls_unknown(const gm_plan *plan) {
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        if (plan->captures.items[i].called) {
            return true;
        }
    }
    return false;
}

/* Messages may be missing from compiled code; files that are not written, and other work that is not done, may not. */
static bool is_message(const gm_fixer *fixer, const gm_plan *plan) {
    bool elif = fixer->analysis->tree->source->text[plan->node->start] == 'e' && plan->node->kind == GM_KIND_If;
    return plan->rule->drops_output && !elif && !calls_unknown(plan) &&
           (plan->node->kind == GM_KIND_Expr || plan->node->kind == GM_KIND_If);
}

/* A branch that gives nothing but messages. The compiler does not look at its test either, which must do nothing else then. */
void gm_form_messages(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    const char *codes = plan->rule->code;
    bool welcome = true;
    for (uint32_t i = 0; i < plan->then.count; i++) {
        const gm_plan *inner = gm_analysis_plan(fixer->analysis, plan->then.items[i]);
        if (inner == NULL || inner->kind != GM_PLAN_DEFER || !is_message(fixer, inner)) {
            return;
        }
        welcome = welcome && may_drop(fixer, inner->rule);
        bool listed = strstr(codes, inner->rule->code) != NULL;
        codes = listed ? codes : gm_analysis_text(fixer->analysis, "%s,%s", codes, inner->rule->code);
    }
    bool pure = gm_effects_of(fixer->analysis, plan->function, plan->test, GM_EFFECTS_TEST).reason == NULL &&
                (gm_region_of_expression(plan->function, plan->test).traits & GM_REGION_WALRUS) == 0;
    if (plan->then.count == 0 || plan->orelse.count > 0 || !pure) {
        return;
    }
    if (!welcome) {
        fixer->reason = not_named(fixer, codes);
        return;
    }
    *assumption = leaves_out;
    guard_test(fixer, plan, edits);
}

/* Whether the test around the statement is mended in the same run: then the statement need not be. */
static bool is_guarded(const gm_fixer *fixer, const gm_plan *plan) {
    const gm_node *owner = plan->place->owner;
    return owner->kind == GM_KIND_If && gm_edits_touch(&fixer->fix->edits, owner->start, gm_as_If(owner)->test->end);
}

/* Whether the statement has its lines to itself. */
static bool is_alone(const gm_tree *tree, const gm_node *statement) {
    uint32_t first = gm_token_at(tree, statement->start);
    uint32_t next = gm_token_at(tree, statement->end);
    uint8_t before = first == 0 ? GM_TOKEN_NEWLINE : tree->tokens[first - 1].kind;
    return (before == GM_TOKEN_NEWLINE || before == GM_TOKEN_INDENT || before == GM_TOKEN_DEDENT) && next < tree->token_count &&
           tree->tokens[next].kind == GM_TOKEN_NEWLINE;
}

/* Whether a place in the statement is inside a string. */
static bool is_in_string(const gm_tree *tree, uint32_t first, uint32_t offset) {
    uint32_t depth = 0;
    for (uint32_t i = first; i < tree->token_count && tree->tokens[i].start < offset; i++) {
        const gm_token *token = &tree->tokens[i];
        depth += token->kind == GM_TOKEN_FSTRING_START;
        depth -= token->kind == GM_TOKEN_FSTRING_END;
        if (token->kind == GM_TOKEN_STRING && token->end > offset) {
            return true;
        }
    }
    return depth > 0;
}

/* The statement with its later lines one level deeper. */
static void add_deeper(gm_fixer *fixer, gm_edit_text *text, const gm_node *statement, const char *unit) {
    gm_arena *arena = fixer->analysis->arena;
    const gm_tree *tree = fixer->analysis->tree;
    const gm_source *source = tree->source;
    uint32_t first = gm_token_at(tree, statement->start);
    uint32_t at = statement->start;
    for (uint32_t line = gm_source_position(source, at).line; line < source->line_count; line++) {
        uint32_t next = source->line_starts[line];
        if (next >= statement->end) {
            break;
        }
        gm_edit_add_source(arena, text, at, next);
        bool blank = source->text[next] == '\n' || source->text[next] == '\r';
        gm_edit_add(arena, text, blank || is_in_string(tree, first, next) ? "" : unit);
        at = next;
    }
    gm_edit_add_source(arena, text, at, statement->end);
}

/* Whether the statement in front is mended in the same run: then it has brought the `if`. */
static bool continues(const gm_fixer *fixer, const gm_plan *plan) {
    if (plan->place->index == 0) {
        return false;
    }
    const gm_node *before = plan->place->list->items[plan->place->index - 1];
    const gm_plan *other = gm_analysis_plan(fixer->analysis, before);
    return other != NULL && other->kind == GM_PLAN_DEFER && gm_edits_touch(&fixer->fix->edits, before->start, before->end);
}

void gm_form_defer(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    gm_arena *arena = fixer->analysis->arena;
    if (!is_message(fixer, plan)) {
        return;
    }
    bool welcome = may_drop(fixer, plan->rule);
    fixer->reason = welcome ? "it cannot be left out of compiled code here" : not_named(fixer, plan->rule->code);
    const gm_node *statement = plan->node;
    const char *indent = gm_text_indent(fixer, statement);
    const char *torch = welcome && indent != NULL && !is_guarded(fixer, plan) && is_alone(fixer->analysis->tree, statement) &&
                                !gm_eager_only(fixer->analysis->flow, statement)
                            ? gm_text_torch(fixer, plan->function)
                            : NULL;
    if (torch == NULL) {
        return;
    }
    const char *unit = gm_text_unit(fixer, plan->function);
    gm_edit edit = {.start = statement->start, .end = statement->end};
    if (!continues(fixer, plan)) {
        gm_edit_add(arena, &edit.text, "if not ");
        gm_edit_add(arena, &edit.text, torch);
        gm_edit_add(arena, &edit.text, ".compiler.is_compiling():");
        gm_edit_add(arena, &edit.text, gm_text_line_end(fixer, statement->start));
        gm_edit_add(arena, &edit.text, indent);
    }
    gm_edit_add(arena, &edit.text, unit);
    add_deeper(fixer, &edit.text, statement, unit);
    *assumption = leaves_out;
    gm_edits_add(arena, edits, edit);
}
