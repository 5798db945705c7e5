#include <string.h>

#include "api/call.h"
#include "driver/silenced.h"
#include "mend/runtime.h"
#include "report/report.h"
#include "rules/decisions.h"
#include "rules/rule.h"
#include "rules/run.h"
#include "rules/suppress.h"

/* The decisions that no comment silences, under their own code or that of the branch that they belong to. */
static const gm_findings *decisions(gm_analysis *analysis) {
    const gm_source *source = analysis->tree->source;
    gm_suppressions *comments = gm_suppress_read(analysis->arena, analysis->tree);
    gm_findings *found = gm_decisions_of(analysis);
    uint32_t count = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        const gm_node *node = found->items[i].node;
        bool silent = gm_suppress_covers(comments, source, found->items[i].rule->code, node->start, node->end);
        for (size_t rule = 0; rule < gm_rule_count && !silent; rule++) {
            silent = strcmp(gm_rules[rule]->break_id, found->items[i].rule->break_id) == 0 &&
                     gm_suppress_covers(comments, source, gm_rules[rule]->code, node->start, node->end);
        }
        if (!silent) {
            found->items[count++] = found->items[i];
        }
    }
    found->count = count;
    return found;
}

static void add_finding(gm_buffer *out, const gm_source *source, const gm_finding *finding) {
    gm_position at = gm_source_position(source, finding->node->start);
    gm_buffer_printf(out, "\"line\": %u, \"column\": %u, \"code\": \"%s\", \"rule\": \"%s\", \"message\": ", at.line,
                     gm_report_column(source, at), finding->rule->code, finding->rule->name);
    gm_buffer_add_json(out, finding->message, strlen(finding->message));
}

static void add_sites(gm_buffer *out, const gm_source *source, const gm_mended *mended) {
    for (uint32_t i = 0; i < mended->sites.count; i++) {
        const gm_mended_site *site = &mended->sites.items[i];
        gm_buffer_add_text(out, i == 0 ? "{\"site\": " : ", {\"site\": ");
        gm_buffer_add_json(out, site->site, strlen(site->site));
        gm_buffer_add_text(out, ", ");
        add_finding(out, source, site->finding);
        gm_buffer_add_char(out, '}');
    }
}

/* Findings by shape alone say nothing to a person. */
static void add_left(gm_buffer *out, const gm_source *source, const gm_analysis *analysis) {
    const char *separator = "{";
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        const gm_finding *finding = &analysis->findings.items[i];
        if (finding->plan != NULL || !finding->certain || finding->refusal.reason == NULL) {
            continue;
        }
        gm_buffer_add_text(out, separator);
        add_finding(out, source, finding);
        gm_buffer_add_text(out, ", \"reason\": ");
        gm_buffer_add_json(out, finding->refusal.reason, strlen(finding->refusal.reason));
        gm_buffer_add_char(out, '}');
        separator = ", {";
    }
}

static void add_lines(gm_buffer *out, const gm_line_map *lines) {
    for (uint32_t i = 0; i < lines->count; i++) {
        gm_buffer_add_text(out, i == 0 ? "" : ",");
        gm_buffer_add_unsigned(out, lines->items[i]);
    }
}

static void add_mended(gm_buffer *out, const gm_analysis *analysis, const gm_mended *mended) {
    const gm_source *source = analysis->tree->source;
    gm_buffer_add_text(out, mended->text != NULL ? "{\"mended\": true, \"text\": " : "{\"mended\": false, \"text\": ");
    gm_buffer_add_json(out, mended->text != NULL ? mended->text : "", mended->size);
    gm_buffer_add_text(out, ", \"lines\": [");
    add_lines(out, &mended->lines);
    gm_buffer_add_text(out, "], \"sites\": [");
    add_sites(out, source, mended);
    gm_buffer_add_text(out, "], \"left\": [");
    add_left(out, source, analysis);
    gm_buffer_add_text(out, "], \"problem\": ");
    if (mended->problem != NULL) {
        gm_buffer_add_json(out, mended->problem, strlen(mended->problem));
    } else {
        gm_buffer_add_text(out, "null");
    }
    gm_buffer_add_text(out, "}\n");
}

static void add_problem(gm_buffer *out, const char *problem) {
    gm_buffer_printf(out, "{\"mended\": false, \"text\": \"\", \"lines\": [], \"sites\": [], \"left\": [], \"problem\": \"%s\"}\n",
                     problem);
}

typedef struct mending {
    const gm_api_source *given;
    gm_buffer *out;
} mending;

static void mend_source(void *context) {
    const mending *state = context;
    const gm_api_source *given = state->given;
    gm_tree *tree = gm_parse(state->out->arena, given->path, given->bytes, given->size, NULL);
    if (tree->diagnostics.count > 0) {
        add_problem(state->out, gm_parse_limit(tree) != NULL ? GM_TOO_LARGE_WORDS : "syntax error");
        return;
    }
    gm_analysis *analysis = gm_rules_run(state->out->arena, tree, NULL);
    gm_analysis_refuse_each(analysis, gm_silenced_for_run, gm_silenced_of(analysis, NULL));
    add_mended(state->out, analysis, gm_mend_runtime(analysis, decisions(analysis)));
}

static void mend(gm_buffer *out, const void *request) {
    const gm_api_source *given = request;
    mending state = {given, out};
    if (!gm_work_within(out->arena, given->size, mend_source, &state)) {
        out->length = 0;
        add_problem(out, GM_TOO_LARGE_WORDS);
    }
}

gm_status gm_mend_source(const char *path, const char *bytes, size_t size, gm_output *output) {
    const gm_api_source source = {.path = path, .bytes = bytes, .size = size};
    return gm_api_call_source(mend, &source, output);
}
