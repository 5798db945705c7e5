/* Conditional expressions as `torch.where`. */
#include "mend/source_select.h"

/* The variable that a statement assigns a conditional expression to, if that is all it does. */
static const gm_symbol *target_of(const gm_selection *all) {
    const gm_symbol *symbol = gm_select_assigned(all, all->plan->statement);
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
static void mend_value(gm_selection *all, gm_edits *edits) {
    const gm_plan *plan = all->plan;
    gm_choice then = gm_select_value(all, plan->then_value);
    gm_choice orelse = gm_select_value(all, plan->else_value);
    gm_choice value;
    all->torch = gm_text_torch(all->fixer, plan->function);
    if (all->torch == NULL || !gm_select(all, plan->test, false, &then, &orelse, target_of(all), NULL, 0, &value)) {
        return;
    }
    gm_edit edit = {.start = plan->node->start, .end = plan->node->end};
    gm_edit_add(all->fixer->analysis->arena, &edit.text, gm_text_gap(all->fixer, edit.start));
    gm_text_append(all->fixer->analysis->arena, &edit.text, &value.text);
    gm_edit_text comments = {0};
    gm_text_add_comments(all->fixer, &comments, edit.start, edit.end, &value.text, "");
    if (comments.pieces.count == 0) {
        gm_edits_add(all->fixer->analysis->arena, edits, edit);
    }
}

void gm_form_select(gm_fixer *fixer, const gm_plan *plan, gm_edits *edits, const char **assumption) {
    (void)assumption;
    gm_selection all = gm_select_begin(fixer, plan);
    if (is_simple(plan)) {
        mend_value(&all, edits);
    }
}
