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
