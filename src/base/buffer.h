/* A growing byte string in an arena, for output text. Always holds `length` bytes; not NUL-terminated until
 * `gm_buffer_text` is called. */
#ifndef GM_BASE_BUFFER_H
#define GM_BASE_BUFFER_H

#include "base/arena.h"

typedef struct gm_buffer {
    gm_arena *arena;
    char *bytes;
    size_t length;
    size_t capacity;
} gm_buffer;

void gm_buffer_init(gm_buffer *buffer, gm_arena *arena);

/* Make room for `extra` more bytes. */
void gm_buffer_reserve(gm_buffer *buffer, size_t extra);

void gm_buffer_add(gm_buffer *buffer, const char *bytes, size_t length);
void gm_buffer_add_text(gm_buffer *buffer, const char *text);
void gm_buffer_add_char(gm_buffer *buffer, char byte);
void gm_buffer_add_unsigned(gm_buffer *buffer, uint64_t value);

/* printf-style; the formatted text may have any length. */
void gm_buffer_printf(gm_buffer *buffer, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD. */
void gm_buffer_add_json(gm_buffer *buffer, const char *text, size_t length);

/* The contents with a NUL behind them; stays valid until the next addition. */
const char *gm_buffer_text(gm_buffer *buffer);

#endif
