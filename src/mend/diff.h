/* Unified diffs, as `patch -p1` and `git apply` read them. */
#ifndef GM_MEND_DIFF_H
#define GM_MEND_DIFF_H

#include <stdbool.h>

#include "base/buffer.h"

/* Append the way from `old` to `new` for the file at `path`, three lines of context; nothing when they are equal. Lines end with `\n`, and
 * their bytes are copied as they are. An absolute path loses its first slash: the patch applies in the root folder.
 *
 * The shortest way takes time by the square of the changes, and has the budget of both texts (base/work.h). False: it was used up, and the
 * patch, as right as the other, replaces all lines between the first and the last change. */
bool gm_diff_unified(gm_buffer *out, const char *path, const char *old, size_t old_size, const char *new, size_t new_size);

#endif
