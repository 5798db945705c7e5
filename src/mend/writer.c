#include "mend/writer.h"

#include <assert.h>
#include <string.h>

#include "base/search.h"
#include "syntax/lexer.h"

void gm_writer_init(gm_writer *writer, gm_arena *arena, const gm_tree *tree) {
    *writer = (gm_writer){.tree = tree, .statement = 1};
    gm_buffer_init(&writer->text, arena);
}

void gm_write(gm_writer *writer, const char *text) {
    assert(strpbrk(text, "\r\n") == NULL); /* its line would have no place in the file of the user */
    gm_buffer_add_text(&writer->text, text);
}

static void note_line(gm_writer *writer) {
    uint32_t line = writer->line == 0 ? writer->statement : writer->line;
    gm_vec_push(writer->text.arena, &writer->lines, line);
    writer->line = 0;
}

void gm_write_line_end(gm_writer *writer) {
    if (writer->text.length > 0 && writer->text.bytes[writer->text.length - 1] != '\n') {
        gm_buffer_add_char(&writer->text, '\n');
        note_line(writer);
    }
}

void gm_write_indent(gm_writer *writer, uint32_t depth) {
    for (uint32_t i = 0; i < depth; i++) {
        gm_buffer_add_text(&writer->text, "    ");
    }
}

/* Where the line that holds `offset` ends, line end included, but not behind `end`. */
static uint32_t line_limit(const gm_source *source, uint32_t line, uint32_t end) {
    uint32_t next = line < source->line_count ? source->line_starts[line] : source->length;
    return next < end ? next : end;
}

/* `end` is not the start of the text. */
static bool ends_line(const gm_source *source, uint32_t end) {
    return source->text[end - 1] == '\n' || source->text[end - 1] == '\r';
}

/* The first insertion that belongs to a copy from `start` on. */
static uint32_t first_insertion(const gm_writer *writer, uint32_t start) {
    uint32_t low = 0;
    uint32_t high = writer->insertion_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        const gm_insertion *insertion = &writer->insertions[middle];
        if (insertion->offset < start || (insertion->offset == start && insertion->behind)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Copy bytes of one line with what is inserted there. */
static void copy_bytes(gm_writer *writer, uint32_t start, uint32_t end) {
    const gm_source *source = writer->tree->source;
    gm_work(writer->text.arena, 2 + (end - start) / 8);
    for (uint32_t i = first_insertion(writer, start); i < writer->insertion_count; i++) {
        const gm_insertion *insertion = &writer->insertions[i];
        if (insertion->offset > end || (insertion->offset == end && !insertion->behind)) {
            break;
        }
        gm_work(writer->text.arena, 1);
        if (writer->bare > 0 && !insertion->always) {
            continue;
        }
        gm_buffer_add(&writer->text, source->text + start, insertion->offset - start);
        gm_write(writer, insertion->text);
        start = insertion->offset;
    }
    gm_buffer_add(&writer->text, source->text + start, end - start);
}

/* Copy a piece of one line; line ends become `\n`. */
static void copy_piece(gm_writer *writer, uint32_t line, uint32_t start, uint32_t end) {
    const gm_source *source = writer->tree->source;
    bool whole = end > start && ends_line(source, end) && line_limit(source, line, UINT32_MAX) == end;
    uint32_t stop = end;
    while (whole && stop > start && ends_line(source, stop)) {
        stop--;
    }
    writer->line = writer->line == 0 ? line : writer->line;
    copy_bytes(writer, start, stop);
    if (whole) {
        gm_buffer_add_char(&writer->text, '\n');
        note_line(writer);
    }
}

void gm_write_source(gm_writer *writer, uint32_t start, uint32_t end) {
    const gm_source *source = writer->tree->source;
    uint32_t line = gm_source_position(source, start).line;
    while (start < end) {
        uint32_t limit = line_limit(source, line, end);
        copy_piece(writer, line, start, limit);
        start = limit;
        line++;
    }
}

/* Whether a line that begins at `offset` begins a statement, or holds nothing but a comment between statements. */
static bool begins_logical_line(const gm_tree *tree, uint32_t offset) {
    uint8_t before = tree->tokens[gm_token_at(tree, offset) - 1].kind; /* a line before it has a token */
    return before == GM_TOKEN_NEWLINE || before == GM_TOKEN_INDENT || before == GM_TOKEN_DEDENT;
}

static uint32_t blank_end(const gm_source *source, uint32_t at, uint32_t end) {
    while (at < end && (source->text[at] == ' ' || source->text[at] == '\t' || source->text[at] == '\f')) {
        at++;
    }
    return at;
}

void gm_write_source_at(gm_writer *writer, uint32_t start, uint32_t end, uint32_t depth) {
    const gm_source *source = writer->tree->source;
    uint32_t line = gm_source_position(source, start).line;
    uint32_t first = source->line_starts[line - 1];
    uint32_t width = blank_end(source, first, start) - first;
    gm_write_indent(writer, depth);
    copy_piece(writer, line, start, line_limit(source, line, end));
    while (line_limit(source, line, end) < end) {
        uint32_t at = line_limit(source, line, end);
        line++;
        if (begins_logical_line(writer->tree, at)) {
            uint32_t blank = blank_end(source, at, end) - at;
            bool deeper = blank >= width && memcmp(source->text + at, source->text + first, width) == 0;
            gm_write_indent(writer, depth);
            at += deeper ? width : 0;
        }
        copy_piece(writer, line, at, line_limit(source, line, end));
    }
}
