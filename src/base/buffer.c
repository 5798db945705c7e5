#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void gm_buffer_init(gm_buffer *buffer, gm_arena *arena) {
    *buffer = (gm_buffer){.arena = arena};
}

void gm_buffer_reserve(gm_buffer *buffer, size_t extra) {
    if (extra <= buffer->capacity - buffer->length) {
        return;
    }
    if (extra > SIZE_MAX / 4 - buffer->length) {
        gm_arena_fail(buffer->arena);
    }
    size_t wanted = buffer->length + extra;
    size_t capacity = buffer->capacity < 128 ? 256 : buffer->capacity * 2;
    capacity = capacity < wanted ? wanted : capacity;
    buffer->bytes = gm_arena_grow(buffer->arena, buffer->bytes, buffer->capacity, capacity);
    buffer->capacity = capacity;
}

void gm_buffer_add(gm_buffer *buffer, const char *bytes, size_t length) {
    gm_buffer_reserve(buffer, length);
    if (length > 0) {
        memcpy(buffer->bytes + buffer->length, bytes, length);
        buffer->length += length;
    }
}

void gm_buffer_add_text(gm_buffer *buffer, const char *text) {
    gm_buffer_add(buffer, text, strlen(text));
}

void gm_buffer_add_char(gm_buffer *buffer, char byte) {
    gm_buffer_reserve(buffer, 1);
    buffer->bytes[buffer->length++] = byte;
}

void gm_buffer_add_unsigned(gm_buffer *buffer, uint64_t value) {
    char digits[20];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    gm_buffer_add(buffer, digits + sizeof digits - count, count);
}

void gm_buffer_printf(gm_buffer *buffer, const char *format, ...) {
    gm_buffer_reserve(buffer, 64); /* enough for most */
    for (;;) {
        size_t room = buffer->capacity - buffer->length;
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(buffer->bytes + buffer->length, room, format, arguments);
        va_end(arguments);
        if (length < 0 || (size_t)length < room) {
            buffer->length += length < 0 ? 0 : (size_t)length;
            return;
        }
        gm_buffer_reserve(buffer, (size_t)length + 1);
    }
}

static void add_escape(gm_buffer *buffer, unsigned char byte) {
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (byte == '"' || byte == '\\') {
        const char pair[2] = {'\\', (char)byte};
        gm_buffer_add(buffer, pair, 2);
    } else if (byte < sizeof letters && letters[byte] != 0) {
        const char pair[2] = {'\\', letters[byte]};
        gm_buffer_add(buffer, pair, 2);
    } else {
        const char unit[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
        gm_buffer_add(buffer, unit, 6);
    }
}

/* The units of UTF-16: two beyond U+FFFF. */
static void add_unit_escapes(gm_buffer *buffer, uint32_t code) {
    if (code >= 0x10000) {
        gm_buffer_printf(buffer, "\\u%04x", (unsigned)(0xD7C0 + (code >> 10)));
        code = 0xDC00 + (code & 0x3FF);
    }
    gm_buffer_printf(buffer, "\\u%04x", (unsigned)code);
}

void gm_buffer_add_json(gm_buffer *buffer, const char *text, size_t length) {
    gm_buffer_add_char(buffer, '"');
    size_t at = 0;
    while (at < length) {
        unsigned char byte = (unsigned char)text[at];
        if (byte < 0x80) {
            if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f) {
                add_escape(buffer, byte);
            } else {
                gm_buffer_add_char(buffer, (char)byte);
            }
            at++;
            continue;
        }
        uint32_t code = 0;
        size_t size = gm_utf8_decode(text + at, length - at, &code);
        if (size == 0) {
            gm_buffer_add_text(buffer, "\xef\xbf\xbd");
            at++;
        } else if (gm_utf8_is_hidden(code) || code < 0xA0) {
            add_unit_escapes(buffer, code);
            at += size;
        } else {
            gm_buffer_add(buffer, text + at, size);
            at += size;
        }
    }
    gm_buffer_add_char(buffer, '"');
}

const char *gm_buffer_text(gm_buffer *buffer) {
    gm_buffer_reserve(buffer, 1);
    buffer->bytes[buffer->length] = '\0';
    return buffer->bytes;
}
