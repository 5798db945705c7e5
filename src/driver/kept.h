/* The findings of a file as data, to be kept: what a report is made of, not the report.
 *
 * The cache is this user's alone (private.h), and yet nothing in it is printed as it stands: what is read is compared with the text that it is
 * about, and written by the format as if it had just been found. So one result serves all formats. */
#ifndef GM_DRIVER_KEPT_H
#define GM_DRIVER_KEPT_H

#include "base/buffer.h"
#include "driver/check.h"

/* Append the entries of a checked file. Numbers are those of this machine. */
void gm_kept_write(gm_buffer *out, const gm_checked *checked);

/* The checked file again, as far as reports look at it: `path` and `bytes` are those that it was made of, `kept` what was written then. NULL
 * when the data cannot be about this text. */
gm_checked *gm_kept_read(gm_arena *arena, const char *path, const char *bytes, size_t size, const char *kept, size_t kept_size);

#endif
