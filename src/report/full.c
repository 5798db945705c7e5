/* For people: the place, the line with the expression marked, what to write, and why it is left where it is. */
#include <string.h>

#include "base/utf8.h"
#include "base/visible.h"
#include "base/width.h"
#include "report/report.h"

typedef struct paint {
    const char *place;
    const char *code;
    const char *mark;
    const char *faint;
    const char *off;
    const gm_report_style *style;
} paint;

static const paint colors = {"\033[1m", "\033[1;31m", "\033[1;33m", "\033[2m", "\033[0m", NULL};
static const paint no_colors = {"", "", "", "", "", NULL};

static void add_place(gm_buffer *out, const gm_checked *checked, const gm_entry *entry, const paint *with) {
    gm_buffer_add_text(out, with->place);
    gm_report_add_place(out, checked, entry, with->style);
    gm_buffer_printf(out, ":%s %s%s%s ", with->off, with->code, gm_report_code(entry), with->off);
    gm_visible_add(out, entry->message, strlen(entry->message), gm_report_visible(with->style));
    if (entry->rule != NULL && entry->rule != &gm_rule_unused_suppression) {
        gm_buffer_printf(out, " %s[run: %s, fix: %s]%s", with->faint, entry->run ? "yes" : "no", gm_report_fix(entry), with->off);
    }
    gm_buffer_add_char(out, '\n');
}

static bool starts_character(char byte) {
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* One character for one, so that the mark stands where it should. */
static void add_visible(gm_buffer *out, const char *text, size_t length, const paint *with) {
    gm_visible_add(out, text, length, gm_report_visible(with->style) | GM_VISIBLE_COLUMNS);
}

/* Columns that the character at the start of `left` bytes takes as it is shown; `*size` is how many bytes it has. */
static unsigned columns(const char *text, size_t left, size_t *size, const paint *with) {
    char shown[GM_VISIBLE_ROOM];
    size_t length = 0;
    uint32_t code = 0;
    *size = gm_visible_next(text, left, gm_report_visible(with->style) | GM_VISIBLE_COLUMNS, shown, &length);
    return length == 0 || gm_utf8_decode(shown, length, &code) == 0 ? 1 : gm_width(code);
}

/* A character for each column of a range; tabs are kept, so that the mark stands below what it marks. */
static uint32_t add_columns(gm_buffer *out, const char *line, uint32_t from, uint32_t to, char sign, const paint *with) {
    uint32_t all = 0;
    for (size_t at = from, size = 0; at < to; at += size) {
        unsigned width = columns(line + at, to - at, &size, with);
        all += width;
        for (unsigned i = 0; i < width; i++) {
            gm_buffer_add_char(out, sign == ' ' && line[at] == '\t' ? '\t' : sign);
        }
    }
    return all;
}

/* White space up to the column; then `^` up to the end, at least one. */
static void add_mark(gm_buffer *out, const char *line, uint32_t from, uint32_t to, const paint *with) {
    (void)add_columns(out, line, 0, from, ' ', with);
    if (add_columns(out, line, from, to, '^', with) == 0) {
        gm_buffer_add_char(out, '^');
    }
}

enum { WIDEST = 1000, IN_FRONT = 200 };

/* Of a line that is longer than anybody reads, what is around the mark: the report stays in proportion to the file. */
static uint32_t window_start(const char *text, uint32_t length, uint32_t from) {
    uint32_t start = length > WIDEST && from > IN_FRONT ? from - IN_FRONT : 0;
    while (start > 0 && !starts_character(text[start])) {
        start--;
    }
    return start;
}

static uint32_t window_end(const char *text, uint32_t length, uint32_t start) {
    uint32_t end = length - start > WIDEST ? start + WIDEST : length;
    while (end < length && !starts_character(text[end])) { /* text[start] does: a source is UTF-8 */
        end--;
    }
    return end;
}

static void add_excerpt(gm_buffer *out, const gm_checked *checked, const gm_entry *entry, const paint *with) {
    const gm_source *source = checked->source;
    uint32_t line = entry->from.line;
    const char *text = source->text + source->line_starts[line - 1];
    uint32_t length = gm_source_line_end(source, line) - source->line_starts[line - 1];
    uint32_t from = entry->from.column < length ? entry->from.column : length;
    uint32_t to = entry->to.line == line && entry->to.column < length ? entry->to.column : length;
    uint32_t first = window_start(text, length, from);
    length = window_end(text, length, first);
    to = to < length ? to : length;
    gm_buffer_printf(out, "%s%5u |%s ", with->faint, gm_report_range_of(checked, entry).line, with->off);
    add_visible(out, text + first, length - first, with);
    gm_buffer_printf(out, "\n%s      |%s %s", with->faint, with->off, with->mark);
    add_mark(out, text + first, from - first, to > first ? to - first : 0, with);
    gm_buffer_printf(out, "%s\n", with->off);
}

static void add_note(gm_buffer *out, const char *label, const char *text, const paint *with) {
    if (text != NULL) {
        gm_buffer_printf(out, "%s      = %s:%s ", with->faint, label, with->off);
        add_visible(out, text, strlen(text), with);
        gm_buffer_add_char(out, '\n');
    }
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    paint paints = style->color ? colors : no_colors;
    paints.style = style;
    const paint *with = &paints;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        add_place(out, checked, entry, with);
        add_excerpt(out, checked, entry, with);
        add_note(out, "because", entry->because, with);
        if (entry->callers > 1) {
            gm_buffer_printf(out, "%s      = reached:%s by %u calls\n", with->faint, with->off, entry->callers);
        }
        add_note(out, "write", entry->advice, with);
        add_note(out, entry->run ? "run" : "no run", entry->run_note, with);
        add_note(out, entry->fix == GM_FIXES_ASSUMING ? "fix --unsafe assumes" : "no fix", entry->fix_note, with);
        gm_buffer_add_char(out, '\n');
    }
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)style;
    const char *new = totals->baseline ? "new " : "";
    if (totals->findings == 0) {
        gm_buffer_printf(out, "no %sfindings in %u file%s", new, totals->files, totals->files == 1 ? "" : "s");
    } else {
        gm_buffer_printf(out, "%u %sfinding%s in %u of %u file%s: `run` mends %u, `fix` %u, `fix --unsafe` %u", totals->findings, new,
                         totals->findings == 1 ? "" : "s", totals->files_with_findings, totals->files, totals->files == 1 ? "" : "s",
                         totals->mends, totals->safe, totals->safe + totals->assumed);
    }
    if (totals->notices > 0) {
        gm_buffer_printf(out, ", %u not analysed", totals->notices);
    }
    if (totals->baseline) {
        gm_buffer_printf(out, ", %u in the baseline", totals->known);
    }
    gm_buffer_add_char(out, '\n');
}

const gm_report_format gm_report_full = {.name = "full", .file = file, .end = end, .separator = ""};
