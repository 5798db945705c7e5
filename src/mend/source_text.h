/* The layout of the file: indentation, line ends, comments, the name of torch. New text follows what is there. */
#ifndef GM_MEND_SOURCE_TEXT_H
#define GM_MEND_SOURCE_TEXT_H

#include "mend/source_forms.h"

/* White space in front of a statement that is the first on its line; NULL when something else is in front of it. */
const char *gm_text_indent(const gm_fixer *fixer, const gm_node *statement);

/* One level of indentation more, as the function around writes it. */
const char *gm_text_unit(const gm_fixer *fixer, const gm_function *function);

/* What has to stand between the byte before `offset` and a name: a space behind a keyword, as in `if(x).any():`, else nothing. */
const char *gm_text_gap(const gm_fixer *fixer, uint32_t offset);

/* The line end of the line that holds `offset`: "\n", "\r\n" or "\r". */
const char *gm_text_line_end(const gm_fixer *fixer, uint32_t offset);

/* The longest line that new text should have: as long as the file's own, within reason. */
uint32_t gm_text_width(const gm_fixer *fixer);

/* Add the comments of a range to a text, each on a line of its own behind `indent`, those excepted that stand inside one of the pieces of
 * `kept`. */
void gm_text_add_comments(const gm_fixer *fixer, gm_edit_text *text, uint32_t start, uint32_t end, const gm_edit_text *kept,
                          const char *indent);

/* Append a copy of all pieces of a text. */
void gm_text_append(gm_arena *arena, gm_edit_text *text, const gm_edit_text *more);

/* Whether a range holds a line end. */
bool gm_text_has_lines(const gm_fixer *fixer, uint32_t start, uint32_t end);

/* How the function can name torch: "torch", or an alias that the file imports. `import torch` is added to the file where it is
 * missing. NULL when another thing is called so. */
const char *gm_text_torch(gm_fixer *fixer, const gm_function *function);

#endif
