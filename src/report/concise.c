/* One line a finding. */
#include "report/report.h"

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        gm_report_add_place(out, checked, entry);
        gm_buffer_printf(out, ": %s %s\n", gm_report_code(entry), entry->message);
    }
}

const gm_report_format gm_report_concise = {.name = "concise", .file = file, .separator = ""};
