#include "syntax/literal.h"

#include "base/utf8.h"
#include "syntax/unicode_names.h"

typedef struct reader {
    const char *text;
    uint32_t at;
    uint32_t end;
    uint32_t flags;
    gm_buffer *out;
    gm_literal_error error;
} reader;

static void put_code(reader *in, uint32_t code) {
    if (in->out == NULL) {
        return;
    }
    char bytes[4];
    if ((in->flags & GM_PART_BYTES) != 0) {
        gm_buffer_add_char(in->out, (char)(code & 0xFF));
    } else {
        gm_buffer_add(in->out, bytes, gm_utf8_encode(code, bytes));
    }
}

static void put_text(reader *in, uint32_t start, uint32_t end) {
    if (in->out != NULL) {
        gm_buffer_add(in->out, in->text + start, end - start);
    }
}

static void fail(reader *in, const char *message, uint32_t start, uint32_t end) {
    in->error = (gm_literal_error){message, start, end};
}

static int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    char lower = (char)(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* `\xHH`, `\uHHHH`, `\UHHHHHHHH`; `in->at` is behind the letter. */
static void read_hex(reader *in, unsigned count, const char *message) {
    uint32_t start = in->at - 2;
    uint32_t code = 0;
    for (unsigned i = 0; i < count; i++) {
        int value = in->at < in->end ? hex_value(in->text[in->at]) : -1;
        if (value < 0) {
            fail(in, message, start, in->at);
            return;
        }
        code = code << 4 | (uint32_t)value;
        in->at++;
    }
    if (code > 0x10FFFF) {
        fail(in, "illegal Unicode character in `\\U` escape", start, in->at);
        return;
    }
    put_code(in, code);
}

static void read_name(reader *in) {
    uint32_t start = in->at - 2;
    if (in->at >= in->end || in->text[in->at] != '{') {
        fail(in, "malformed `\\N` character escape", start, in->at);
        return;
    }
    uint32_t name = ++in->at;
    while (in->at < in->end && in->text[in->at] != '}') {
        in->at++;
    }
    uint32_t code = 0;
    if (in->at >= in->end || in->at == name) {
        fail(in, "malformed `\\N` character escape", start, in->at);
    } else if (!gm_unicode_name_find(in->text + name, in->at - name, &code)) {
        fail(in, "unknown Unicode character name", start, in->at + 1);
    } else {
        in->at++;
        put_code(in, code);
    }
}

static void read_octal(reader *in) {
    uint32_t code = 0;
    for (int i = 0; i < 3 && in->at < in->end && in->text[in->at] >= '0' && in->text[in->at] <= '7'; i++) {
        code = code << 3 | (uint32_t)(in->text[in->at++] - '0');
    }
    put_code(in, code);
}

/* The character that a one-letter escape stands for, 0 when the letter is none. */
static char simple_escape(char letter) {
    static const char pairs[] = "a\ab\bf\fn\nr\rt\tv\v\\\\''\"\"";
    for (size_t i = 0; i + 1 < sizeof pairs; i += 2) {
        if (pairs[i] == letter) {
            return pairs[i + 1];
        }
    }
    return 0;
}

static void skip_line_end(reader *in) {
    in->at += in->text[in->at] == '\r' && in->at + 1 < in->end && in->text[in->at + 1] == '\n' ? 2U : 1U;
}

/* An escape; `in->at` is at the backslash. */
static void read_escape(reader *in) {
    uint32_t start = in->at++;
    if (in->at >= in->end) {
        put_code(in, '\\'); /* in front of a field of an f-string */
        return;
    }
    char letter = in->text[in->at];
    bool is_text = (in->flags & GM_PART_BYTES) == 0;
    if (letter == '\n' || letter == '\r') {
        skip_line_end(in);
    } else if (letter >= '0' && letter <= '7') {
        read_octal(in);
    } else if (letter == 'x') {
        in->at++;
        read_hex(in, 2, "truncated `\\x` escape");
    } else if (is_text && letter == 'u') {
        in->at++;
        read_hex(in, 4, "truncated `\\u` escape");
    } else if (is_text && letter == 'U') {
        in->at++;
        read_hex(in, 8, "truncated `\\U` escape");
    } else if (is_text && letter == 'N') {
        in->at++;
        read_name(in);
    } else if (simple_escape(letter) != 0) {
        in->at++;
        put_code(in, (unsigned char)simple_escape(letter));
    } else {
        put_text(in, start, in->at); /* not an escape: the backslash stays */
    }
}

static bool is_brace(const reader *in) {
    char byte = in->text[in->at];
    return (in->flags & GM_PART_FORMAT) != 0 && (byte == '{' || byte == '}');
}

static void read_one(reader *in) {
    char byte = in->text[in->at];
    if (byte == '\\' && (in->flags & GM_PART_RAW) == 0) {
        read_escape(in);
    } else if (byte == '\r') {
        put_code(in, '\n');
        skip_line_end(in);
    } else {
        put_text(in, in->at, in->at + 1);
        in->at += is_brace(in) && in->at + 1 < in->end && in->text[in->at + 1] == byte ? 2U : 1U;
    }
}

static bool is_plain(char byte) {
    return byte != '\\' && byte != '\r' && byte != '{' && byte != '}';
}

gm_literal_error gm_literal_decode_part(const gm_source *source, const gm_part *part, gm_buffer *out) {
    reader in = {source->text, part->start, part->end, part->flags, out, {NULL, 0, 0}};
    while (in.at < in.end && in.error.message == NULL) {
        uint32_t start = in.at;
        while (in.at < in.end && is_plain(in.text[in.at])) {
            in.at++;
        }
        put_text(&in, start, in.at);
        if (in.at < in.end) {
            read_one(&in);
        }
    }
    return in.error;
}

void gm_literal_decode(const gm_source *source, const gm_constant *constant, gm_buffer *out) {
    for (uint32_t i = 0; i < constant->part_count; i++) {
        (void)gm_literal_decode_part(source, &constant->parts[i], out);
    }
}
