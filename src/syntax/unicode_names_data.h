/* Tables behind unicode_names.h, written by tools/make_unicode_names.py. */
#ifndef GM_SYNTAX_UNICODE_NAMES_DATA_H
#define GM_SYNTAX_UNICODE_NAMES_DATA_H

#include <stdint.h>

enum {
    GM_UNICODE_NAME_DIGITS = 10,  /* six bits each, from '0' on: 39 bits of hash, 21 bits of character */
    GM_UNICODE_NAMES_PER_LINE = 8 /* entries in each string of gm_unicode_names */
};

typedef struct gm_unicode_printable {
    uint32_t first;
    uint32_t last;
    uint16_t since; /* CPython version as gm_version, 0 for all */
} gm_unicode_printable;

extern const uint32_t gm_unicode_name_count;
extern const char *const gm_unicode_names[];
extern const uint32_t gm_unicode_printable_count;
extern const gm_unicode_printable gm_unicode_printables[];

#endif
