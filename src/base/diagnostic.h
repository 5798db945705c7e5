/* What is wrong with the user's code: collected in order, never printed here. */
#ifndef GM_BASE_DIAGNOSTIC_H
#define GM_BASE_DIAGNOSTIC_H

#include <stdbool.h>

#include "base/vec.h"

typedef struct gm_diagnostic {
    uint32_t start; /* byte offsets into the text */
    uint32_t end;
    const char *message; /* lower case, no full stop, names in backticks; lives in the arena or is static */
    bool limit; /* of what is read: nothing behind it was looked at, and the text may be right */
} gm_diagnostic;

typedef GM_VEC(gm_diagnostic) gm_diagnostics;

/* So many of one text are collected, by each of lexer and parser, and told: nobody reads more, and each takes room and time. */
enum { GM_DIAGNOSTICS_LIMIT = 1000 };

#endif
