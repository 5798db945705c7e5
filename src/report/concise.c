/* One line a finding. */
#include <string.h>

#include "base/visible.h"
#include "report/report.h"

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        gm_report_add_place(out, checked, entry, style);
        gm_buffer_printf(out, ": %s ", gm_report_code(entry));
        gm_visible_add(out, entry->message, strlen(entry->message), gm_report_visible(style));
        gm_buffer_add_char(out, '\n');
    }
}

const gm_report_format gm_report_concise = {.name = "concise", .file = file, .separator = ""};
