#include "syntax/decode.h"

#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "syntax/encoding.h"
#include "syntax/lexer.h"

enum { REPLACEMENT = 0xFFFD };

typedef struct decoder {
    gm_arena *arena;
    gm_source *source;
    const char *bytes; /* behind a byte order mark */
    size_t size;
    gm_diagnostics *diagnostics;
} decoder;

/* The name of a character set in a cookie; `start` is NULL without one. */
typedef struct cookie {
    const char *start;
    size_t length;
} cookie;

static void report(decoder *in, size_t start, size_t end, const char *message) {
    gm_diagnostic diagnostic = {(uint32_t)start, (uint32_t)end, message, false};
    gm_vec_push(in->arena, in->diagnostics, diagnostic);
}

static void report_cookie(decoder *in, const cookie *name, const char *before, const char *after) {
    gm_buffer message;
    gm_buffer_init(&message, in->arena);
    gm_buffer_add_text(&message, before);
    gm_buffer_add(&message, name->start, name->length);
    gm_buffer_add_text(&message, after);
    size_t start = (size_t)(name->start - in->bytes);
    report(in, start, start + name->length, gm_buffer_text(&message));
}

/* Cookies. */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f';
}

static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static const char *line_end(const char *at, const char *end) {
    while (at < end && *at != '\n' && *at != '\r') {
        at++;
    }
    return at;
}

/* The name behind `coding:` or `coding=` in a comment. */
static cookie find_in_comment(const char *at, const char *end) {
    static const char word[] = "coding";
    enum { WORD = sizeof word - 1 };
    for (; end - at > WORD; at++) {
        if (memcmp(at, word, WORD) != 0 || (at[WORD] != ':' && at[WORD] != '=')) {
            continue;
        }
        const char *start = at + WORD + 1;
        while (start < end && (*start == ' ' || *start == '\t')) {
            start++;
        }
        const char *stop = start;
        while (stop < end && is_name_character(*stop)) {
            stop++;
        }
        if (stop > start) {
            return (cookie){start, (size_t)(stop - start)};
        }
    }
    return (cookie){NULL, 0};
}

/* CPython's rule: in a comment that has line 1 for itself, or line 2 when line 1 has nothing but a comment or blanks. */
static cookie find_cookie(const char *at, const char *end) {
    for (int line = 0; line < 2 && at < end; line++) {
        const char *stop = line_end(at, end);
        while (at < stop && is_blank(*at)) {
            at++;
        }
        if (at < stop && *at != '#') {
            break;
        }
        cookie found = find_in_comment(at, stop);
        if (found.start != NULL) {
            return found;
        }
        at = end - stop >= 2 && stop[0] == '\r' && stop[1] == '\n' ? stop + 2 : stop + (stop < end);
    }
    return (cookie){NULL, 0};
}

/* Whether a name is one that CPython's tokenizer itself takes for `normal`: that one, or with more behind a `-`; `_` is as good as `-`. */
static bool is_name(const cookie *name, const char *normal) {
    size_t length = strlen(normal);
    if (name->length < length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = name->start[i];
        char lower = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        if (lower != normal[i]) {
            return false;
        }
    }
    return name->length == length || name->start[length] == '-' || name->start[length] == '_';
}

static const gm_encoding *find_encoding(const cookie *name) {
    static const char latin[] = "latin-1";
    bool is_latin = is_name(name, latin) || is_name(name, "iso-8859-1") || is_name(name, "iso-latin-1");
    return is_latin ? gm_encoding_find(latin, sizeof latin - 1) : gm_encoding_find(name->start, name->length);
}

/* The table to decode with, NULL where the bytes are UTF-8 or are to be taken as if they were. */
static const gm_encoding *choose_table(decoder *in, bool mark) {
    cookie name = find_cookie(in->bytes, in->bytes + in->size);
    if (name.start == NULL || is_name(&name, "utf-8")) {
        return NULL;
    }
    if (mark) {
        report_cookie(in, &name, "encoding problem: `", "` contradicts the byte order mark");
        return NULL;
    }
    const gm_encoding *encoding = find_encoding(&name);
    if (encoding == NULL) {
        report_cookie(in, &name, "encoding problem: unknown encoding `", "`");
    } else if (encoding->kind == GM_ENCODING_REFUSED) {
        report_cookie(in, &name, "encoding problem: Python reads no source in `", "`");
    } else if (encoding->kind == GM_ENCODING_UNSUPPORTED) {
        report_cookie(in, &name, "encoding problem: graphmend reads no source in `", "`, though Python may");
    }
    return encoding != NULL && encoding->kind == GM_ENCODING_TABLE ? encoding : NULL;
}

bool gm_decode_cookie(const char *bytes, size_t size, size_t *start) {
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    cookie name = mark ? (cookie){NULL, 0} : find_cookie(bytes, bytes + size);
    const gm_encoding *encoding = name.start == NULL || is_name(&name, "utf-8") ? NULL : find_encoding(&name);
    *start = encoding != NULL ? (size_t)(name.start - bytes) : 0;
    return encoding != NULL && encoding->kind == GM_ENCODING_TABLE;
}

/* Text. */

static char *padded_text(gm_arena *arena, size_t length) {
    if (length > GM_SOURCE_LIMIT - GM_TEXT_PADDING) {
        gm_arena_fail(arena);
    }
    char *text = gm_arena_alloc(arena, length + GM_TEXT_PADDING);
    memset(text + length, 0, GM_TEXT_PADDING);
    return text;
}

/* Python's words for a file without a cookie are others than for one that says what it is. */
static void report_invalid(decoder *in, size_t at, bool declared) {
    gm_buffer message;
    gm_buffer_init(&message, in->arena);
    gm_buffer_printf(&message, "encoding problem: byte 0x%02X is no UTF-8%s", (unsigned)(unsigned char)in->bytes[at],
                     declared ? "" : ", and no encoding is declared");
    report(in, at, at + 1, gm_buffer_text(&message));
}

/* Bytes that are taken as if they were UTF-8, because the cookie is a problem, are no second one. */
static void copy_text(decoder *in) {
    char *text = padded_text(in->arena, in->size);
    if (in->size > 0) {
        memcpy(text, in->bytes, in->size);
    }
    in->source->text = text;
    in->source->length = (uint32_t)in->size;
    size_t valid = gm_utf8_check(text, in->size);
    if (valid < in->size && in->diagnostics->count == 0) {
        report_invalid(in, valid, in->source->text_offset > 0 || find_cookie(in->bytes, in->bytes + in->size).start != NULL);
    }
}

static bool is_ascii(const char *bytes, size_t size) {
    size_t at = 0;
    while (at < size && (unsigned char)bytes[at] < 0x80) {
        at++;
    }
    return at == size;
}

/* The UTF-8 of the bytes from 128 on. */
typedef struct upper_half {
    char text[128][4];
    uint8_t size[128];
    bool undefined[128];
} upper_half;

static void fill_upper_half(const gm_encoding *encoding, upper_half *upper) {
    for (unsigned i = 0; i < 128; i++) {
        uint32_t code = gm_encoding_character(encoding, (unsigned char)(i + 128));
        upper->undefined[i] = code == GM_ENCODING_UNDEFINED;
        upper->size[i] = (uint8_t)gm_utf8_encode(upper->undefined[i] ? REPLACEMENT : code, upper->text[i]);
    }
}

static size_t recoded_length(const decoder *in, const upper_half *upper) {
    size_t length = 0;
    for (size_t i = 0; i < in->size; i++) {
        unsigned char byte = (unsigned char)in->bytes[i];
        length += byte < 0x80 ? 1U : upper->size[byte - 0x80];
    }
    return length;
}

static void report_undefined(decoder *in, size_t at, unsigned char byte, const gm_encoding *encoding) {
    gm_buffer message;
    gm_buffer_init(&message, in->arena);
    gm_buffer_printf(&message, "encoding problem: byte 0x%02X is no character of `%s`", (unsigned)byte, encoding->name);
    report(in, at, at + 1, gm_buffer_text(&message));
}

static void recode(decoder *in, const gm_encoding *encoding) {
    upper_half upper;
    fill_upper_half(encoding, &upper);
    size_t length = recoded_length(in, &upper);
    char *text = padded_text(in->arena, length);
    uint32_t *characters = gm_arena_alloc(in->arena, (length / GM_SOURCE_STRIDE + 1) * sizeof *characters);
    size_t at = 0;
    size_t marks = 0;
    bool reported = false;
    for (size_t i = 0; i < in->size; i++) {
        unsigned char byte = (unsigned char)in->bytes[i];
        for (; marks * GM_SOURCE_STRIDE <= at; marks++) {
            characters[marks] = (uint32_t)i;
        }
        if (byte < 0x80) {
            text[at++] = (char)byte;
            continue;
        }
        if (upper.undefined[byte - 0x80] && !reported) {
            report_undefined(in, at, byte, encoding);
            reported = true;
        }
        memcpy(text + at, upper.text[byte - 0x80], upper.size[byte - 0x80]);
        at += upper.size[byte - 0x80];
    }
    for (; marks * GM_SOURCE_STRIDE <= length; marks++) {
        characters[marks] = (uint32_t)in->size;
    }
    in->source->text = text;
    in->source->length = (uint32_t)length;
    in->source->recoded = true;
    in->source->characters = characters;
}

gm_source *gm_decode_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics) {
    gm_source *source = GM_NEW(arena, gm_source);
    source->path = path;
    source->bytes = bytes;
    source->size = size;
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    source->text_offset = mark ? 3 : 0;
    decoder in = {arena, source, bytes + source->text_offset, size - source->text_offset, diagnostics};
    const gm_encoding *encoding = choose_table(&in, mark);
    if (encoding != NULL && !is_ascii(in.bytes, in.size)) {
        recode(&in, encoding);
    } else {
        copy_text(&in);
    }
    return source;
}

/* The offset in the file of an offset in the text. A character set that is recoded has one byte a character. */
static size_t original_offset(const gm_source *source, uint32_t offset) {
    if (!source->recoded) {
        return (size_t)source->text_offset + offset;
    }
    uint32_t at = offset / GM_SOURCE_STRIDE * GM_SOURCE_STRIDE;
    size_t characters = source->characters[offset / GM_SOURCE_STRIDE];
    for (; at < offset; at++) {
        characters += ((unsigned char)source->text[at] & 0xC0) != 0x80;
    }
    return characters;
}

void gm_decode_add_original(gm_buffer *out, const gm_source *source, uint32_t start, uint32_t end) {
    size_t first = original_offset(source, start);
    gm_buffer_add(out, source->bytes + first, original_offset(source, end) - first);
}
