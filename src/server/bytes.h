/* Bytes on the heap that live longer than one message: what has been read, what waits to be written, the text of a document.
 *
 * All zero is empty. The functions return false without memory, and the bytes are as they were. */
#ifndef GM_SERVER_BYTES_H
#define GM_SERVER_BYTES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gm_bytes {
    char *bytes;
    size_t size;
    size_t room;
} gm_bytes;

bool gm_bytes_add(gm_bytes *held, const char *bytes, size_t size);

/* Put `size` bytes in place of those from `start` to `end`. */
bool gm_bytes_replace(gm_bytes *held, size_t start, size_t end, const char *bytes, size_t size);

/* Forget the first bytes. */
void gm_bytes_drop(gm_bytes *held, size_t count);

/* Give the memory back; nothing is left then. */
void gm_bytes_free(gm_bytes *held);

/* A copy with NUL behind it, for `free`; NULL without memory. */
char *gm_bytes_copy(const char *bytes, size_t size);

#endif
