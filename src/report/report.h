/* Reports: how checked files are shown. formats.def lists the formats; each is a file here.
 *
 * A report is `begin`, one `file` for every file with something to say, and `end`. `file` may run on any thread; what it wrote is put
 * together in order, with `separator` in between. It must be a function of its arguments alone: what it wrote is kept in the cache. */
#ifndef GM_REPORT_REPORT_H
#define GM_REPORT_REPORT_H

#include "base/buffer.h"
#include "base/table.h"
#include "driver/check.h"

typedef struct gm_report_style {
    bool color;    /* terminal escapes, in formats for people */
    bool workflow; /* the log is one of GitHub Actions */
} gm_report_style;

typedef struct gm_report_totals {
    uint32_t files;    /* checked */
    uint32_t findings; /* syntax errors included */
    uint32_t notices;  /* files that were not analysed; not among `findings` */
    uint32_t mends;    /* findings that `run` mends, or that `fix` has mended */
    uint32_t safe;     /* findings that `fix` mends */
    uint32_t assumed;  /* others that `fix --unsafe` mends */
    uint32_t files_with_findings;
    uint32_t known;    /* findings that a baseline has; they are not told and not among `findings` */
    bool baseline;     /* there is one */
} gm_report_totals;

typedef struct gm_report_format {
    const char *name;
    void (*begin)(gm_buffer *out, const gm_report_totals *totals);
    void (*file)(gm_buffer *out, const gm_checked *checked, const gm_report_style *style);
    void (*end)(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style);
    const char *separator;
} gm_report_format;

/* Add what a format tells of a file with entries, within a budget of its own. Returns what was told: the file, or that it is too large. */
const gm_checked *gm_report_file(gm_buffer *out, const gm_report_format *format, const gm_checked *checked, const gm_report_style *style);

/* The format of a name, or NULL. */
const gm_report_format *gm_report_find(const char *name);

/* The names of all formats, "full, concise, ...", static. */
const char *gm_report_names(void);

/* Shared by formats: "GM101", or "syntax" for a syntax error and "too-large" for a notice; its name, "data-dependent-branch". */
const char *gm_report_code(const gm_entry *entry);
const char *gm_report_rule_name(const gm_entry *entry);
const char *gm_report_level(const gm_entry *entry);
const char *gm_report_fix(const gm_entry *entry); /* "safe", "assumes" or "no" */

/* Column in characters, from 1, as editors count. */
uint32_t gm_report_column(const gm_source *source, gm_position position);

/* Where an entry is; lines and columns count from 1, ends are exclusive. */
typedef struct gm_report_range {
    uint32_t cell; /* of a notebook, from 1; lines count within it; 0 in other files */
    uint32_t line;
    uint32_t column;
    uint32_t end_line;
    uint32_t end_column;
} gm_report_range;

/* A line of the text as it is told: in a notebook, that within its cell. */
uint32_t gm_report_line(const gm_checked *checked, uint32_t line);

gm_report_range gm_report_range_of(const gm_checked *checked, const gm_entry *entry);

/* The same for tools that show the file: of a notebook the lines of its JSON. */
gm_report_range gm_report_file_range(const gm_checked *checked, const gm_entry *entry);

/* "PATH:LINE:COLUMN", in a notebook "PATH:cell N:LINE:COLUMN". */
void gm_report_add_place(gm_buffer *out, const gm_checked *checked, const gm_entry *entry, const gm_report_style *style);

/* How words of others are shown: flags of base/visible.h. */
unsigned gm_report_visible(const gm_report_style *style);

/* The members of a checked file as JSON, without the braces around them; docs/json.md describes them. */
void gm_report_json_members(gm_buffer *out, const gm_checked *checked);

/* The members of an entry as JSON, without the braces around them. */
void gm_report_json_entry(gm_buffer *out, const gm_checked *checked, const gm_entry *entry);

/* A path as a relative or `file:` URI reference, percent-encoded, as a JSON string with its quotes. */
void gm_report_add_uri(gm_buffer *out, const char *path);

/* The address of the page that torch's own messages name for a kind of graph break, as a JSON string with its quotes. */
void gm_report_add_page_of_torch(gm_buffer *out, const char *id);

/* By path, rule and the marked text; equal ones in a file are told apart by their order. `seen` has how many there were of each. */
uint64_t gm_report_fingerprint(gm_arena *arena, gm_table *seen, const gm_checked *checked, const gm_entry *entry);

/* One line "CODE MENDED" an entry, for `--statistics`; no format that can be named. */
extern const gm_report_format gm_report_tally;

#define GM_FORMAT(name, symbol) extern const gm_report_format symbol;
#include "report/formats.def"

#endif
