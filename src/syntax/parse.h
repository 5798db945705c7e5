/* From source bytes to tree: the entry of the front end.
 *
 * Takes any bytes. A broken file yields diagnostics and the tree of what could be read. The parse is a pure function of its arguments;
 * all results live in `arena`. Running out of memory leaves through the arena's error exit. */
#ifndef GM_SYNTAX_PARSE_H
#define GM_SYNTAX_PARSE_H

#include "syntax/tokens.h"
#include "syntax/tree.h"

typedef struct gm_parse_options {
    gm_version target;   /* accept exactly what this CPython accepts; 0: accept what any version accepts */
    uint32_t depth_limit; /* nesting of brackets and blocks; 0: the default, which no real program reaches */
} gm_parse_options;

/* Parse `size` bytes of a file. `bytes` and `path` are borrowed and must outlive the tree. */
gm_tree *gm_parse(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_parse_options *options);

/* The limit of the reader that is all that is known to be wrong with the text: correct Python may go on behind it. NULL: the tree is whole, or
 * the text has an error in front of the limit. */
const gm_diagnostic *gm_parse_limit(const gm_tree *tree);

/* The text and the lines alone, without tokens and tree. */
gm_source *gm_parse_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics);

#endif
