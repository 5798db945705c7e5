/* Words of others, such as file names, settings and source, on their way to a person or a log: what would move a cursor, end a line, turn
 * the direction of writing, not be seen at all or be a command to the machine that reads the log is shown instead of done. */
#ifndef GM_BASE_VISIBLE_H
#define GM_BASE_VISIBLE_H

#include "base/buffer.h"

enum {
    GM_VISIBLE_COLUMNS = 1, /* one `?` for a character, where columns count; without it, `\x1b` and `\u202e` */
    GM_VISIBLE_WORKFLOW = 2 /* a machine obeys the log: `##[error]`, `##vso[task]` and `::error` are broken as well */
};

enum { GM_VISIBLE_ROOM = 12 };

/* Show what stands at the start of `left` > 0 bytes. Returns how many bytes that are; `*size` of `shown` are to be written. */
size_t gm_visible_next(const char *text, size_t left, unsigned how, char shown[GM_VISIBLE_ROOM], size_t *size);

void gm_visible_add(gm_buffer *out, const char *text, size_t length, unsigned how);

#endif
