/* JSON: a list of files, each as docs/json.md describes. */
#include "report/report.h"

#include <string.h>

static void add_member(gm_buffer *out, const char *name, const char *text) {
    gm_buffer_printf(out, ", \"%s\": ", name);
    if (text != NULL) {
        gm_buffer_add_json(out, text, strlen(text));
    } else {
        gm_buffer_add_text(out, "null");
    }
}

void gm_report_json_entry(gm_buffer *out, const gm_checked *checked, const gm_entry *entry) {
    gm_report_range range = gm_report_range_of(checked, entry);
    if (range.cell > 0) {
        gm_buffer_printf(out, "\"cell\": %u, ", range.cell);
    }
    gm_buffer_printf(out, "\"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u", range.line, range.column, range.end_line,
                     range.end_column);
    add_member(out, "message", entry->message);
    if (gm_check_is_notice(entry)) {
        add_member(out, "code", gm_report_code(entry));
        add_member(out, "name", gm_report_rule_name(entry));
        add_member(out, "level", gm_report_level(entry));
    }
    if (entry->rule != NULL) {
        add_member(out, "code", entry->rule->code);
        add_member(out, "name", entry->rule->name);
        add_member(out, "break_id", *entry->break_id != '\0' ? entry->break_id : NULL);
        add_member(out, "level", gm_report_level(entry));
        add_member(out, "because", entry->because);
        add_member(out, "advice", entry->advice);
        add_member(out, "reason", entry->reason);
        gm_buffer_printf(out, ", \"run\": %s", entry->run ? "true" : "false");
        add_member(out, "run_note", entry->run_note);
        add_member(out, "fix", gm_report_fix(entry));
        add_member(out, "fix_note", entry->fix_note);
        gm_position site = gm_source_position(checked->source, entry->site);
        gm_buffer_printf(out, ", \"site\": [%u, %u]", gm_report_line(checked, site.line), gm_report_column(checked->source, site));
        gm_buffer_printf(out, ", \"callers\": %u", entry->callers);
        gm_buffer_printf(out, ", \"certain\": %s", entry->certain ? "true" : "false");
        gm_buffer_printf(out, ", \"reached\": %s", entry->reached ? "true" : "false");
    }
}

typedef enum kind { ERROR, FINDING, NOTICE } kind;

static kind kind_of(const gm_entry *entry) {
    return gm_check_is_notice(entry) ? NOTICE : entry->rule != NULL ? FINDING : ERROR;
}

static void add_entries(gm_buffer *out, const gm_checked *checked, kind wanted) {
    const char *separator = "";
    gm_buffer_add_char(out, '[');
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        if (kind_of(entry) == wanted) {
            gm_buffer_add_text(out, separator);
            gm_buffer_add_char(out, '{');
            gm_report_json_entry(out, checked, entry);
            gm_buffer_add_char(out, '}');
            separator = ", ";
        }
    }
    gm_buffer_add_char(out, ']');
}

void gm_report_json_members(gm_buffer *out, const gm_checked *checked) {
    gm_buffer_add_text(out, "\"path\": ");
    gm_buffer_add_json(out, checked->path, strlen(checked->path));
    gm_buffer_add_text(out, ", \"diagnostics\": ");
    add_entries(out, checked, ERROR);
    gm_buffer_add_text(out, ", \"findings\": ");
    add_entries(out, checked, FINDING);
    if (gm_check_is_too_large(checked)) {
        gm_buffer_add_text(out, ", \"notices\": ");
        add_entries(out, checked, NOTICE);
    }
}

static void begin(gm_buffer *out, const gm_report_totals *totals) {
    (void)totals;
    gm_buffer_add_text(out, "[");
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    gm_buffer_add_text(out, "\n{");
    gm_report_json_members(out, checked);
    gm_buffer_add_char(out, '}');
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)totals;
    (void)style;
    gm_buffer_add_text(out, "\n]\n");
}

const gm_report_format gm_report_json = {.name = "json", .begin = begin, .file = file, .end = end, .separator = ","};
