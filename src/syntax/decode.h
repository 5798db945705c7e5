/* From the bytes of a file to UTF-8 text: byte order mark, PEP 263 cookie, character sets. */
#ifndef GM_SYNTAX_DECODE_H
#define GM_SYNTAX_DECODE_H

#include "base/diagnostic.h"
#include "base/source.h"

/* The source of a file, without its line table. `text` is a copy, padded with NUL bytes for the lexer. What cannot be decoded is
 * reported, and what can be is still there. */
gm_source *gm_decode_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics);

/* The bytes that [start, end) of the text was decoded from, appended to nothing: a fresh copy in the arena, `*size` bytes. */
const char *gm_decode_original(gm_arena *arena, const gm_source *source, uint32_t start, uint32_t end, size_t *size);

#endif
