/* What a finding is known by when lines move: the function around it and the text of its statement. */
#ifndef GM_DRIVER_CONTENT_H
#define GM_DRIVER_CONTENT_H

#include "driver/check.h"

typedef struct gm_content {
    const char *function; /* its `__qualname__`; "<module>" outside of functions and classes */
    const char *text;     /* the statement without comments, one space where there was any; of a statement with a body its head */
} gm_content;

/* The content of a finding, in the arena. Of a comment that silences nothing it is the comment. */
gm_content gm_content_of(gm_arena *arena, const gm_checked *checked, const gm_entry *entry);

/* A text without what formatters change, in the arena: white space, parentheses, commas, quotes and line joins. */
const char *gm_content_key(gm_arena *arena, const char *text);

#endif
