/* UTF-8, strict: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#ifndef GM_BASE_UTF8_H
#define GM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the first character of `length` > 0 bytes into `*code`. Returns its size in bytes, 0 when it is invalid. */
size_t gm_utf8_decode(const char *bytes, size_t length, uint32_t *code);

/* Encode `code` (surrogates included, as generalised UTF-8) into `bytes`, room for 4. Returns the size. */
size_t gm_utf8_encode(uint32_t code, char *bytes);

/* Offset of the first byte that is not part of valid UTF-8, or `length`. */
size_t gm_utf8_check(const char *bytes, size_t length);

/* Whether a character is a mark of direction, or ends a line beyond ASCII. */
static inline bool gm_utf8_is_mark(uint32_t code) {
    return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

#endif
