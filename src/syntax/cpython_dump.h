/* The tree in the words of CPython: what `ast.dump(ast.parse(source), include_attributes=True)` prints. */
#ifndef GM_SYNTAX_CPYTHON_DUMP_H
#define GM_SYNTAX_CPYTHON_DUMP_H

#include "base/buffer.h"
#include "syntax/parse.h"

typedef struct gm_dump_options {
    gm_version version;           /* whose form: 309 to 314 */
    bool without_format_positions; /* leave out the positions inside f-strings, which CPython before 3.12 gets wrong */
} gm_dump_options;

/* Append the dump in one line, without a line end. Returns false, with the buffer as it was, when the tree is nested too deeply
 * to be printed (CPython then raises RecursionError). */
bool gm_dump_cpython(gm_arena *arena, const gm_tree *tree, const gm_dump_options *options, gm_buffer *out);

/* Append the tree for people: a line a node, indented, with its range. Deep trees are cut with `...`. */
void gm_dump_readable(gm_arena *arena, const gm_tree *tree, gm_buffer *out);

#endif
