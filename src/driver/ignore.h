/* The part of .gitignore that matters when files are looked for: `*`, `?`, `[...]`, `**`, a leading and a trailing slash, `!`.
 *
 * Lists are chained from a folder to the folders around it. Everything lives in the arena. */
#ifndef GM_DRIVER_IGNORE_H
#define GM_DRIVER_IGNORE_H

#include "base/arena.h"

typedef struct gm_ignore gm_ignore;

/* The list of one folder (`folder` ends with a slash, or is empty for the current one) from the text of its .gitignore. */
gm_ignore *gm_ignore_parse(gm_arena *arena, const gm_ignore *outer, const char *folder, const char *text, size_t length);

/* Whether the last rule that matches `path`, which lies below the folders of all lists, leaves it out. Time is patterns times paths, and
 * both are somebody's: it is taken from `*steps`. When none are left, the answer is no. */
bool gm_ignore_matches(const gm_ignore *list, const char *path, bool is_folder, uint64_t *steps);

/* The same for a file with all folders around it: whether one of them is left out, as far as a bounded number of steps tells.
 * `list` may be NULL. */
bool gm_ignore_covers(const gm_ignore *list, const char *path);

#endif
