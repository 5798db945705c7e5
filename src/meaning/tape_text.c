/* The text of a string node: as JSON, repaired, and as characters. */
#include <string.h>

#include "base/utf8.h"
#include "meaning/tape.h"

uint32_t gm_tape_escape_length(const char *at) {
    if (at[1] == 'u') {
        return gm_tape_is_hex(at[2]) && gm_tape_is_hex(at[3]) && gm_tape_is_hex(at[4]) && gm_tape_is_hex(at[5]) ? 6 : 0;
    }
    return at[1] != '\0' && strchr("\"\\/bfnrt", at[1]) != NULL ? 2 : 0;
}

/* The code of `count` hexadecimal digits, or UINT32_MAX. */
static uint32_t hex_value(const char *digits, unsigned count) {
    uint32_t code = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!gm_tape_is_hex(digits[i])) {
            return UINT32_MAX;
        }
        uint32_t digit = gm_utf8_is_digit(digits[i]) ? (uint32_t)(digits[i] - '0') : (uint32_t)((digits[i] | 0x20) - 'a' + 10);
        code = code << 4 | digit;
    }
    return code;
}

/* A backslash that starts no escape of JSON: Python's `\'` and `\xHH`, or a backslash that was meant. Returns its length. */
static uint32_t add_odd_escape(const char *at, uint32_t left, gm_buffer *out) {
    if (left >= 2 && (at[1] == '\'' || at[1] == '`')) {
        gm_buffer_add_char(out, at[1]);
        return 2;
    }
    uint32_t code = left >= 4 && at[1] == 'x' ? hex_value(at + 2, 2) : UINT32_MAX;
    if (code != UINT32_MAX) {
        gm_buffer_printf(out, "\\u%04x", code);
        return 4;
    }
    gm_buffer_add_text(out, "\\\\");
    return 1;
}

static void add_repaired(const char *at, uint32_t length, bool raw, gm_buffer *out) {
    for (uint32_t i = 0; i < length;) {
        unsigned char c = (unsigned char)at[i];
        if (c == '\\' && !raw) {
            uint32_t size = gm_tape_escape_length(at + i);
            if (size > 0 && size <= length - i) {
                gm_buffer_add(out, at + i, size);
            } else {
                size = add_odd_escape(at + i, length - i, out);
            }
            i += size;
            continue;
        }
        if (c == '"' || c == '\\') {
            gm_buffer_add_char(out, '\\');
            gm_buffer_add_char(out, (char)c);
        } else if (c < 0x20) {
            gm_buffer_printf(out, "\\u%04x", c);
        } else {
            gm_buffer_add_char(out, (char)c);
        }
        i++;
    }
}

static bool is_hex_until(const char *at, uint32_t length) {
    uint32_t count = 0;
    while (count < length && gm_tape_is_hex(at[count])) {
        count++;
    }
    return count == length;
}

/* Whether the text ends inside of the escape that starts it: more of it may make another character. */
static bool is_cut(const char *at, uint32_t left) {
    uint32_t whole = left < 2 ? 0 : at[1] == 'u' ? 6 : at[1] == 'x' ? 4 : 0;
    return left < 2 || (left < whole && is_hex_until(at + 2, left - 2));
}

static bool is_high_surrogate(const char *at, uint32_t size) {
    uint32_t code = size == 6 ? hex_value(at + 2, 4) : 0;
    return code >= 0xD800 && code <= 0xDBFF;
}

/* The length without the character that is cut at the end. */
static uint32_t without_half(const char *at, uint32_t length) {
    for (uint32_t size = 1; size < 4 && size <= length; size++) {
        unsigned char first = (unsigned char)at[length - size];
        if (first >= 0xC0) {
            return size < (first >= 0xF0 ? 4U : first >= 0xE0 ? 3U : 2U) ? length - size : length;
        }
        if (first < 0x80) {
            return length;
        }
    }
    return length;
}

/* The length of a text that goes on, without an escape at its end that is not whole, and without half of a character. */
static uint32_t whole_length(const char *at, uint32_t length) {
    for (uint32_t i = 0; i < length;) {
        if (at[i] != '\\') {
            i++;
            continue;
        }
        uint32_t size = is_cut(at + i, length - i) ? 0 : gm_tape_escape_length(at + i);
        uint32_t behind = i + size;
        bool half = is_high_surrogate(at + i, size) && (behind == length || (at[behind] == '\\' && is_cut(at + behind, length - behind)));
        if (half || (size == 0 && is_cut(at + i, length - i))) {
            return i;
        }
        i += size > 0 ? size : 1;
    }
    return without_half(at, length);
}

void gm_tape_add_json(const gm_tape *tape, const gm_tape_node *node, gm_buffer *out) {
    const char *at = tape->text + node->start;
    uint32_t length = node->end - node->start;
    bool open = (node->flags & GM_TAPE_OPEN) != 0;
    bool raw = node->kind == GM_TAPE_WORD || (node->flags & GM_TAPE_RAW) != 0;
    if (node->kind == GM_TAPE_STRING && (node->flags & GM_TAPE_REPAIRED) == 0 && !open) {
        gm_buffer_add(out, at, length);
    } else {
        add_repaired(at, open && !raw ? whole_length(at, length) : length, raw, out);
    }
}

static uint32_t low_surrogate(const char *at, const char *end) {
    if (end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        uint32_t code = hex_value(at + 2, 4);
        if (code >= 0xDC00 && code <= 0xDFFF) {
            return code;
        }
    }
    return 0;
}

/* The character of a valid escape; returns the length of the escape. */
static uint32_t decode_escape(const char *at, const char *end, uint32_t *code) {
    if (at[1] != 'u') {
        static const char pairs[] = "b\bf\fn\nr\rt\t";
        const char *pair = strchr(pairs, at[1]);
        *code = (unsigned char)(pair != NULL && (pair - pairs) % 2 == 0 ? pair[1] : at[1]);
        return 2;
    }
    *code = hex_value(at + 2, 4);
    uint32_t low = *code >= 0xD800 && *code <= 0xDBFF ? low_surrogate(at + 6, end) : 0;
    if (low != 0) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        return 12;
    }
    return 6;
}

void gm_tape_add_text(const gm_tape *tape, const gm_tape_node *node, gm_buffer *out) {
    if ((node->flags & (GM_TAPE_ESCAPES | GM_TAPE_REPAIRED | GM_TAPE_OPEN)) == 0) {
        gm_buffer_add(out, tape->text + node->start, node->end - node->start);
        return;
    }
    gm_buffer content;
    gm_buffer_init(&content, out->arena);
    gm_tape_add_json(tape, node, &content);
    gm_buffer_reserve(&content, GM_TAPE_PADDING);
    const char *at = content.bytes;
    const char *end = at + content.length;
    while (at < end) {
        if (*at != '\\') {
            gm_buffer_add_char(out, *at++);
            continue;
        }
        uint32_t code = 0;
        char bytes[4];
        at += decode_escape(at, end, &code);
        gm_buffer_add(out, bytes, gm_utf8_encode(code, bytes));
    }
}
