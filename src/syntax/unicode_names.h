/* Character names, as `\N{...}` in a string literal understands them. */
#ifndef GM_SYNTAX_UNICODE_NAMES_H
#define GM_SYNTAX_UNICODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character with this name or alias, letters in either case. Returns false when there is none. */
bool gm_unicode_name_find(const char *name, size_t length, uint32_t *code);

/* Whether `repr` of a str shows the character itself; `version` as gm_version (309 = CPython 3.9). */
bool gm_unicode_is_printable(uint32_t code, uint16_t version);

#endif
