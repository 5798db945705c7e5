/* Tests in front of a masked update: the update alone. */
#include <math.h>

#include "mend/source_text.h"

/* `y[mask] = number`, the only statement of the branch. */
typedef struct update {
    const gm_node *statement;
    const gm_Subscript *target;
    const gm_node *value;
} update;

static update update_of(const gm_plan *plan) {
    const gm_Assign *assign = gm_as_Assign(plan->then.items[0]);
    return (update){&assign->base, gm_as_Subscript(assign->targets.items[0]), assign->value};
}

/* Whether writing the number raises nothing, whatever the mask is. */
static bool number_fits(gm_proof *proof, const gm_node *value, const gm_relation *tensor) {
    gm_relation number = gm_relation_of(proof, value);
    if (!number.literal) {
        return false;
    }
    if (gm_relation_floating(proof, tensor)) {
        return fabs(number.value) <= 60000;
    }
    return number.value >= 0 && number.value <= INT8_MAX; /* uint8 refuses negative numbers */
}

/* Whether the mask has the shape of the tensor. That it can be computed is known: the test has done so. */
static bool is_own_mask(gm_proof *proof, const gm_node *mask, const gm_symbol *symbol) {
    if (mask->kind == GM_KIND_Compare && gm_as_Compare(mask)->ops.count == 1) {
        gm_relation left = gm_relation_of(proof, gm_as_Compare(mask)->left);
        gm_relation right = gm_relation_of(proof, gm_as_Compare(mask)->comparators.items[0]);
        return left.kind == GM_RELATION_TENSOR && right.kind == GM_RELATION_NUMBER && left.bases.count == 1 &&
               left.bases.items[0] == symbol;
    }
    gm_relation made = gm_relation_of(proof, mask);
    return made.kind == GM_RELATION_TENSOR && made.level == GM_PROMOTED_BOOL && made.bases.count == 1 && made.bases.items[0] == symbol;
}

static bool is_proved(gm_proof *proof, const update *what) {
    const gm_symbol *symbol = gm_scopes_symbol(proof->function->flow->scopes, what->target->value);
    gm_relation tensor = gm_relation_of(proof, what->target->value);
    return symbol != NULL && tensor.kind == GM_RELATION_TENSOR && is_own_mask(proof, what->target->slice, symbol) &&
           number_fits(proof, what->value, &tensor) && gm_proof_private(proof, symbol) && gm_proof_unsaved(proof, symbol);
}

void gm_form_drop(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    gm_arena *arena = fixer->analysis->arena;
    gm_proof proof = gm_proof_at(fixer->analysis, plan->function, plan->statement, plan->place, plan->test);
    proof.assumptions = fixer->assumptions;
    const char *indent = gm_text_indent(fixer, plan->node);
    update what = update_of(plan);
    if (indent == NULL || fixer->analysis->tree->source->text[plan->node->start] == 'e' || !is_proved(&proof, &what)) {
        return;
    }
    gm_edit_text body = {0};
    gm_edit_add_source(arena, &body, what.statement->start, what.statement->end);
    gm_edit edit = {.start = plan->node->start, .end = plan->node->end};
    gm_text_add_comments(fixer, &edit.text, edit.start, edit.end, &body, indent);
    gm_text_append(arena, &edit.text, &body);
    gm_edits_add(arena, edits, edit);
}
