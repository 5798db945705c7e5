/* Reports: how checked files are shown. formats.def lists the formats; each is a file here.
 *
 * A report is `begin`, one `file` for every file with something to say, and `end`. `file` may run on any thread; what it wrote is put
 * together in order, with `separator` in between. */
#ifndef GM_REPORT_REPORT_H
#define GM_REPORT_REPORT_H

#include "base/buffer.h"
#include "driver/check.h"

typedef struct gm_report_style {
    bool color; /* terminal escapes, in formats for people */
} gm_report_style;

typedef struct gm_report_totals {
    uint32_t files;    /* checked */
    uint32_t findings; /* syntax errors included */
    uint32_t mends;    /* findings that `fix` or `run` mends */
    uint32_t files_with_findings;
} gm_report_totals;

typedef struct gm_report_format {
    const char *name;
    void (*begin)(gm_buffer *out);
    void (*file)(gm_buffer *out, const gm_checked *checked, const gm_report_style *style);
    void (*end)(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style);
    const char *separator;
} gm_report_format;

/* The format of a name, or NULL. */
const gm_report_format *gm_report_find(const char *name);

/* The names of all formats, "text, concise, ...", static. */
const char *gm_report_names(void);

/* Shared by formats: "GM101", or "syntax" for a syntax error. */
const char *gm_report_code(const gm_entry *entry);
const char *gm_report_level(const gm_entry *entry);

/* Column in characters, from 1, as editors count. */
uint32_t gm_report_column(const gm_source *source, gm_position position);

/* The members of a checked file as JSON, without the braces around them; docs/json.md describes them. */
void gm_report_json_members(gm_buffer *out, const gm_checked *checked);

#define GM_FORMAT(name, symbol) extern const gm_report_format symbol;
#include "report/formats.def"

#endif
