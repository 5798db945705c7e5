/* Unicode properties that Python names need. */
#ifndef GM_SYNTAX_UNICODE_H
#define GM_SYNTAX_UNICODE_H

#include <stdbool.h>

#include "base/buffer.h"

/* XID_Start and `_`; XID_Continue. As `str.isidentifier` of the newest supported Python. */
bool gm_unicode_is_start(uint32_t code);
bool gm_unicode_is_continue(uint32_t code);

/* Append the NFKC form of `length` bytes of valid UTF-8. */
void gm_unicode_normalize(gm_buffer *out, const char *text, size_t length);

#endif
