#include "driver/json_text.h"

#include <string.h>

#include "base/utf8.h"

enum { DEPTH_LIMIT = 200 };

gm_json_text gm_json_text_of(const char *bytes, size_t size) {
    return (gm_json_text){bytes, bytes, bytes + size, 0};
}

char gm_json_text_peek(gm_json_text *json) {
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\n' || *json->at == '\r' || *json->at == '\t')) {
        json->at++;
    }
    return json->at < json->end ? *json->at : '\0';
}

bool gm_json_text_take(gm_json_text *json, char wanted) {
    bool there = gm_json_text_peek(json) == wanted && json->at < json->end;
    json->at += there;
    return there;
}

/* ---- Strings ---- */

static bool read_unit(gm_json_text *json, uint32_t *unit) {
    *unit = 0;
    if (json->end - json->at < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        char digit = *json->at++;
        uint32_t value = digit >= '0' && digit <= '9'   ? (uint32_t)(digit - '0')
                         : digit >= 'a' && digit <= 'f' ? (uint32_t)(digit - 'a' + 10)
                         : digit >= 'A' && digit <= 'F' ? (uint32_t)(digit - 'A' + 10)
                                                        : 16;
        if (value == 16) {
            return false;
        }
        *unit = *unit << 4 | value;
    }
    return true;
}

static void add_code(gm_buffer *out, uint32_t code) {
    char bytes[4];
    if (out != NULL) {
        gm_buffer_add(out, bytes, gm_utf8_encode(code, bytes));
    }
}

/* Behind `\u`: one character, of two escapes when they are a pair. */
static bool read_code(gm_json_text *json, gm_buffer *out) {
    uint32_t unit = 0;
    if (!read_unit(json, &unit)) {
        return false;
    }
    if (unit >= 0xD800 && unit < 0xDC00 && json->end - json->at >= 6 && json->at[0] == '\\' && json->at[1] == 'u') {
        gm_json_text ahead = *json;
        uint32_t low = 0;
        ahead.at += 2;
        if (read_unit(&ahead, &low) && low >= 0xDC00 && low < 0xE000) {
            *json = ahead;
            unit = 0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00));
        }
    }
    add_code(out, unit);
    return true;
}

static bool read_escape(gm_json_text *json, gm_buffer *out) {
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    char letter = json->at < json->end ? *json->at++ : '\0';
    const char *found = letter == '\0' ? NULL : strchr(from, letter);
    if (found != NULL) {
        add_code(out, (uint32_t)(unsigned char)to[found - from]);
        return true;
    }
    return letter == 'u' && read_code(json, out);
}

bool gm_json_text_string(gm_json_text *json, gm_buffer *out) {
    if (!gm_json_text_take(json, '"')) {
        return false;
    }
    while (json->at < json->end && *json->at != '"') {
        char next = *json->at++;
        if (next == '\\') {
            if (!read_escape(json, out)) {
                return false;
            }
        } else if (out != NULL) {
            gm_buffer_add_char(out, next);
        }
    }
    return json->at < json->end && *json->at++ == '"';
}

static void write_unit(gm_buffer *out, uint32_t unit) {
    gm_buffer_printf(out, "\\u%04x", (unsigned)unit);
}

static void write_character(gm_buffer *out, const char *bytes, size_t size, uint32_t code, bool ascii) {
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char *found = code == 0 ? NULL : code < 0x80 ? strchr(from, (char)code) : NULL;
    if (found != NULL) {
        gm_buffer_add_char(out, '\\');
        gm_buffer_add_char(out, to[found - from]);
    } else if (code < 0x20 || (ascii && code >= 0x7F && code < 0x10000)) {
        write_unit(out, code);
    } else if (ascii && code >= 0x10000) {
        write_unit(out, 0xD800 + ((code - 0x10000) >> 10));
        write_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
    } else {
        gm_buffer_add(out, bytes, size);
    }
}

void gm_json_text_write(gm_buffer *out, const char *text, size_t length, bool ascii) {
    gm_buffer_add_char(out, '"');
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = gm_utf8_decode(text + at, length - at, &code);
        if (size == 0) { /* not UTF-8: the bytes as they are */
            gm_buffer_add_char(out, text[at++]);
            continue;
        }
        write_character(out, text + at, size, code, ascii);
        at += size;
    }
    gm_buffer_add_char(out, '"');
}

/* ---- Values ---- */

static bool skip_scalar(gm_json_text *json) {
    const char *start = json->at;
    while (json->at < json->end && strchr(",]} \t\r\n:[{\"", *json->at) == NULL) {
        json->at++;
    }
    return json->at > start;
}

static bool skip_member(gm_json_text *json, const char *key, void *context) {
    (void)key;
    (void)context;
    return gm_json_text_skip(json);
}

static bool skip_item(gm_json_text *json, void *context) {
    (void)context;
    return gm_json_text_skip(json);
}

bool gm_json_text_skip(gm_json_text *json) {
    char first = gm_json_text_peek(json);
    if (first == '"') {
        return gm_json_text_string(json, NULL);
    }
    return first == '{'   ? gm_json_text_object(json, NULL, skip_member, NULL)
           : first == '[' ? gm_json_text_list(json, skip_item, NULL)
                          : skip_scalar(json);
}

static bool read_member(gm_json_text *json, gm_arena *arena, bool (*member)(gm_json_text *json, const char *key, void *context),
                        void *context) {
    gm_buffer key;
    if (arena != NULL) {
        gm_buffer_init(&key, arena);
    }
    return gm_json_text_string(json, arena != NULL ? &key : NULL) && gm_json_text_take(json, ':') &&
           member(json, arena != NULL ? gm_buffer_text(&key) : NULL, context);
}

bool gm_json_text_object(gm_json_text *json, gm_arena *arena, bool (*member)(gm_json_text *json, const char *key, void *context),
                         void *context) {
    if (!gm_json_text_take(json, '{') || ++json->depth > DEPTH_LIMIT) {
        return false;
    }
    bool more = gm_json_text_peek(json) != '}';
    while (more) {
        if (!read_member(json, arena, member, context)) {
            return false;
        }
        more = gm_json_text_take(json, ',');
    }
    json->depth--;
    return gm_json_text_take(json, '}');
}

bool gm_json_text_list(gm_json_text *json, bool (*item)(gm_json_text *json, void *context), void *context) {
    if (!gm_json_text_take(json, '[') || ++json->depth > DEPTH_LIMIT) {
        return false;
    }
    bool more = gm_json_text_peek(json) != ']';
    while (more) {
        if (!item(json, context)) {
            return false;
        }
        more = gm_json_text_take(json, ',');
    }
    json->depth--;
    return gm_json_text_take(json, ']');
}
