/* SARIF 2.1.0: the rules with their pages, and a result for every finding. Columns count characters. */
#include <string.h>

#include "report/report.h"

static const char head[] = "{\n"
                           "\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                           "\"version\": \"2.1.0\",\n"
                           "\"runs\": [{\n"
                           "\"columnKind\": \"unicodeCodePoints\",\n"
                           "\"tool\": {\"driver\": {\"name\": \"graphmend\", \"version\": \"" GM_VERSION_TEXT "\", \"rules\": [";

/* The title behind "# GM101 " in the first line of a page. */
static void add_title(gm_buffer *out, const gm_rule *rule) {
    const char *start = strchr(rule->page + 2, ' ') + 1;
    gm_buffer_add_json(out, start, strcspn(start, "\n"));
}

static void add_rule(gm_buffer *out, const gm_rule *rule) {
    gm_buffer_printf(out, "\n{\"id\": \"%s\", \"name\": \"%s\", \"shortDescription\": {\"text\": ", rule->code, rule->name);
    add_title(out, rule);
    gm_buffer_add_text(out, "}, \"help\": {\"text\": ");
    gm_buffer_add_json(out, rule->page, strlen(rule->page));
    gm_buffer_add_text(out, ", \"markdown\": ");
    gm_buffer_add_json(out, rule->page, strlen(rule->page));
    gm_buffer_add_char(out, '}');
    if (*rule->break_id != '\0') {
        gm_buffer_add_text(out, ", \"helpUri\": ");
        gm_report_add_page_of_torch(out, rule->break_id);
    }
    gm_buffer_add_text(out, ", \"defaultConfiguration\": {\"level\": \"warning\"}, \"properties\": {\"problem.severity\": \"warning\", "
                            "\"tags\": [\"performance\", \"torch.compile\"]}},");
}

static void begin(gm_buffer *out, const gm_report_totals *totals) {
    gm_buffer_add_text(out, head);
    for (size_t i = 0; i < gm_rule_count; i++) {
        add_rule(out, gm_rules[i]);
    }
    gm_buffer_add_text(out, "\n{\"id\": \"syntax\", \"name\": \"syntax-error\", \"shortDescription\": {\"text\": \"syntax error\"}}");
    if (totals->notices > 0) {
        gm_buffer_add_text(out, ",\n{\"id\": \"too-large\", \"name\": \"not-analysed\", \"shortDescription\": "
                                "{\"text\": \"a file that is too large to be analysed\"}}");
    }
    gm_buffer_add_text(out, "]}},\n\"results\": [");
}

static void add_region(gm_buffer *out, const gm_checked *checked, const gm_entry *entry) {
    gm_report_range range = gm_report_file_range(checked, entry);
    gm_buffer_printf(out, "\"region\": {\"startLine\": %u, \"startColumn\": %u, \"endLine\": %u, \"endColumn\": %u}", range.line,
                     range.column, range.end_line, range.end_column);
}

static void add_message(gm_buffer *out, const gm_entry *entry) {
    gm_buffer text;
    gm_buffer_init(&text, out->arena);
    gm_buffer_add_text(&text, entry->message);
    if (entry->because != NULL) {
        gm_buffer_printf(&text, "\n%s", entry->because);
    }
    if (entry->advice != NULL) {
        gm_buffer_printf(&text, "\nwrite: %s", entry->advice);
    }
    gm_buffer_add_json(out, text.bytes, text.length);
}

static void add_replacement(gm_buffer *out, const gm_checked *checked, const gm_replacement *edit) {
    const gm_source *source = checked->source;
    gm_position from = gm_source_position(source, edit->start);
    gm_position to = gm_source_position(source, edit->end);
    gm_buffer_printf(out, "{\"deletedRegion\": {\"startLine\": %u, \"startColumn\": %u, \"endLine\": %u, \"endColumn\": %u}", from.line,
                     gm_report_column(source, from), to.line, gm_report_column(source, to));
    gm_buffer_add_text(out, ", \"insertedContent\": {\"text\": ");
    gm_buffer_add_json(out, edit->text, strlen(edit->text));
    gm_buffer_add_text(out, "}}");
}

/* What `fix` writes for a finding without `--unsafe`. Of a notebook nothing: its regions are those of JSON, in which the text would have another form. */
static void add_fix(gm_buffer *out, const gm_checked *checked, const gm_entry *entry) {
    if (entry->edits == NULL || entry->fix != GM_FIXES_SAFE || checked->cells != NULL) {
        return;
    }
    gm_buffer_printf(out, ", \"fixes\": [{\"description\": {\"text\": \"the mend that `graphmend fix` writes for %s\"}, ",
                     entry->rule->code);
    gm_buffer_add_text(out, "\"artifactChanges\": [{\"artifactLocation\": {\"uri\": ");
    gm_report_add_uri(out, checked->path);
    gm_buffer_add_text(out, "}, \"replacements\": [");
    for (uint32_t i = 0; i < entry->edits->items.count; i++) {
        gm_buffer_add_text(out, i == 0 ? "" : ", ");
        add_replacement(out, checked, &entry->edits->items.items[i]);
    }
    gm_buffer_add_text(out, "]}]}]");
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    gm_table seen = {0};
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        gm_buffer_printf(out, "%s\n{\"ruleId\": \"%s\", \"level\": \"%s\", \"message\": {\"text\": ", i == 0 ? "" : ",",
                         gm_report_code(entry),
                         gm_check_is_notice(entry) ? "note"
                         : entry->rule != NULL     ? "warning"
                                                   : "error");
        add_message(out, entry);
        gm_buffer_add_text(out, "}, \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
        gm_report_add_uri(out, checked->path);
        gm_buffer_add_text(out, "}, ");
        add_region(out, checked, entry);
        gm_buffer_printf(out, "}}], \"partialFingerprints\": {\"markedText/v1\": \"%016llx\"}",
                         (unsigned long long)gm_report_fingerprint(out->arena, &seen, checked, entry));
        add_fix(out, checked, entry);
        gm_buffer_printf(out, ", \"properties\": {\"run\": %s, \"fix\": \"%s\"}}", entry->run ? "true" : "false", gm_report_fix(entry));
    }
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)totals;
    (void)style;
    gm_buffer_add_text(out, "\n]\n}]\n}\n");
}

const gm_report_format gm_report_sarif = {.name = "sarif", .begin = begin, .file = file, .end = end, .separator = ","};
