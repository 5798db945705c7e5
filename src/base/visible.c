#include "base/visible.h"

#include <string.h>

#include "base/utf8.h"

enum { LONGEST_COMMAND = 32 };

/* In an excerpt, where columns count, tabs stay: they are in the line of marks below as well. Joiners stay there too: lines of comments and
 * texts are looked at there, not names that must not be taken for one another. */
static bool is_shown(uint32_t code, unsigned how) {
    if (code == '\t' || gm_utf8_is_joiner(code)) {
        return (how & GM_VISIBLE_COLUMNS) == 0;
    }
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || gm_utf8_is_hidden(code);
}

static char hex_digit(uint32_t value) {
    return "0123456789abcdef"[value & 15];
}

/* `\n`, `\x1b`, `\u202e`, `\U000e0041`. */
static size_t escape(uint32_t code, char *shown) {
    shown[0] = '\\';
    if (code == '\n' || code == '\r' || code == '\t') {
        shown[1] = code == '\n' ? 'n' : code == '\r' ? 'r' : 't';
        return 2;
    }
    size_t digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    shown[1] = digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    for (size_t i = 0; i < digits; i++) {
        shown[2 + i] = hex_digit(code >> 4 * (digits - 1 - i));
    }
    return 2 + digits;
}

static bool is_letter(char character) {
    char lower = (char)(character | 0x20);
    return lower >= 'a' && lower <= 'z';
}

/* `##[error]`, `##vso[task]` and `##teamcity[message]`, wherever they stand, and `::error`. */
static bool is_command(const char *text, size_t left) {
    if (left < 3 || text[0] != text[1]) {
        return false;
    }
    size_t at = 2;
    while (at < left - 1 && at < LONGEST_COMMAND && is_letter(text[at])) {
        at++;
    }
    return (text[0] == '#' && text[at] == '[') || (text[0] == ':' && is_letter(text[2]));
}

size_t gm_visible_next(const char *text, size_t left, unsigned how, char shown[GM_VISIBLE_ROOM], size_t *size) {
    uint32_t code = (unsigned char)text[0];
    if ((how & GM_VISIBLE_WORKFLOW) != 0 && is_command(text, left)) {
        shown[0] = text[0];
        shown[1] = '?';
        *size = 2;
        return 2;
    }
    size_t length = code < 0x80 ? 1 : gm_utf8_decode(text, left, &code);
    if (length != 0 && !is_shown(code, how)) {
        memcpy(shown, text, length);
        *size = length;
        return length;
    }
    shown[0] = '?';
    *size = (how & GM_VISIBLE_COLUMNS) != 0 ? 1 : escape(length != 0 ? code : (unsigned char)text[0], shown);
    return length != 0 ? length : 1;
}

void gm_visible_add(gm_buffer *out, const char *text, size_t length, unsigned how) {
    char shown[GM_VISIBLE_ROOM];
    for (size_t at = 0, size = 0; at < length;) {
        at += gm_visible_next(text + at, length - at, how, shown, &size);
        gm_buffer_add(out, shown, size);
    }
}
