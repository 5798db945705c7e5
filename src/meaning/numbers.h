/* Numbers as text: exact, of any size, without the C library's locale. */
#ifndef GM_MEANING_NUMBERS_H
#define GM_MEANING_NUMBERS_H

#include "meaning/meaning.h"

/* A number of JSON taken apart: 0.DIGITS times 10 to the EXPONENT, digits without zeros at either end; zero has no digits. */
typedef struct gm_number {
    bool negative;
    const char *digits;
    uint32_t count;
    int64_t exponent;
} gm_number;

/* Whether the whole text is a number as JSON writes it. */
bool gm_number_is_json(gm_text text);

/* Take a number of JSON apart; digits live in the arena. */
gm_number gm_number_of(gm_arena *arena, gm_text text);

/* Less than, equal to or greater than zero, as `a` is to `b`. */
int gm_number_compare(const gm_number *a, const gm_number *b);

/* Append the number as an integer; false (and nothing appended) when it is none, or has more than 4,300 digits. */
bool gm_number_add_integer(const gm_number *number, gm_buffer *out);

/* Whether a double can hold it: not so large that it would be infinite. */
bool gm_number_is_finite(const gm_number *number);

/* What a number looked like that is not written as JSON writes it. */
typedef struct gm_written_number {
    gm_text text;    /* as JSON writes it; or NaN, Infinity, -Infinity */
    bool is_special; /* the latter */
    bool thousands;
    bool currency;
    bool unit;
    bool odd; /* anything else */
} gm_written_number;

/* Read `$1,200.50`, `12 kg`, `+3`, `.5`, `1_000`, `NaN`. False for what could be read in two ways: `5%`, `1.2M`, `3 million`, `1,5`, `007`. */
bool gm_number_read(gm_arena *arena, gm_text text, gm_written_number *number);

#endif
