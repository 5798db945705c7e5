#include "mend/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "mend/runtime_private.h"
#include "rules/rule.h"

static int compare_plans(const void *left, const void *right) {
    const gm_node *a = (*(gm_plan *const *)left)->node;
    const gm_node *b = (*(gm_plan *const *)right)->node;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return a->end > b->end ? -1 : a->end < b->end;
}

static void collect_plans(gm_emitter *emitter) {
    const gm_analysis *analysis = emitter->analysis;
    emitter->plans = GM_NEW_ARRAY(analysis->arena, gm_plan *, analysis->findings.count + 1);
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        if (analysis->findings.items[i].plan != NULL) {
            emitter->plans[emitter->plan_count++] = analysis->findings.items[i].plan;
        }
    }
    qsort(emitter->plans, emitter->plan_count, sizeof *emitter->plans, compare_plans);
}

static bool is_docstring(const gm_node *statement) {
    return statement->kind == GM_KIND_Expr && gm_is_text(gm_as_Expr(statement)->value);
}

/* The statements that have to stay in front of any other. */
static uint32_t head_count(const gm_list *body) {
    uint32_t count = body->count > 0 && is_docstring(body->items[0]) ? 1 : 0;
    while (count < body->count && body->items[count]->kind == GM_KIND_ImportFrom &&
           gm_name_is(gm_as_ImportFrom(body->items[count])->module, "__future__")) {
        count++;
    }
    return count;
}

static void emit_module(gm_emitter *emitter) {
    const gm_list *body = &emitter->analysis->tree->module->body;
    uint32_t head = head_count(body);
    gm_list first = {body->items, head};
    gm_emit_statements(emitter, &first, 0, 0);
    gm_emit_line(emitter, 0, "import graphmend.runtime as _gm");
    gm_write_line_end(&emitter->out);
    gm_emit_statements(emitter, body, head, 0);
}

/* Names of the dialect's own that the file uses already. */
static bool is_taken(const gm_names *names) {
    for (uint32_t i = 0; i < names->capacity; i++) {
        const gm_name *name = names->slots[i].name;
        if (name != NULL && strncmp(name->text, "_gm", 3) == 0 && (name->text[3] == '\0' || name->text[3] == '_')) {
            return true;
        }
    }
    return false;
}

static void list_site(gm_mended *mended, const gm_analysis *analysis, const gm_finding *finding) {
    gm_mended_site site = {finding, gm_emit_site_text(analysis, finding->rule, finding->node)};
    gm_vec_push(analysis->arena, &mended->sites, site);
}

static void list_sites(gm_mended *mended, const gm_analysis *analysis, const gm_findings *decisions) {
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        if (analysis->findings.items[i].plan != NULL) {
            list_site(mended, analysis, &analysis->findings.items[i]);
        }
    }
    for (uint32_t i = 0; i < decisions->count; i++) {
        list_site(mended, analysis, &decisions->items[i]);
    }
}

/* What was written has to be a program: a mistake of ours must not reach Python. */
static bool is_valid(gm_analysis *analysis, const gm_buffer *text) {
    return gm_parse(analysis->arena, analysis->tree->source->path, text->bytes, text->length, NULL)->diagnostics.count == 0;
}

const gm_mended *gm_mend_runtime(gm_analysis *analysis, const gm_findings *decisions) {
    gm_mended *mended = GM_NEW(analysis->arena, gm_mended);
    gm_emitter emitter = {.analysis = analysis};
    collect_plans(&emitter);
    if (emitter.plan_count + decisions->count == 0) {
        return mended;
    }
    if (is_taken(analysis->tree->names)) {
        mended->problem = "the file uses names that begin with `_gm`";
        return mended;
    }
    gm_writer_init(&emitter.out, analysis->arena, analysis->tree);
    gm_emit_decisions(&emitter, decisions);
    emit_module(&emitter);
    if (!is_valid(analysis, &emitter.out.text)) {
        mended->problem = "the mended text is not valid";
        return mended;
    }
    list_sites(mended, analysis, decisions);
    mended->text = gm_buffer_text(&emitter.out.text);
    mended->size = emitter.out.text.length;
    mended->lines = emitter.out.lines;
    return mended;
}
