#include <string.h>

#include "analysis/sides.h"
#include "base/search.h"
#include "mend/runtime_private.h"

const char *gm_emit_site_text(const gm_analysis *analysis, const gm_rule *rule, const gm_node *node) {
    const gm_source *source = analysis->tree->source;
    gm_position at = gm_source_position(source, node->start);
    return gm_analysis_text(analysis, "%s:%u:%u:%s", source->path, at.line, at.column, rule->code);
}

void gm_emit_site(gm_emitter *emitter, const gm_plan *plan) {
    const char *text = gm_emit_site_text(emitter->analysis, plan->rule, plan->node);
    gm_buffer_add_json(&emitter->out.text, text, strlen(text));
}

/* The first plan that starts at `offset` or behind. */
static uint32_t first_plan(const gm_emitter *emitter, uint32_t offset) {
    uint32_t low = 0;
    uint32_t high = emitter->plan_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (emitter->plans[middle]->node->start < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool gm_emit_has_plan(const gm_emitter *emitter, uint32_t start, uint32_t end) {
    uint32_t at = first_plan(emitter, start);
    return at < emitter->plan_count && emitter->plans[at]->node->start < end;
}

/* Python evaluates the last alternative wherever nothing is traced; it stands on a line of its own so that its lines are the user's. */
static void emit_value(gm_emitter *emitter, const gm_plan *plan) {
    gm_write(&emitter->out, "(");
    emitter->out.bare++;
    if (plan->kind == GM_PLAN_SELECT) {
        gm_emit_choice(emitter, plan);
    } else {
        gm_emit_deferred_value(emitter, plan);
    }
    emitter->out.bare--;
    gm_write(&emitter->out, " if _gm.on(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ") else (");
    gm_write_line_end(&emitter->out);
    gm_write_source(&emitter->out, plan->node->start, plan->node->end);
    gm_write(&emitter->out, "))");
}

void gm_emit_source(gm_emitter *emitter, uint32_t start, uint32_t end) {
    for (uint32_t i = first_plan(emitter, start); i < emitter->plan_count && emitter->plans[i]->node->start < end; i++) {
        const gm_plan *plan = emitter->plans[i];
        if (!gm_is_expr(plan->node) || plan->node->start < start || plan->node->end > end) {
            continue;
        }
        gm_write_source(&emitter->out, start, plan->node->start);
        emit_value(emitter, plan);
        start = plan->node->end;
    }
    gm_write_source(&emitter->out, start, end);
}

void gm_emit_expression(gm_emitter *emitter, const gm_node *node) {
    gm_write(&emitter->out, "(");
    gm_emit_source(emitter, node->start, node->end);
    gm_write(&emitter->out, ")");
}

void gm_emit_names(gm_emitter *emitter, const gm_symbol_list *names) {
    for (uint32_t i = 0; i < names->count; i++) {
        gm_write(&emitter->out, i == 0 ? "" : " ");
        gm_write(&emitter->out, names->items[i]->name->text);
        gm_write(&emitter->out, ",");
    }
}

void gm_emit_lambda(gm_emitter *emitter, const gm_plan *plan, const gm_node *body) {
    gm_symbol_list names = gm_sides_names(emitter->analysis, plan->function, body);
    gm_write(&emitter->out, names.count == 0 ? "lambda" : "lambda ");
    for (uint32_t i = 0; i < names.count; i++) {
        const char *name = names.items[i]->name->text;
        gm_write(&emitter->out, i == 0 ? "" : ", ");
        gm_write(&emitter->out, name);
        gm_write(&emitter->out, "=");
        gm_write(&emitter->out, name);
    }
    gm_write(&emitter->out, ": ");
}

static void emit_side(gm_emitter *emitter, const gm_plan *plan, const gm_node *value) {
    gm_write(&emitter->out, ", ");
    gm_emit_lambda(emitter, plan, value);
    gm_emit_expression(emitter, value);
}

void gm_emit_choice(gm_emitter *emitter, const gm_plan *plan) {
    gm_write(&emitter->out, "_gm.branch(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ", ");
    gm_emit_test(emitter, plan, plan->test);
    emit_side(emitter, plan, plan->then_value);
    emit_side(emitter, plan, plan->else_value);
    gm_write(&emitter->out, ", ())");
}
