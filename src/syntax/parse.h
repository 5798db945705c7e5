/* From source bytes to tree: the entry of the front end.
 *
 * Takes any bytes. A broken file yields diagnostics and the tree of what could be read. The parse is a pure function of its arguments;
 * all results live in `arena`. Running out of memory leaves through the arena's error exit. */
#ifndef GM_SYNTAX_PARSE_H
#define GM_SYNTAX_PARSE_H

#include "syntax/tree.h"

/* Python version, as 3 * 100 + minor: 308 to 314. */
typedef uint16_t gm_version;
enum { GM_VERSION_OLDEST = 308, GM_VERSION_NEWEST = 314 };

typedef struct gm_parse_options {
    gm_version target;   /* accept exactly what this CPython accepts; 0: accept what any version accepts */
    uint32_t depth_limit; /* nesting of brackets and blocks; 0: the default, which no real program reaches */
} gm_parse_options;

/* A token: the text between two tokens is white space, comments and line joins ("trivia"). */
typedef struct gm_token {
    uint32_t start;
    uint32_t end;
    uint8_t kind; /* gm_token_kind, tokens.def */
    uint8_t flags;
} gm_token;

typedef struct gm_tree {
    gm_source *source;
    gm_Module *module;
    gm_names *names;
    gm_token *tokens; /* in order; together with the gaps they are the whole text */
    uint32_t token_count;
    uint32_t node_count; /* every node's number is at most this */
    bool has_lambda;
    gm_diagnostics diagnostics; /* empty exactly when the target accepts the file; in order of position */
} gm_tree;

/* Parse `size` bytes of a file. `bytes` and `path` are borrowed and must outlive the tree. */
gm_tree *gm_parse(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_parse_options *options);

/* The limit of the reader that is all that is known to be wrong with the text: correct Python may go on behind it. NULL: the tree is whole, or
 * the text has an error in front of the limit. */
const gm_diagnostic *gm_parse_limit(const gm_tree *tree);

/* The text and the lines alone, without tokens and tree. */
gm_source *gm_parse_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics);

#endif
