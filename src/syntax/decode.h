/* From the bytes of a file to UTF-8 text: byte order mark, PEP 263 cookie, character sets.
 *
 * Invalid UTF-8 is refused everywhere, as `python FILE` does; CPython's `ast.parse` lets it pass in comments. */
#ifndef GM_SYNTAX_DECODE_H
#define GM_SYNTAX_DECODE_H

#include "base/buffer.h"
#include "base/diagnostic.h"
#include "base/source.h"

/* The source of a file, without its line table. `text` is a copy, padded with NUL bytes for the lexer. What cannot be decoded is
 * reported, and what can be is still there: U+FFFD for a byte that the character set does not have, the bytes as they are where they are
 * not valid UTF-8 or in a character set that is unknown. */
gm_source *gm_decode_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics);

/* Whether a cookie says that bytes are in another character set than UTF-8, one that can be read; `*start` is then where its name begins. */
bool gm_decode_cookie(const char *bytes, size_t size, size_t *start);

/* Append the bytes of the file that [start, end) of the text was decoded from. Ranges that follow one another give bytes that follow one
 * another. */
void gm_decode_add_original(gm_buffer *out, const gm_source *source, uint32_t start, uint32_t end);

#endif
