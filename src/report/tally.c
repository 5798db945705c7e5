/* What `--statistics` counts. */
#include "report/report.h"

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        bool mended = entry->rule != NULL && entry->run;
        gm_buffer_printf(out, "%s %d\n", gm_report_code(entry), mended);
    }
}

const gm_report_format gm_report_tally = {.name = "tally", .file = file, .separator = ""};
