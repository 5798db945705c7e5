/* What literals mean: the text, bytes or number that a constant stands for. */
#ifndef GM_SYNTAX_LITERAL_H
#define GM_SYNTAX_LITERAL_H

#include "base/buffer.h"
#include "syntax/tree.h"

/* Why a part cannot be decoded; `message` is NULL when it can. Offsets are those of the source text. */
typedef struct gm_literal_error {
    const char *message; /* static */
    uint32_t start;
    uint32_t end;
} gm_literal_error;

/* Append the decoded text of one str or bytes part: UTF-8 (with lone surrogates as three bytes) for text, the bytes themselves for bytes.
 * Stops at the first bad escape and reports it. `out` may be NULL to check only. */
gm_literal_error gm_literal_decode_part(const gm_source *source, const gm_part *part, gm_buffer *out);

/* Append the decoded value of a str or bytes constant; bad escapes end their part. */
void gm_literal_decode(const gm_source *source, const gm_constant *constant, gm_buffer *out);

/* Append `repr` of a constant as CPython of this version writes it (the version decides what is printable). */
void gm_literal_repr(gm_arena *arena, const gm_source *source, const gm_constant *constant, gm_buffer *out, uint16_t version);

/* Append `repr` of a str: `text` is UTF-8, with lone surrogates as three bytes. */
void gm_literal_repr_text(const char *text, size_t length, gm_buffer *out, uint16_t version);

/* Append the decimal digits of an int literal as written (any base, underscores). */
void gm_literal_int_decimal(gm_arena *arena, const char *digits, size_t length, gm_buffer *out);

/* Append `repr` of the double that a float literal as written denotes; `bare` leaves out the `.0` of whole numbers, as the
 * imaginary part of a complex number does. */
void gm_literal_float_repr(gm_arena *arena, const char *digits, size_t length, bool bare, gm_buffer *out);

#endif
