/* URIs of documents, and the files that they name. */
#ifndef GM_SERVER_URI_H
#define GM_SERVER_URI_H

#include "base/buffer.h"

/* The path of a `file:` URI, absolute and without `.` and `..`, in the arena; NULL for other URIs, for other hosts, and for what is no path. */
const char *gm_uri_path(gm_arena *arena, const char *uri);

/* Whether a path is a folder, or below it. Both are absolute and without `..`. */
bool gm_path_is_below(const char *path, const char *folder);

#endif
