/* The mended forms of statements, one for each kind of plan. */
#include "analysis/blocks.h"
#include "mend/runtime_private.h"

enum { MAX_ORIGINALS = 8 };

static void emit_condition(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    gm_emit_line(emitter, depth, "if _gm.on(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, "):");
}

static void emit_def(gm_emitter *emitter, const gm_plan *plan, const char *name, uint32_t depth) {
    gm_emit_line(emitter, depth, "def ");
    gm_write(&emitter->out, name);
    gm_write(&emitter->out, "(");
    gm_emit_names(emitter, &plan->operands);
    gm_write(&emitter->out, "):");
    for (uint32_t i = 0; i < plan->globals.count; i++) {
        gm_emit_line(emitter, depth + 1, "global ");
        gm_write(&emitter->out, plan->globals.items[i]->name->text);
    }
}

/* `_gm.branch(SITE, TEST, _gm_then, _gm_else, (x,))` */
static void emit_branch_call(gm_emitter *emitter, const gm_plan *plan) {
    gm_write(&emitter->out, "_gm.branch(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ", ");
    gm_emit_test(emitter, plan, plan->test);
    gm_write(&emitter->out, ", _gm_then, _gm_else, (");
    gm_emit_names(emitter, &plan->operands);
    gm_write(&emitter->out, "))");
}

/* ---- Branches that assign ---- */

static void emit_tuple(gm_emitter *emitter, const gm_symbol_list *names) {
    gm_write(&emitter->out, "(");
    gm_emit_names(emitter, names);
    gm_write(&emitter->out, ")");
}

static void emit_side(gm_emitter *emitter, const gm_plan *plan, const char *name, const gm_list *body, uint32_t depth) {
    emit_def(emitter, plan, name, depth);
    gm_emit_statements(emitter, body, 0, depth + 1);
    gm_emit_line(emitter, depth + 1, "return ");
    emit_tuple(emitter, &plan->targets);
}

static void emit_branch(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    emit_side(emitter, plan, "_gm_then", &plan->then, depth);
    emit_side(emitter, plan, "_gm_else", &plan->orelse, depth);
    gm_emit_line(emitter, depth, "");
    if (plan->targets.count > 0) {
        emit_tuple(emitter, &plan->targets);
        gm_write(&emitter->out, " = ");
    }
    emit_branch_call(emitter, plan);
}

/* ---- Early returns ---- */

/* What runs behind the statement of a plan, to the end of the function. */
static bool emit_rest(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    bool any = false;
    for (const gm_place *place = plan->place; place != NULL; place = place->outer) {
        any = gm_emit_statements(emitter, place->list, place->index + 1, depth) || any;
    }
    return any;
}

/* `mode = VALUE` of an assignment whose value is chosen. */
static void emit_assignment(gm_emitter *emitter, const gm_plan *plan, const gm_node *value, uint32_t depth) {
    gm_emit_line(emitter, depth, "");
    const gm_list *targets = &gm_as_Assign(plan->node)->targets;
    for (uint32_t i = 0; i < targets->count; i++) {
        gm_write_source(&emitter->out, targets->items[i]->start, targets->items[i]->end);
        gm_write(&emitter->out, " = ");
    }
    gm_emit_expression(emitter, value);
}

static void emit_way(gm_emitter *emitter, const gm_plan *plan, bool then, uint32_t depth) {
    emit_def(emitter, plan, then ? "_gm_then" : "_gm_else", depth);
    const gm_node *value = then ? plan->then_value : plan->else_value;
    const gm_list *side = then ? &plan->then : &plan->orelse;
    bool any = value != NULL;
    if (value != NULL) {
        emit_assignment(emitter, plan, value, depth + 1);
    } else {
        any = gm_emit_statements(emitter, side, 0, depth + 1);
    }
    if (value != NULL || gm_blocks_falls_through(side)) {
        any = emit_rest(emitter, plan, depth + 1) || any;
    }
    if (!any) {
        gm_emit_line(emitter, depth + 1, "pass");
    }
}

static void emit_return(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    emit_way(emitter, plan, true, depth);
    emit_way(emitter, plan, false, depth);
    gm_emit_line(emitter, depth, "return ");
    emit_branch_call(emitter, plan);
}

/* ---- The others ---- */

static void emit_argument(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    const gm_node *call = plan->then.count > 0 ? plan->then.items[0] : gm_as_If(plan->node)->body.items[0];
    gm_emit_line(emitter, depth, "");
    gm_write_source(&emitter->out, call->start, plan->then_value->start);
    gm_emit_choice(emitter, plan);
    gm_write_source(&emitter->out, plan->then_value->end, call->end);
}

static void emit_check(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    gm_emit_line(emitter, depth, "if _gm.on(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ") and _gm.check(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ", ");
    if (plan->negated) {
        gm_write(&emitter->out, "_gm.not_(");
        gm_emit_site(emitter, plan);
        gm_write(&emitter->out, ", ");
    }
    gm_emit_test(emitter, plan, plan->test);
    gm_write(&emitter->out, plan->negated ? ")):" : "):");
    gm_emit_block(emitter, &plan->then, depth + 1);
}

static void emit_drop(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    gm_emit_block(emitter, &plan->then, depth);
}

static void (*const forms[])(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) = {
    [GM_PLAN_BRANCH] = emit_branch,  [GM_PLAN_RETURN] = emit_return,    [GM_PLAN_ARGUMENT] = emit_argument,
    [GM_PLAN_DEFER] = gm_emit_defer, [GM_PLAN_RECORD] = gm_emit_record, [GM_PLAN_DROP] = emit_drop,
};

/* What runs where the mended form does not. Inside of a mended form nothing else could be in force; elsewhere the plans inside of the
 * statement are, as deep as text is cheap. */
static void emit_alternative(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    bool plans = emitter->forms == 0 && emitter->originals < MAX_ORIGINALS &&
                 gm_emit_has_plan(emitter, plan->node->start + 1, plan->node->end);
    emitter->originals++;
    if (plans) {
        gm_emit_compound(emitter, plan->node, depth);
    } else {
        gm_emit_original(emitter, plan->node, depth);
    }
    emitter->originals--;
}

void gm_emit_plan(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    emitter->out.statement = gm_source_position(emitter->analysis->tree->source, plan->node->start).line;
    emitter->out.bare++;
    emitter->forms++;
    if (plan->kind == GM_PLAN_CHECK) {
        emit_check(emitter, plan, depth);
    } else {
        emit_condition(emitter, plan, depth);
        forms[plan->kind](emitter, plan, depth + 1);
    }
    emitter->forms--;
    emitter->out.bare--;
    emitter->out.statement = gm_source_position(emitter->analysis->tree->source, plan->node->start).line;
    gm_emit_line(emitter, depth, "else:");
    emit_alternative(emitter, plan, depth + 1);
}
