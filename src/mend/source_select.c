#include "mend/source_select.h"

#include <string.h>

#include "analysis/effects.h"

static gm_arena *arena_of(const gm_selection *all) {
    return all->fixer->analysis->arena;
}

gm_selection gm_select_begin(gm_fixer *fixer, const gm_plan *plan) {
    gm_selection all = {.fixer = fixer, .plan = plan};
    all.proof = gm_proof_at(fixer->analysis, plan->function, plan->statement, plan->place, plan->test);
    all.proof.assumptions = fixer->assumptions;
    return all;
}

/* ---- Values ---- */

gm_choice gm_select_value(gm_selection *all, const gm_node *value) {
    gm_choice made = {.relation = gm_relation_of(&all->proof, value)};
    gm_edit_add_source(arena_of(all), &made.text, value->start, value->end);
    if (value->kind == GM_KIND_Name && made.relation.alias) {
        made.same = gm_scopes_symbol(all->plan->function->flow->scopes, value);
    }
    return made;
}

gm_choice gm_select_unchanged(gm_selection *all, const gm_symbol *target) {
    gm_choice made = {.relation = gm_relation_of_variable(&all->proof, target), .same = target};
    gm_edit_add(arena_of(all), &made.text, target->name->text);
    return made;
}

/* An alias in a side is the same object in the original, and a copy in the mended form: nobody may be able to tell. */
static bool may_copy(const gm_selection *all, const gm_choice *value, const gm_symbol *target) {
    if (!value->relation.alias) {
        return true;
    }
    return value->same != NULL && value->same == target && gm_proof_private(&all->proof, target);
}

/* ---- Text of a call of where ---- */

static bool fits(const gm_selection *all, const gm_node *at, uint32_t length) {
    const gm_source *source = all->fixer->analysis->tree->source;
    return gm_source_position(source, at->start).column + length <= gm_text_width(all->fixer);
}

static bool has_lines(const gm_selection *all, const gm_edit_text *text) {
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
static gm_edit_text write_where(const gm_selection *all, const gm_edit_text *condition, const gm_edit_text *then,
                                const gm_edit_text *orelse, const char *indent, uint32_t front) {
    gm_arena *arena = arena_of(all);
    gm_edit_text text = {0};
    uint32_t length = front + (uint32_t)strlen(all->torch) + gm_edit_length(condition) + gm_edit_length(then) + gm_edit_length(orelse) +
                      (uint32_t)strlen(".where(, , )");
    bool one_line = indent == NULL || fits(all, all->plan->statement, length) || has_lines(all, condition) || has_lines(all, then) ||
                    has_lines(all, orelse);
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

static bool assigns(const gm_selection *all, const gm_node *expression) {
    return (gm_region_of_expression(all->plan->function, expression).traits & GM_REGION_WALRUS) != 0;
}

/* Why the values cannot be selected from; NULL when they can. */
static const char *refusal_of(const gm_selection *all, const gm_choice *then, const gm_choice *orelse, const gm_symbol *target) {
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
bool gm_select(gm_selection *all, const gm_node *test, bool later, const gm_choice *then, const gm_choice *orelse, const gm_symbol *target,
               const char *indent, uint32_t front, gm_choice *out) {
    gm_edit_text condition = {0};
    bool negated = false;
    const char *reason = refusal_of(all, then, orelse, target);
    if (reason == NULL && (assigns(all, test) || !gm_source_condition(all->fixer, &all->proof, test, later, &condition, &negated))) {
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
    if (all->condition != NULL) {
        condition = (gm_edit_text){0};
        gm_edit_add(arena_of(all), &condition, all->condition);
    }
    const gm_choice *first = negated ? orelse : then;
    const gm_choice *second = negated ? then : orelse;
    out->text = write_where(all, &condition, &first->text, &second->text, indent, front);
    out->relation = then->relation;
    out->relation.gradient = then->relation.gradient > orelse->relation.gradient ? then->relation.gradient : orelse->relation.gradient;
    gm_relation_save_both(&out->relation, &then->relation, &orelse->relation);
    out->relation.alias = out->relation.chain = false;
    out->same = NULL;
    return true;
}

const gm_symbol *gm_select_assigned(const gm_selection *all, const gm_node *statement) {
    if (statement->kind != GM_KIND_Assign || gm_as_Assign(statement)->targets.count != 1 ||
        gm_as_Assign(statement)->targets.items[0]->kind != GM_KIND_Name) {
        return NULL;
    }
    return gm_scopes_symbol(all->plan->function->flow->scopes, gm_as_Assign(statement)->targets.items[0]);
}
