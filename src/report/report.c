#include "report/report.h"

#include <string.h>

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

const char *gm_report_names(void) {
    static const char names[] = ""
#define GM_FORMAT(name, symbol) ", " name
#include "report/formats.def"
        ;
    return names + 2;
}

const char *gm_report_code(const gm_entry *entry) {
    return entry->rule != NULL ? entry->rule->code : "syntax";
}

const char *gm_report_rule_name(const gm_entry *entry) {
    return entry->rule != NULL ? entry->rule->name : "syntax-error";
}

const char *gm_report_level(const gm_entry *entry) {
    static const char *const names[] = {"safe", "assumed", "advice"};
    return entry->rule != NULL ? names[entry->level] : "error";
}

uint32_t gm_report_column(const gm_source *source, gm_position position) {
    const char *line = source->text + source->line_starts[position.line - 1];
    uint32_t column = 1;
    for (uint32_t i = 0; i < position.column; i++) {
        column += ((unsigned char)line[i] & 0xC0) != 0x80; /* bytes that continue a character do not count */
    }
    return column;
}

uint32_t gm_report_line(const gm_checked *checked, uint32_t line) {
    (void)checked;
    return line;
}

gm_report_range gm_report_range_of(const gm_checked *checked, const gm_entry *entry) {
    return (gm_report_range){
        .line = entry->from.line,
        .column = gm_report_column(checked->source, entry->from),
        .end_line = entry->to.line,
        .end_column = gm_report_column(checked->source, entry->to),
    };
}

void gm_report_add_place(gm_buffer *out, const gm_checked *checked, const gm_entry *entry) {
    gm_report_range range = gm_report_range_of(checked, entry);
    gm_buffer_add_text(out, checked->path);
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
