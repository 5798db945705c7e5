/* Annotations of GitHub Actions: workflow commands in which some characters are percent-encoded. */
#include <string.h>

#include "base/visible.h"
#include "report/report.h"

/* The runner undoes the encoding of a few characters; what is left of controls and marks is made visible. */
static void add_encoded(gm_buffer *out, const char *text, bool property) {
    char shown[GM_VISIBLE_ROOM];
    for (size_t left = strlen(text), size = 0; left > 0;) {
        bool special = *text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ','));
        size_t length = special ? 1 : gm_visible_next(text, left, 0, shown, &size);
        if (special) {
            gm_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
        } else {
            gm_buffer_add(out, shown, size);
        }
        text += length;
        left -= length;
    }
}

/* A further line of the message. */
static void add_line(gm_buffer *out, const char *text) {
    if (text != NULL) {
        add_encoded(out, "\n", false);
        add_encoded(out, text, false);
    }
}

static void add_entry(gm_buffer *out, const gm_checked *checked, const gm_entry *entry) {
    gm_buffer_printf(out, "::%s file=", gm_check_is_notice(entry) ? "notice" : entry->rule != NULL ? "warning" : "error");
    add_encoded(out, checked->path, true);
    gm_report_range range = gm_report_file_range(checked, entry);
    gm_buffer_printf(out, ",line=%u,col=%u,endLine=%u,endColumn=%u,title=%s::", range.line, range.column, range.end_line, range.end_column,
                     gm_report_code(entry));
    add_encoded(out, entry->message, false);
    add_line(out, entry->because);
    add_line(out, entry->advice);
    gm_buffer_add_char(out, '\n');
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        add_entry(out, checked, &checked->entries.items[i]);
    }
}

const gm_report_format gm_report_github = {.name = "github", .file = file, .separator = ""};
