/* Deferred effects: the function that carries one out later, and what it is handed. */
#include "mend/runtime_private.h"
#include "rules/defer.h"

/* Source with parameters in place of what is kept. */
static void emit_kept_source(gm_emitter *emitter, const gm_plan *plan, uint32_t start, uint32_t end) {
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        const gm_capture *capture = &plan->captures.items[i];
        if (capture->node->start < start || capture->node->end > end) {
            continue;
        }
        gm_write_source(&emitter->out, start, capture->node->start);
        gm_write(&emitter->out, capture->parameter);
        start = capture->node->end;
    }
    gm_write_source(&emitter->out, start, end);
}

static void emit_sink_block(gm_emitter *emitter, const gm_plan *plan, const gm_list *block, uint32_t depth) {
    gm_write(&emitter->out, ":");
    for (uint32_t i = 0; i < block->count; i++) {
        gm_emit_line(emitter, depth, "");
        emit_kept_source(emitter, plan, block->items[i]->start, block->items[i]->end);
    }
}

static void emit_sink_body(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    gm_emit_line(emitter, depth, "");
    if (plan->node->kind == GM_KIND_With) {
        const gm_With *with = gm_as_With(plan->node);
        emit_kept_source(emitter, plan, plan->node->start, with->items.items[with->items.count - 1]->end);
        emit_sink_block(emitter, plan, &with->body, depth + 1);
    } else if (plan->node->kind == GM_KIND_If) {
        const gm_If *branch = gm_as_If(plan->node);
        gm_write(&emitter->out, "if (");
        emit_kept_source(emitter, plan, branch->test->start, branch->test->end);
        gm_write(&emitter->out, ")");
        emit_sink_block(emitter, plan, &branch->body, depth + 1);
    } else {
        emit_kept_source(emitter, plan, plan->node->start, plan->node->end);
    }
}

static void emit_captures(gm_emitter *emitter, const gm_plan *plan, bool values) {
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        const gm_capture *capture = &plan->captures.items[i];
        if (!capture->first) {
            continue;
        }
        if (values) {
            gm_emit_expression(emitter, capture->node);
        } else {
            gm_write(&emitter->out, capture->parameter);
        }
        gm_write(&emitter->out, ", ");
    }
}

static void emit_sink(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    gm_emit_line(emitter, depth, "def _gm_sink__");
    gm_write(&emitter->out, plan->sink);
    gm_write(&emitter->out, "(");
    if (plan->object != NULL) {
        gm_write(&emitter->out, plan->object->name->text);
        gm_write(&emitter->out, ", ");
    }
    emit_captures(emitter, plan, false);
    gm_write(&emitter->out, "):");
    if (plan->declares) {
        gm_emit_line(emitter, depth + 1, "global ");
        gm_write(&emitter->out, plan->path);
    }
    emit_sink_body(emitter, plan, depth + 1);
}

/* `_gm.defer(SITE, _gm_sink__f, `, with `function` in place of `defer`. */
static void emit_sink_call(gm_emitter *emitter, const gm_plan *plan, const char *function, uint32_t depth) {
    gm_emit_line(emitter, depth, function);
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ", _gm_sink__");
    gm_write(&emitter->out, plan->sink);
    gm_write(&emitter->out, ", ");
}

/* `(VALUES)`, or `_gm.unnoticed(SITE, _gm.noticed(), (VALUES))` where the calls among them must not be noticed. */
static void emit_values(gm_emitter *emitter, const gm_plan *plan) {
    if (plan->watched) {
        gm_write(&emitter->out, "_gm.unnoticed(");
        gm_emit_site(emitter, plan);
        gm_write(&emitter->out, ", _gm.noticed(), ");
    }
    gm_write(&emitter->out, "(");
    emit_captures(emitter, plan, true);
    gm_write(&emitter->out, plan->watched ? "))" : ")");
}

static const char *mark_of(const gm_capture *capture) {
    return capture->key       ? "k"
           : capture->kept    ? "v"
           : capture->items   ? "c"
           : capture->file    ? "f"
           : capture->length  ? "l"
           : capture->numbers ? "1"
                              : "0";
}

/* `, numbers="01vckfl"`: of which values only the numbers are read, which have to be numbers, containers of such, or text files; nothing where
 * there are none. */
static void emit_numbers(gm_emitter *emitter, const gm_plan *plan) {
    bool any = false;
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        const gm_capture *capture = &plan->captures.items[i];
        any = any || capture->numbers || capture->kept || capture->items || capture->file || capture->length;
    }
    if (!any) {
        return;
    }
    gm_write(&emitter->out, ", numbers=\"");
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        const gm_capture *capture = &plan->captures.items[i];
        gm_write(&emitter->out, capture->first ? mark_of(capture) : "");
    }
    gm_write(&emitter->out, "\"");
}

/* The arguments that may hold `stacklevel`, `None` in place of the others: `_gm.stacklevel(SITE, *args, stacklevel=level, **options)`. */
static void emit_level_arguments(gm_emitter *emitter, const gm_plan *plan) {
    const gm_Call *call = gm_defer_none_call(&(gm_site){.node = plan->node});
    for (uint32_t i = 0; i < call->args.count && plan->level_position < GM_STACK_LEVELS_BY_KEYWORD; i++) {
        const gm_node *argument = call->args.items[i];
        bool other = argument->kind != GM_KIND_Starred && i < plan->level_position;
        gm_write(&emitter->out, ", ");
        gm_write(&emitter->out, argument->kind == GM_KIND_Starred ? "*" : other ? "None" : "");
        if (!other) {
            gm_emit_expression(emitter, argument->kind == GM_KIND_Starred ? gm_as_Starred(argument)->value : argument);
        }
    }
    for (uint32_t i = 0; i < call->keywords.count; i++) {
        const gm_keyword *keyword = gm_as_keyword(call->keywords.items[i]);
        if (keyword->arg == NULL || gm_name_is(keyword->arg, "stacklevel")) {
            gm_write(&emitter->out, keyword->arg == NULL ? ", **" : ", stacklevel=");
            gm_emit_expression(emitter, keyword->value);
        }
    }
}

/* `, levels=2`, or what the trace finds in the arguments. */
static void emit_levels(gm_emitter *emitter, const gm_plan *plan) {
    if (plan->levels != GM_PLAN_LEVELS_TRACED) {
        gm_write(&emitter->out, plan->levels > 0 ? gm_analysis_text(emitter->analysis, ", levels=%u", plan->levels) : "");
        return;
    }
    gm_write(&emitter->out, ", levels=_gm.stacklevel(");
    gm_emit_site(emitter, plan);
    emit_level_arguments(emitter, plan);
    gm_write(&emitter->out, ")");
}

/* `(VALUES), numbers="01", levels=2)` */
static void emit_handed_on(gm_emitter *emitter, const gm_plan *plan) {
    emit_values(emitter, plan);
    emit_numbers(emitter, plan);
    emit_levels(emitter, plan);
    gm_write(&emitter->out, ")");
}

void gm_emit_defer(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    emit_sink(emitter, plan, depth);
    emit_sink_call(emitter, plan, "_gm.defer(", depth);
    emit_handed_on(emitter, plan);
}

/* `_gm.record(SITE, _gm_sink__f, (self, ), (VALUES), "self.losses", "append")` */
void gm_emit_record(gm_emitter *emitter, const gm_plan *plan, uint32_t depth) {
    emit_sink(emitter, plan, depth);
    emit_sink_call(emitter, plan, "_gm.record(", depth);
    gm_write(&emitter->out, "(");
    if (plan->object != NULL) {
        gm_write(&emitter->out, plan->object->name->text);
        gm_write(&emitter->out, ", ");
    }
    gm_write(&emitter->out, "), ");
    emit_values(emitter, plan);
    gm_write(&emitter->out, ", \"");
    gm_write(&emitter->out, plan->path);
    gm_write(&emitter->out, "\", \"");
    gm_write(&emitter->out, plan->action);
    gm_write(&emitter->out, "\"");
    emit_numbers(emitter, plan);
    gm_write(&emitter->out, ")");
}

/* ---- Calls that are part of an expression ---- */

static void emit_parameters(gm_emitter *emitter, const gm_plan *plan) {
    const char *between = " ";
    for (uint32_t i = 0; i < plan->captures.count; i++) {
        if (plan->captures.items[i].first) {
            gm_write(&emitter->out, between);
            gm_write(&emitter->out, plan->captures.items[i].parameter);
            between = ", ";
        }
    }
}

void gm_emit_deferred_value(gm_emitter *emitter, const gm_plan *plan) {
    gm_write(&emitter->out, "_gm.defer(");
    gm_emit_site(emitter, plan);
    gm_write(&emitter->out, ", lambda");
    emit_parameters(emitter, plan);
    gm_write(&emitter->out, ": ");
    emit_kept_source(emitter, plan, plan->node->start, plan->node->end);
    gm_write(&emitter->out, ", ");
    emit_handed_on(emitter, plan);
}
