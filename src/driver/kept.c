#include "driver/kept.h"

#include <string.h>

#include "base/utf8.h"

#define NO_RULE UINT32_MAX
#define NO_EDITS UINT32_MAX

enum { TEXTS = 7 };

/* An entry: this, then its texts, each with its end, then its edits. Every member that a report reads is here or follows from what is. */
typedef struct record {
    uint32_t rule; /* in gm_rules; NO_RULE: a syntax error or a notice */
    uint32_t start;
    uint32_t end;
    uint32_t site;
    uint32_t line_end;
    uint32_t callers;
    uint32_t edits;        /* how many stand behind the texts; NO_EDITS: NULL */
    uint32_t texts[TEXTS]; /* bytes of message, because, advice, reason, notes and break_id with their ends; 0: NULL */
    uint8_t level;
    uint8_t certain;
    uint8_t reached;
    uint8_t run;
    uint8_t fix;
    uint8_t unused[3];
} record;

/* An edit: this, and then its text with its end. */
typedef struct edit_record {
    uint32_t start;
    uint32_t end;
    uint32_t size; /* bytes of the text with its end */
} edit_record;

static uint32_t number_of(const gm_rule *rule) {
    for (uint32_t i = 0; i < gm_rule_count; i++) {
        if (gm_rules[i] == rule) {
            return i;
        }
    }
    return NO_RULE;
}

static void write_entry(gm_buffer *out, const gm_entry *entry) {
    const char *const texts[TEXTS] = {entry->message,  entry->because,  entry->advice,  entry->reason,
                                      entry->run_note, entry->fix_note, entry->break_id};
    record one = {
        .rule = number_of(entry->rule),
        .start = entry->start,
        .end = entry->end,
        .site = entry->site,
        .line_end = entry->line_end,
        .callers = entry->callers,
        .edits = entry->edits == NULL ? NO_EDITS : entry->edits->items.count,
        .level = entry->level,
        .certain = entry->certain,
        .reached = entry->reached,
        .run = entry->run,
        .fix = entry->fix,
    };
    for (size_t i = 0; i < TEXTS; i++) {
        one.texts[i] = texts[i] == NULL ? 0 : (uint32_t)strlen(texts[i]) + 1;
    }
    gm_buffer_add(out, (const char *)&one, sizeof one);
    for (size_t i = 0; i < TEXTS; i++) {
        gm_buffer_add(out, texts[i] == NULL ? "" : texts[i], one.texts[i]);
    }
    for (uint32_t i = 0; entry->edits != NULL && i < entry->edits->items.count; i++) {
        const gm_replacement *edit = &entry->edits->items.items[i];
        edit_record shape = {edit->start, edit->end, (uint32_t)strlen(edit->text) + 1};
        gm_buffer_add(out, (const char *)&shape, sizeof shape);
        gm_buffer_add(out, edit->text, shape.size);
    }
}

void gm_kept_write(gm_buffer *out, const gm_checked *checked) {
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        write_entry(out, &checked->entries.items[i]);
    }
}

/* ---- Reading ---- */

typedef struct reading {
    const char *at;
    size_t left;
    uint32_t length; /* of the text that the entries are about */
} reading;

/* A text with its end and no other NUL, in UTF-8. */
static bool is_text(const char *text, size_t size) {
    return memchr(text, '\0', size) == text + size - 1 && gm_utf8_check(text, size - 1) == size - 1;
}

/* One line of words; a text that needs more is made anew. */
static bool is_words(const char *text, size_t size) {
    if (!is_text(text, size)) {
        return false;
    }
    for (size_t i = 0; i + 1 < size; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F) {
            return false;
        }
    }
    return true;
}

static bool read_text(reading *from, uint32_t size, const char **text) {
    *text = size == 0 ? NULL : from->at;
    if (size > from->left || (size > 0 && !is_words(from->at, size))) {
        return false;
    }
    from->at += size;
    from->left -= size;
    return true;
}

/* The next bytes, which must be that many; false at the end. */
static bool take(reading *from, void *bytes, size_t size) {
    if (from->left < size) {
        return false;
    }
    memcpy(bytes, from->at, size);
    from->at += size;
    from->left -= size;
    return true;
}

/* Edits in order of position, within the text; what they write is shown to tools alone, so it may have any characters. */
static bool read_edits(gm_arena *arena, reading *from, uint32_t count, const gm_replacements **edits) {
    gm_replacements *all = GM_NEW(arena, gm_replacements);
    *edits = all;
    uint32_t behind = 0;
    for (uint32_t i = 0; i < count; i++) {
        edit_record one;
        if (!take(from, &one, sizeof one) || one.size == 0 || one.size > from->left || !is_text(from->at, one.size) || one.start < behind ||
            one.end < one.start || one.end > from->length) {
            return false;
        }
        gm_replacement edit = {one.start, one.end, from->at};
        gm_vec_push(arena, &all->items, edit);
        from->at += one.size;
        from->left -= one.size;
        behind = one.end;
    }
    return true;
}

static bool fits(const record *one, uint32_t length) {
    bool ranges = one->start <= one->end && one->end <= length && one->site <= length && one->line_end <= length;
    bool small = (one->level <= GM_LEVEL_ADVICE || (one->level == GM_LEVEL_NOTICE && one->rule == NO_RULE)) && one->certain <= 1 &&
                 one->reached <= 1 && one->run <= 1 && one->fix <= GM_FIXES_ASSUMING;
    return ranges && small && (one->rule < gm_rule_count || one->rule == NO_RULE) && one->texts[0] > 0;
}

static bool read_entry(gm_arena *arena, reading *from, gm_entry *entry) {
    record one;
    if (!take(from, &one, sizeof one) || !fits(&one, from->length)) {
        return false;
    }
    *entry = (gm_entry){
        .rule = one.rule == NO_RULE ? NULL : gm_rules[one.rule],
        .level = one.level,
        .start = one.start,
        .end = one.end,
        .site = one.site,
        .line_end = one.line_end,
        .callers = one.callers,
        .certain = one.certain,
        .reached = one.reached,
        .run = one.run,
        .fix = one.fix,
    };
    return read_text(from, one.texts[0], &entry->message) && read_text(from, one.texts[1], &entry->because) &&
           read_text(from, one.texts[2], &entry->advice) && read_text(from, one.texts[3], &entry->reason) &&
           read_text(from, one.texts[4], &entry->run_note) && read_text(from, one.texts[5], &entry->fix_note) &&
           read_text(from, one.texts[6], &entry->break_id) && (entry->rule == NULL || entry->break_id != NULL) &&
           (one.edits == NO_EDITS || read_edits(arena, from, one.edits, &entry->edits));
}

/* The text of a file, and of a notebook its cells, as gm_check_bytes has them. */
static gm_checked *open_text(gm_arena *arena, const char *path, const char *bytes, size_t size) {
    gm_diagnostics ignored = {0};
    const char *problem = NULL;
    gm_checked *checked = GM_NEW(arena, gm_checked);
    checked->path = path;
    if (!gm_notebook_is(path)) {
        checked->source = gm_parse_source(arena, path, bytes, size, &ignored);
        return checked;
    }
    const gm_notebook *notebook = gm_notebook_read(arena, bytes, size, &problem);
    if (notebook == NULL) {
        checked->source = gm_parse_source(arena, path, "", 0, &ignored);
        return checked;
    }
    const char *python = gm_notebook_mask(arena, &notebook->cells, notebook->text, notebook->size);
    checked->source = gm_parse_source(arena, path, python, notebook->size, &ignored);
    checked->notebook = notebook;
    checked->cells = &notebook->cells;
    return checked;
}

gm_checked *gm_kept_read(gm_arena *arena, const char *path, const char *bytes, size_t size, const char *kept, size_t kept_size) {
    gm_checked *checked = open_text(arena, path, bytes, size);
    reading from = {kept, kept_size, checked->source->length};
    uint32_t before = 0;
    while (from.left > 0) {
        gm_entry entry;
        if (!read_entry(arena, &from, &entry) || entry.start < before) {
            return NULL;
        }
        before = entry.start;
        entry.from = gm_source_position(checked->source, entry.start);
        entry.to = gm_source_position(checked->source, entry.end);
        gm_vec_push(arena, &checked->entries, entry);
    }
    return checked;
}
