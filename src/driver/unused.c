#include "driver/unused.h"

#include <string.h>

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static bool is_line_end(char byte) {
    return byte == '\n' || byte == '\r' || byte == '\0';
}

/* From its `#` up to the next remark or the end of the line; what would be left blank goes too, and a line of its own altogether. */
static gm_edit whole_comment(const gm_source *source, const gm_suppression *comment) {
    const char *text = source->text;
    uint32_t start = comment->start;
    while (text[start] != '#') {
        start--;
    }
    uint32_t end = comment->end;
    while (!is_line_end(text[end]) && text[end] != '#') {
        end++;
    }
    uint32_t line = source->line_starts[comment->line - 1];
    uint32_t blanks = start;
    while (is_line_end(text[end]) && blanks > line && is_blank(text[blanks - 1])) {
        blanks--;
    }
    bool alone = is_line_end(text[end]) && blanks == line && comment->line < source->line_count;
    return (gm_edit){.start = alone ? line : blanks, .end = alone ? source->line_starts[comment->line] : end};
}

static bool is_code_character(char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
}

/* The next code in a comment from `at` on: its end, with its start in `*start`; the end of the comment when there is none. */
static uint32_t next_code(const gm_source *source, uint32_t at, uint32_t end, uint32_t *start) {
    while (at < end && !is_code_character(source->text[at])) {
        at++;
    }
    *start = at;
    while (at < end && is_code_character(source->text[at])) {
        at++;
    }
    return at;
}

static bool lists_exactly(gm_arena *arena, const char *codes, const char *code, size_t length) {
    for (const char *one = gm_suppress_next(arena, &codes); one != NULL; one = gm_suppress_next(arena, &codes)) {
        if (strlen(one) == length && memcmp(one, code, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Comments come in order of position; of two in one comment the second waits when they meet. */
static void add_edit(gm_arena *arena, gm_edits *edits, gm_edit edit) {
    if (edits->items.count == 0 || edits->items.items[edits->items.count - 1].end <= edit.start) {
        gm_vec_push(arena, &edits->items, edit);
    }
}

/* Codes go with the blanks and the comma up to their neighbour: the next one, or for the last ones the one before that stays. */
static void add_code_edits(gm_arena *arena, const gm_source *source, const gm_unused *unused, gm_edits *edits) {
    const gm_suppression *comment = unused->comment;
    const char *list = strpbrk(source->text + comment->start, "[:");
    if (!comment->noqa) {
        list = strchr(source->text + comment->start, '[');
    }
    uint32_t at = (uint32_t)(list - source->text);
    uint32_t kept_end = 0;
    uint32_t start = 0;
    for (uint32_t end = next_code(source, at, comment->end, &start); end > start;) {
        uint32_t next_start = 0;
        uint32_t next_end = next_code(source, end, comment->end, &next_start);
        bool gone = lists_exactly(arena, unused->codes, source->text + start, end - start);
        bool last = next_end == next_start;
        if (gone) {
            gm_edit edit = {.start = last && kept_end > 0 ? kept_end : start, .end = last ? end : next_start};
            add_edit(arena, edits, edit);
        } else {
            kept_end = end;
        }
        start = next_start;
        end = next_end;
    }
}

void gm_unused_add_edits_of(gm_arena *arena, const gm_source *source, const gm_unused *unused, gm_edits *edits) {
    if (unused->codes != NULL) {
        add_code_edits(arena, source, unused, edits);
    } else {
        add_edit(arena, edits, whole_comment(source, unused->comment));
    }
}

void gm_unused_add_edits(gm_arena *arena, const gm_source *source, const gm_unused_list *list, gm_edits *edits) {
    gm_edits taken = {0};
    for (uint32_t i = 0; i < list->items.count; i++) {
        gm_unused_add_edits_of(arena, source, &list->items.items[i], &taken);
    }
    gm_edits_merge(arena, edits, &taken);
}
