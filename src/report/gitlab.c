/* GitLab's Code Quality report: a list of issues, each with a fingerprint that stays when lines are added above. */
#include <string.h>

#include "base/table.h"
#include "report/report.h"

static void add_text(gm_buffer *out, const char *name, const char *text) {
    gm_buffer_printf(out, "\"%s\": ", name);
    gm_buffer_add_json(out, text, strlen(text));
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    const char *path = strncmp(checked->path, "./", 2) == 0 ? checked->path + 2 : checked->path;
    gm_table seen = {0};
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        gm_report_range range = gm_report_file_range(checked, entry);
        gm_buffer_add_text(out, i == 0 ? "\n{" : ",\n{");
        add_text(out, "description", entry->message);
        gm_buffer_add_text(out, ", ");
        add_text(out, "check_name", gm_report_code(entry));
        gm_buffer_printf(out, ", \"fingerprint\": \"%016llx\", \"severity\": \"%s\", \"location\": {",
                         (unsigned long long)gm_report_fingerprint(out->arena, &seen, checked, entry),
                         gm_check_is_notice(entry) ? "info"
                         : entry->rule != NULL     ? "minor"
                                                   : "major");
        add_text(out, "path", path);
        gm_buffer_printf(out, ", \"positions\": {\"begin\": {\"line\": %u, \"column\": %u}, \"end\": {\"line\": %u, \"column\": %u}}}}",
                         range.line, range.column, range.end_line, range.end_column);
    }
}

static void begin(gm_buffer *out, const gm_report_totals *totals) {
    (void)totals;
    gm_buffer_add_char(out, '[');
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)totals;
    (void)style;
    gm_buffer_add_text(out, "\n]\n");
}

const gm_report_format gm_report_gitlab = {.name = "gitlab", .begin = begin, .file = file, .end = end, .separator = ","};
