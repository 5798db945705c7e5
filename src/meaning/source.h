/* Meanings from Python source: the other way into the IR besides types at run time, and the only one that sees what is no object at run time:
 * docstrings of attributes, `#:` comments, comments of parameters.
 *
 * Names are followed through assignments, imports and the files of the package (those that lie beside the file, or in the package that it
 * belongs to). Types are numbered so: a named one when it is reached, any other one behind its parts, and parts that are the same are one; of a
 * function what it returns comes first. Nothing is executed. What cannot be known from the text is a problem, not a guess; only a parameter whose
 * type is not known is `any`. */
#ifndef GM_MEANING_SOURCE_H
#define GM_MEANING_SOURCE_H

#include "meaning/meaning.h"

typedef struct gm_source_problem {
    const char *message; /* NULL: none; lower case, no full stop, names in backticks; in the arena or static */
    const char *path;
    uint32_t line;
} gm_source_problem;

/* The meaning of the function or class with a qualified name ("Person", "Office.hire", "make.<locals>.Person"). The work has the budget of the
 * file and of those that are read for it (base/work.h); what would take more is a problem, and `meaning` is then half made. */
gm_source_problem gm_source_meaning(gm_arena *arena, const char *path, const char *bytes, size_t size, const char *name,
                                    gm_meaning *meaning);

/* Append what the functions and classes of a file are called and what is written about them, as JSON: {"definitions": [{"name", "kind": "class" or
 * "function", "line", "doc", "members": [{"name", "note"}, ...]}, ...]}, in the order of the file. A file with syntax errors, or
 * one that would take more work than its length stands for, has none. */
void gm_source_notes(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_buffer *out);

#endif
