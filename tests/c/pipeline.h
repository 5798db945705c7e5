/* All stages of the compiler over one file, as a user of the core would run them. */
#ifndef GM_TESTS_PIPELINE_H
#define GM_TESTS_PIPELINE_H

#include "syntax/parse.h"

static inline gm_tree *run_pipeline(gm_arena *arena, const char *path, const char *bytes, size_t size) {
    return gm_parse(arena, path, bytes, size, NULL);
}

#endif
