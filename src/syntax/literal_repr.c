#include <string.h>

#include "base/utf8.h"
#include "syntax/literal.h"
#include "syntax/unicode_names.h"

static const char hex_digits[] = "0123456789abcdef";

static void put_hex(gm_buffer *out, char letter, uint32_t code, int count) {
    gm_buffer_add_char(out, '\\');
    gm_buffer_add_char(out, letter);
    for (int shift = 4 * (count - 1); shift >= 0; shift -= 4) {
        gm_buffer_add_char(out, hex_digits[code >> shift & 15]);
    }
}

/* Single quotes unless only they occur in the text. */
static char choose_quote(const char *text, size_t length) {
    bool has_single = length > 0 && memchr(text, '\'', length) != NULL;
    bool has_double = length > 0 && memchr(text, '"', length) != NULL;
    return has_single && !has_double ? '"' : '\'';
}

/* Characters below 128, for str and bytes alike. */
static void put_ascii(gm_buffer *out, unsigned char byte, char quote) {
    static const char escapes[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    if (byte == '\\' || byte == (unsigned char)quote) {
        gm_buffer_add_char(out, '\\');
        gm_buffer_add_char(out, (char)byte);
    } else if (byte < sizeof escapes && escapes[byte] != 0) {
        gm_buffer_add_char(out, '\\');
        gm_buffer_add_char(out, escapes[byte]);
    } else if (byte < 0x20 || byte == 0x7F) {
        put_hex(out, 'x', byte, 2);
    } else {
        gm_buffer_add_char(out, (char)byte);
    }
}

/* Three bytes of a surrogate, which strict UTF-8 has no place for. */
static bool is_surrogate(const char *text, size_t length) {
    return length >= 3 && (unsigned char)text[0] == 0xED && ((unsigned char)text[1] & 0xE0) == 0xA0;
}

static void put_escaped(gm_buffer *out, uint32_t code) {
    if (code < 0x100) {
        put_hex(out, 'x', code, 2);
    } else if (code < 0x10000) {
        put_hex(out, 'u', code, 4);
    } else {
        put_hex(out, 'U', code, 8);
    }
}

void gm_literal_repr_text(const char *text, size_t length, gm_buffer *out, uint16_t version) {
    char quote = choose_quote(text, length);
    gm_buffer_add_char(out, quote);
    for (size_t at = 0; at < length;) {
        unsigned char byte = (unsigned char)text[at];
        uint32_t code = 0;
        size_t size = 1;
        if (byte < 0x80) {
            put_ascii(out, byte, quote);
        } else if (is_surrogate(text + at, length - at)) {
            size = 3;
            put_escaped(out, 0xD000U | (uint32_t)((unsigned char)text[at + 1] & 0x3F) << 6 | ((unsigned char)text[at + 2] & 0x3F));
        } else if ((size = gm_utf8_decode(text + at, length - at, &code)) == 0) {
            size = 1;
            put_escaped(out, byte);
        } else if (gm_unicode_is_printable(code, version)) {
            gm_buffer_add(out, text + at, size);
        } else {
            put_escaped(out, code);
        }
        at += size;
    }
    gm_buffer_add_char(out, quote);
}

static void repr_bytes(const char *bytes, size_t length, gm_buffer *out) {
    char quote = choose_quote(bytes, length);
    gm_buffer_add_char(out, 'b');
    gm_buffer_add_char(out, quote);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte < 0x80) {
            put_ascii(out, byte, quote);
        } else {
            put_hex(out, 'x', byte, 2);
        }
    }
    gm_buffer_add_char(out, quote);
}

static void repr_string(gm_arena *arena, const gm_source *source, const gm_constant *constant, gm_buffer *out, uint16_t version) {
    gm_buffer value;
    gm_buffer_init(&value, arena);
    gm_literal_decode(source, constant, &value);
    if (constant->literal == GM_LITERAL_bytes) {
        repr_bytes(value.bytes, value.length, out);
    } else {
        gm_literal_repr_text(value.bytes, value.length, out, version);
    }
}

static void repr_number(gm_arena *arena, const gm_source *source, const gm_constant *constant, gm_buffer *out) {
    const char *digits = source->text + constant->parts[0].start;
    size_t length = constant->parts[0].end - constant->parts[0].start;
    if (constant->literal == GM_LITERAL_int) {
        gm_literal_int_decimal(arena, digits, length, out);
    } else if (constant->literal == GM_LITERAL_float) {
        gm_literal_float_repr(arena, digits, length, false, out);
    } else {
        gm_literal_float_repr(arena, digits, length - 1, true, out);
        gm_buffer_add_char(out, 'j');
    }
}

void gm_literal_repr(gm_arena *arena, const gm_source *source, const gm_constant *constant, gm_buffer *out, uint16_t version) {
    static const char *const singletons[] = {
        [GM_LITERAL_None] = "None",
        [GM_LITERAL_True] = "True",
        [GM_LITERAL_False] = "False",
        [GM_LITERAL_Ellipsis] = "Ellipsis",
    };
    if (constant->literal <= GM_LITERAL_Ellipsis) {
        gm_buffer_add_text(out, singletons[constant->literal]);
    } else if (constant->literal >= GM_LITERAL_str) {
        repr_string(arena, source, constant, out, version);
    } else {
        repr_number(arena, source, constant, out);
    }
}
