/* JUnit's XML: a suite for every file with findings, a failed case for every finding; one passed case when there is none. */
#include "base/utf8.h"
#include "base/visible.h"
#include "report/report.h"

#include <string.h>

/* What XML 1.0 cannot hold at all becomes U+FFFD, and so does DEL, which it could hold. */
static void add_character(gm_buffer *out, const char *bytes, size_t size, uint32_t code) {
    static const struct {
        char byte;
        const char *text;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}, {'\r', "&#13;"}, {'\t', "&#9;"}};
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        if (code == (uint32_t)escapes[i].byte) {
            gm_buffer_add_text(out, escapes[i].text);
            return;
        }
    }
    char shown[GM_VISIBLE_ROOM];
    size_t room = 0;
    if (size > 0 && (gm_utf8_is_hidden(code) || (code >= 0x80 && code < 0xA0))) {
        (void)gm_visible_next(bytes, size, 0, shown, &room);
        gm_buffer_add(out, shown, room);
    } else if (size == 0 || code < 0x20 || code == 0x7F || code == 0xFFFE || code == 0xFFFF) {
        gm_buffer_add_text(out, "\xEF\xBF\xBD");
    } else {
        gm_buffer_add(out, bytes, size);
    }
}

static void add_escaped(gm_buffer *out, const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = gm_utf8_decode(text + at, length - at, &code);
        add_character(out, text + at, size, code);
        at += size == 0 ? 1 : size;
    }
}

static void begin(gm_buffer *out, const gm_report_totals *totals) {
    gm_buffer_add_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    gm_buffer_printf(out, "<testsuites name=\"graphmend\" tests=\"%u\" failures=\"%u\" errors=\"0\">\n",
                     totals->findings + totals->notices > 0 ? totals->findings + totals->notices : 1, totals->findings);
}

static void add_case(gm_buffer *out, const gm_checked *checked, const gm_entry *entry) {
    gm_report_range range = gm_report_range_of(checked, entry);
    gm_buffer_printf(out, "    <testcase name=\"%s\" classname=\"", gm_report_code(entry));
    add_escaped(out, checked->path);
    const char *outcome = gm_check_is_notice(entry) ? "skipped" : "failure";
    gm_buffer_printf(out, "\">\n      <%s type=\"%s\" message=\"", outcome, gm_report_rule_name(entry));
    add_escaped(out, entry->message);
    gm_buffer_add_text(out, "\">");
    if (range.cell > 0) {
        gm_buffer_printf(out, "cell %u, ", range.cell);
    }
    gm_buffer_printf(out, "line %u, column %u: ", range.line, range.column);
    add_escaped(out, entry->message);
    if (entry->advice != NULL) {
        gm_buffer_add_text(out, "; write: ");
        add_escaped(out, entry->advice);
    }
    gm_buffer_printf(out, "</%s>\n    </testcase>\n", outcome);
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    gm_buffer_add_text(out, "  <testsuite name=\"");
    add_escaped(out, checked->path);
    uint32_t skipped = gm_check_is_too_large(checked);
    gm_buffer_printf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"0\"", checked->entries.count, checked->entries.count - skipped);
    gm_buffer_add_text(out, skipped > 0 ? " skipped=\"1\">\n" : ">\n");
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        add_case(out, checked, &checked->entries.items[i]);
    }
    gm_buffer_add_text(out, "  </testsuite>\n");
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)style;
    if (totals->findings + totals->notices == 0) {
        gm_buffer_add_text(out, "  <testsuite name=\"graphmend\" tests=\"1\" failures=\"0\" errors=\"0\">\n"
                                "    <testcase name=\"no findings\" classname=\"graphmend\"/>\n  </testsuite>\n");
    }
    gm_buffer_add_text(out, "</testsuites>\n");
}

const gm_report_format gm_report_junit = {.name = "junit", .begin = begin, .file = file, .end = end, .separator = ""};
