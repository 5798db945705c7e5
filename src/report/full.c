/* For people: the place, the line with the expression marked, what to write, and why it is left where it is. */
#include <string.h>

#include "report/report.h"

typedef struct paint {
    const char *place;
    const char *code;
    const char *mark;
    const char *faint;
    const char *off;
} paint;

static const paint colors = {"\033[1m", "\033[1;31m", "\033[1;33m", "\033[2m", "\033[0m"};
static const paint no_colors = {"", "", "", "", ""};

static void add_place(gm_buffer *out, const gm_checked *checked, const gm_entry *entry, const paint *with) {
    gm_buffer_add_text(out, with->place);
    gm_report_add_place(out, checked, entry);
    gm_buffer_printf(out, ":%s %s%s%s %s", with->off, with->code, gm_report_code(entry), with->off, entry->message);
    if (entry->rule != NULL && entry->level != GM_LEVEL_ADVICE) {
        gm_buffer_printf(out, " %s[mend: %s]%s", with->faint, gm_report_level(entry), with->off);
    }
    gm_buffer_add_char(out, '\n');
}

/* The bytes of a line without its line end. */
static uint32_t line_length(const gm_source *source, uint32_t line) {
    uint32_t start = source->line_starts[line - 1];
    uint32_t end = line < source->line_count ? source->line_starts[line] : source->length;
    while (end > start && (source->text[end - 1] == '\n' || source->text[end - 1] == '\r')) {
        end--;
    }
    return end - start;
}

static bool starts_character(char byte) {
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* White space up to the column, tabs kept so that the mark stands below what it marks; then `^` up to the end. */
static void add_mark(gm_buffer *out, const char *line, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < from; i++) {
        if (starts_character(line[i])) {
            gm_buffer_add_char(out, line[i] == '\t' ? '\t' : ' ');
        }
    }
    gm_buffer_add_char(out, '^');
    for (uint32_t i = from + 1; i < to; i++) {
        if (starts_character(line[i])) {
            gm_buffer_add_char(out, '^');
        }
    }
}

/* Control characters of the file must not reach the terminal. */
static void add_visible(gm_buffer *out, const char *text, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        bool control = (unsigned char)text[i] < 0x20 && text[i] != '\t';
        gm_buffer_add_char(out, control || text[i] == 0x7F ? '?' : text[i]);
    }
}

static void add_excerpt(gm_buffer *out, const gm_checked *checked, const gm_entry *entry, const paint *with) {
    const gm_source *source = checked->source;
    uint32_t line = entry->from.line;
    const char *text = source->text + source->line_starts[line - 1];
    uint32_t length = line_length(source, line);
    uint32_t to = entry->to.line == line && entry->to.column < length ? entry->to.column : length;
    gm_buffer_printf(out, "%s%5u |%s ", with->faint, gm_report_range_of(checked, entry).line, with->off);
    add_visible(out, text, length);
    gm_buffer_printf(out, "\n%s      |%s %s", with->faint, with->off, with->mark);
    add_mark(out, text, entry->from.column < length ? entry->from.column : length, to);
    gm_buffer_printf(out, "%s\n", with->off);
}

static void add_note(gm_buffer *out, const char *label, const char *text, const paint *with) {
    if (text != NULL) {
        gm_buffer_printf(out, "%s      = %s:%s ", with->faint, label, with->off);
        add_visible(out, text, (uint32_t)strlen(text));
        gm_buffer_add_char(out, '\n');
    }
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    const paint *with = style->color ? &colors : &no_colors;
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        add_place(out, checked, entry, with);
        add_excerpt(out, checked, entry, with);
        add_note(out, "because", entry->because, with);
        if (entry->callers > 1) {
            gm_buffer_printf(out, "%s      = reached:%s by %u calls\n", with->faint, with->off, entry->callers);
        }
        add_note(out, "write", entry->advice, with);
        add_note(out, "no mend", entry->reason, with);
        gm_buffer_add_char(out, '\n');
    }
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)style;
    const char *new = totals->baseline ? "new " : "";
    if (totals->findings == 0) {
        gm_buffer_printf(out, "no %sfindings in %u file%s", new, totals->files, totals->files == 1 ? "" : "s");
    } else {
        gm_buffer_printf(out, "%u %sfinding%s in %u of %u file%s, %u with a mend", totals->findings, new,
                         totals->findings == 1 ? "" : "s", totals->files_with_findings, totals->files,
                         totals->files == 1 ? "" : "s", totals->mends);
    }
    if (totals->baseline) {
        gm_buffer_printf(out, ", %u in the baseline", totals->known);
    }
    gm_buffer_add_char(out, '\n');
}

const gm_report_format gm_report_full = {.name = "full", .file = file, .end = end, .separator = ""};
