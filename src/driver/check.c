#include "driver/check.h"

#include "driver/suppress.h"

static void add_entry(gm_arena *arena, gm_checked *checked, gm_entry entry) {
    entry.from = gm_source_position(checked->source, entry.start);
    entry.to = gm_source_position(checked->source, entry.end);
    gm_vec_push(arena, &checked->entries, entry);
}

static void add_syntax_errors(gm_arena *arena, gm_checked *checked, const gm_tree *tree) {
    for (uint32_t i = 0; i < tree->diagnostics.count; i++) {
        const gm_diagnostic *error = &tree->diagnostics.items[i];
        add_entry(arena, checked,
                  (gm_entry){
                      .level = GM_LEVEL_ADVICE,
                      .start = error->start,
                      .end = error->end,
                      .message = error->message,
                      .certain = true,
                      .reached = true,
                  });
    }
}

/* Of a statement with a body the head is marked, up to the end of its condition. */
static uint32_t end_of_mark(const gm_node *node) {
    return node->kind == GM_KIND_If ? gm_as_If(node)->test->end : node->end;
}

bool gm_check_selects(const gm_check_options *options, const gm_rule *rule) {
    return (options->select == NULL || gm_suppress_lists(options->select, rule->code)) &&
           (options->ignore == NULL || !gm_suppress_lists(options->ignore, rule->code));
}

static bool is_wanted(const gm_finding *finding, const gm_check_options *options) {
    return (options->all || (finding->certain && finding->reached)) && gm_check_selects(options, finding->rule);
}

static bool is_silenced(const gm_checked *checked, const gm_suppressions *comments, const gm_finding *finding) {
    return gm_suppress_covers(comments, checked->source, finding->rule->code, finding->node->start, end_of_mark(finding->node));
}

static void add_findings(gm_arena *arena, gm_checked *checked, const gm_check_options *options) {
    const gm_analysis *analysis = checked->analysis;
    const gm_suppressions *comments = gm_suppress_read(arena, analysis->tree);
    for (uint32_t i = 0; i < analysis->findings.count; i++) {
        const gm_finding *finding = &analysis->findings.items[i];
        if (!is_wanted(finding, options) || is_silenced(checked, comments, finding)) {
            continue;
        }
        add_entry(arena, checked,
                  (gm_entry){
                      .rule = finding->rule,
                      .level = finding->plan != NULL ? GM_LEVEL_SAFE : GM_LEVEL_ADVICE,
                      .start = finding->node->start,
                      .end = end_of_mark(finding->node),
                      .message = finding->message,
                      .advice = finding->advice,
                      .reason = finding->refusal.reason,
                      .certain = finding->certain,
                      .reached = finding->reached,
                  });
    }
}

gm_checked *gm_check_bytes(gm_arena *arena, const char *path, const char *bytes, size_t size,
                           const gm_check_options *options) {
    gm_tree *tree = gm_parse(arena, path, bytes, size, NULL);
    gm_checked *checked = GM_NEW(arena, gm_checked);
    checked->path = path;
    checked->source = tree->source;
    if (tree->diagnostics.count > 0) {
        add_syntax_errors(arena, checked, tree);
        return checked;
    }
    checked->analysis = gm_analysis_run(arena, tree);
    add_findings(arena, checked, options);
    return checked;
}
