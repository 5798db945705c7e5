#include "report/report.h"

#include <string.h>

#include "base/visible.h"
#include "base/work.h"

static const gm_report_format *const formats[] = {
#define GM_FORMAT(name, symbol) &symbol,
#include "report/formats.def"
};

const gm_report_format *gm_report_find(const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

typedef struct telling {
    gm_buffer *out;
    const gm_report_format *format;
    const gm_checked *checked;
    const gm_report_style *style;
} telling;

static void tell(void *context) {
    const telling *state = context;
    state->format->file(state->out, state->checked, state->style);
}

const gm_checked *gm_report_file(gm_buffer *out, const gm_report_format *format, const gm_checked *checked, const gm_report_style *style) {
    telling state = {out, format, checked, style};
    size_t before = out->length;
    if (!gm_work_within(out->arena, checked->source->length, tell, &state)) {
        out->length = before;
        state.checked = gm_check_too_large(out->arena, checked, 0, GM_TOO_LARGE_REPORT);
        tell(&state);
    }
    return state.checked;
}

const char *gm_report_names(void) {
    static const char names[] = ""
#define GM_FORMAT(name, symbol) ", " name
#include "report/formats.def"
        ;
    return names + 2;
}

const char *gm_report_code(const gm_entry *entry) {
    return entry->rule != NULL ? entry->rule->code : gm_check_is_notice(entry) ? "too-large" : "syntax";
}

const char *gm_report_rule_name(const gm_entry *entry) {
    return entry->rule != NULL ? entry->rule->name : gm_check_is_notice(entry) ? "not-analysed" : "syntax-error";
}

const char *gm_report_level(const gm_entry *entry) {
    static const char *const names[] = {"safe", "assumed", "advice"};
    return entry->rule != NULL ? names[entry->level] : gm_check_is_notice(entry) ? "notice" : "error";
}

const char *gm_report_fix(const gm_entry *entry) {
    static const char *const names[] = {"no", "safe", "assumes"};
    return names[entry->fix];
}

uint32_t gm_report_column(const gm_source *source, gm_position position) {
    return gm_source_column(source, position);
}

/* The line of the text in front of a cell's first. */
static uint32_t lines_before(const gm_checked *checked, const gm_cell *cell) {
    return cell == NULL ? 0 : gm_source_position(checked->source, cell->start).line - 1;
}

static const gm_cell *cell_of(const gm_checked *checked, uint32_t line) {
    return checked->cells == NULL ? NULL : gm_cells_at(checked->cells, checked->source->line_starts[line - 1]);
}

uint32_t gm_report_line(const gm_checked *checked, uint32_t line) {
    return line - lines_before(checked, cell_of(checked, line));
}

gm_report_range gm_report_range_of(const gm_checked *checked, const gm_entry *entry) {
    const gm_cell *cell = cell_of(checked, entry->from.line);
    uint32_t before = lines_before(checked, cell);
    return (gm_report_range){
        .cell = cell != NULL ? cell->number : 0,
        .line = entry->from.line - before,
        .column = gm_report_column(checked->source, entry->from),
        .end_line = entry->to.line - before,
        .end_column = gm_report_column(checked->source, entry->to),
    };
}

gm_report_range gm_report_file_range(const gm_checked *checked, const gm_entry *entry) {
    gm_report_range range = gm_report_range_of(checked, entry);
    const gm_notebook *notebook = checked->notebook;
    if (range.cell == 0 || notebook == NULL || entry->to.line > notebook->lines.count) {
        return range;
    }
    range.line = notebook->lines.items[entry->from.line - 1];
    range.end_line = notebook->lines.items[entry->to.line - 1];
    if (range.line == range.end_line && entry->from.line != entry->to.line) {
        range.column = range.end_column = 1; /* a source on one line */
    }
    return range;
}

unsigned gm_report_visible(const gm_report_style *style) {
    return style->workflow ? GM_VISIBLE_WORKFLOW : 0U;
}

void gm_report_add_place(gm_buffer *out, const gm_checked *checked, const gm_entry *entry, const gm_report_style *style) {
    gm_report_range range = gm_report_range_of(checked, entry);
    gm_visible_add(out, checked->path, strlen(checked->path), gm_report_visible(style));
    if (range.cell > 0) {
        gm_buffer_printf(out, ":cell %u", range.cell);
    }
    gm_buffer_printf(out, ":%u:%u", range.line, range.column);
}

void gm_report_add_uri(gm_buffer *out, const char *path) {
    while (strncmp(path, "./", 2) == 0) {
        path += 2;
    }
    gm_buffer_add_text(out, path[0] == '/' ? "\"file://" : "\"");
    for (; *path != '\0'; path++) {
        bool plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') || (*path >= '0' && *path <= '9') ||
                     strchr("/-._~", *path) != NULL;
        if (plain) {
            gm_buffer_add_char(out, *path);
        } else {
            gm_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*path);
        }
    }
    gm_buffer_add_char(out, '"');
}

void gm_report_add_page_of_torch(gm_buffer *out, const char *id) {
    gm_buffer_add_text(out, "\"https://meta-pytorch.github.io/compile-graph-break-site/gb/");
    for (; *id != '\0'; id++) {
        gm_buffer_add_char(out, *id >= 'A' && *id <= 'Z' ? (char)(*id - 'A' + 'a') : *id);
    }
    gm_buffer_add_text(out, ".html\"");
}
