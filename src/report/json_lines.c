/* JSON Lines: one object a finding, with the path in front. */
#include <string.h>

#include "report/report.h"

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        gm_buffer_add_text(out, "{\"path\": ");
        gm_buffer_add_json(out, checked->path, strlen(checked->path));
        gm_buffer_add_text(out, ", ");
        gm_report_json_entry(out, checked, &checked->entries.items[i]);
        gm_buffer_add_text(out, "}\n");
    }
}

const gm_report_format gm_report_json_lines = {.name = "json-lines", .file = file, .separator = ""};
