/* One source file: the bytes as read, the UTF-8 text that is parsed, and the line table.
 *
 * Offsets count bytes of `text`. Lines count from 1, columns are bytes from 0 within the line, as in CPython's ast. */
#ifndef GM_BASE_SOURCE_H
#define GM_BASE_SOURCE_H

#include "base/arena.h"

/* Files of 4 GiB and more are refused: offsets are 32 bits. */
#define GM_SOURCE_LIMIT UINT32_MAX

enum { GM_SOURCE_STRIDE = 64 };

typedef struct gm_source {
    const char *path;  /* for messages; borrowed */
    const char *bytes; /* the file as it is; borrowed */
    size_t size;
    const char *text;  /* UTF-8 without byte order mark, NUL behind it; `bytes` itself where possible */
    uint32_t length;   /* bytes of text */
    uint32_t text_offset; /* where `text` starts in `bytes` when it is a part of it (3 after a byte order mark) */
    bool recoded;      /* `text` was converted from another encoding; offsets do not apply to `bytes` */
    const uint32_t *characters; /* recoded: how many characters start in front of every GM_SOURCE_STRIDE-th byte of text */
    uint32_t *line_starts; /* line_starts[0] == 0; `\n`, `\r\n` and lone `\r` end a line */
    uint32_t line_count;
    bool has_return; /* `\r` stands in the text */
    const uint32_t *continued; /* how many bytes in front of every GM_SOURCE_STRIDE-th one continue a character; NULL: not counted yet */
} gm_source;

typedef struct gm_position {
    uint32_t line;
    uint32_t column;
} gm_position;

/* Line and column of an offset (0 <= offset <= length), by binary search. */
gm_position gm_source_position(const gm_source *source, uint32_t offset);

/* The offset behind the last character of a line (1 <= line <= line_count), in front of its line end. */
uint32_t gm_source_line_end(const gm_source *source, uint32_t line);

/* Count for `gm_source_column`, which goes over the whole line otherwise: for many questions about long lines. */
void gm_source_index_columns(gm_arena *arena, gm_source *source);

/* The column in characters, from 1, as editors count. */
uint32_t gm_source_column(const gm_source *source, gm_position position);

#endif
