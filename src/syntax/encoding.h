/* Character sets of PEP 263 cookies: CPython's names for them and, for those of one byte a character, their tables. */
#ifndef GM_SYNTAX_ENCODING_H
#define GM_SYNTAX_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gm_encoding_kind {
    GM_ENCODING_UTF8,
    GM_ENCODING_TABLE,      /* ASCII, and a table for the bytes from 128 on */
    GM_ENCODING_REFUSED,    /* not even CPython reads source in it: the line with the cookie is no text */
    GM_ENCODING_UNSUPPORTED /* CPython can, graphmend cannot: several bytes a character, or not a superset of ASCII */
} gm_encoding_kind;

typedef struct gm_encoding {
    const char *name; /* CPython's */
    uint8_t kind;     /* gm_encoding_kind */
    const char *upper; /* GM_ENCODING_TABLE: bytes 128 to 255, three digits of six bits each, from '0' on */
} gm_encoding;

typedef struct gm_encoding_alias {
    const char *name;  /* lower case, words joined by `_`; the table is sorted by it */
    uint16_t encoding; /* index in gm_encodings */
    bool dots;         /* whether `.` may stand for `_`: in the registry's aliases, not in the names of its modules */
} gm_encoding_alias;

/* Written by tools/make_encodings.py. */
extern const gm_encoding gm_encodings[];
extern const gm_encoding_alias gm_encoding_aliases[];
extern const uint32_t gm_encoding_alias_count;

/* The encoding that CPython's registry has under a name, NULL when it has none for text. */
const gm_encoding *gm_encoding_find(const char *name, size_t length);

/* What a byte from 128 on stands for; GM_ENCODING_UNDEFINED for none. */
enum { GM_ENCODING_UNDEFINED = 0x3FFFF };
uint32_t gm_encoding_character(const gm_encoding *encoding, unsigned char byte);

#endif
