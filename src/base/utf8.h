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

/* Whether a character is not seen where it stands, or ends a line beyond ASCII: marks of direction, spaces without width, fillers, joiners,
 * tags. Those that choose the form of the character in front of them (U+FE00 to U+FE0F) are left: emoji have them. */
bool gm_utf8_is_hidden(uint32_t code);

/* Whether a hidden character joins its neighbours, as in emoji and in Persian. */
static inline bool gm_utf8_is_joiner(uint32_t code) {
    return code == 0x200C || code == 0x200D;
}

/* Whether a byte is an ASCII digit. */
static inline bool gm_utf8_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

#endif
