/* GitLab's Code Quality report: a list of issues, each with a fingerprint that stays when lines are added above. */
#include <string.h>

#include "base/table.h"
#include "report/report.h"

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3U;
    }
    return (hash ^ 0xFFU) * 0x100000001B3U;
}

static uint64_t hash_of(const gm_checked *checked, const gm_entry *entry) {
    uint64_t hash = mix(0xCBF29CE484222325U, checked->path, strlen(checked->path));
    hash = mix(hash, gm_report_code(entry), strlen(gm_report_code(entry)));
    return mix(hash, checked->source->text + entry->start, entry->end - entry->start);
}

/* By path, rule and the marked text; equal ones are told apart by their order. `seen` has how many there were of each. */
static uint64_t fingerprint(gm_arena *arena, gm_table *seen, const gm_checked *checked, const gm_entry *entry) {
    uint64_t hash = hash_of(checked, entry);
    uint32_t known = gm_table_find(seen, hash);
    uint32_t same = known == GM_TABLE_NONE ? 0 : known + 1;
    gm_table_put(seen, arena, hash, same);
    return same == 0 ? hash : mix(hash, (const char *)&same, sizeof same);
}

static void add_text(gm_buffer *out, const char *name, const char *text) {
    gm_buffer_printf(out, "\"%s\": ", name);
    gm_buffer_add_json(out, text, strlen(text));
}

static void file(gm_buffer *out, const gm_checked *checked, const gm_report_style *style) {
    (void)style;
    const char *path = strncmp(checked->path, "./", 2) == 0 ? checked->path + 2 : checked->path;
    gm_table seen = {0};
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        gm_report_range range = gm_report_file_range(checked, entry);
        gm_buffer_add_text(out, i == 0 ? "\n{" : ",\n{");
        add_text(out, "description", entry->message);
        gm_buffer_add_text(out, ", ");
        add_text(out, "check_name", gm_report_code(entry));
        gm_buffer_printf(out, ", \"fingerprint\": \"%016llx\", \"severity\": \"%s\", \"location\": {",
                         (unsigned long long)fingerprint(out->arena, &seen, checked, entry),
                         gm_check_is_notice(entry) ? "info" : entry->rule != NULL ? "minor" : "major");
        add_text(out, "path", path);
        gm_buffer_printf(out, ", \"positions\": {\"begin\": {\"line\": %u, \"column\": %u}, \"end\": {\"line\": %u, \"column\": %u}}}}",
                         range.line, range.column, range.end_line, range.end_column);
    }
}

static void begin(gm_buffer *out, const gm_report_totals *totals) {
    (void)totals;
    gm_buffer_add_char(out, '[');
}

static void end(gm_buffer *out, const gm_report_totals *totals, const gm_report_style *style) {
    (void)totals;
    (void)style;
    gm_buffer_add_text(out, "\n]\n");
}

const gm_report_format gm_report_gitlab = {.name = "gitlab", .begin = begin, .file = file, .end = end, .separator = ","};
