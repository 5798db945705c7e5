/* Text of a dialect as it is written, with the user's line of every line.
 *
 * Lines that hold copied source stand for the line that their first copied byte has in the user's file; other lines stand for the line of the
 * statement that is being written.
 *
 *     gm_writer writer;
 *     gm_writer_init(&writer, arena, tree);
 *     writer.insertions = ..., writer.insertion_count = ...;     before anything is copied; sorted as they are written
 *     writer.statement = 12;                                     the user's line of what follows
 *     gm_write_indent(&writer, 1);                               begins a line
 *     gm_write(&writer, "if _gm.on(0):");
 *     gm_write_line_end(&writer);                                ends it, and notes its line
 *     gm_write_source_at(&writer, start, end, 2);                whole lines, with an end of their own
 *     gm_buffer_text(&writer.text), writer.lines.items[i]        the text, and the user's line of its line i + 1 */
#ifndef GM_MEND_WRITER_H
#define GM_MEND_WRITER_H

#include "base/buffer.h"
#include "base/work.h"
#include "syntax/parse.h"

typedef GM_VEC(uint32_t) gm_line_map;

/* Text of our own that goes with the source wherever it is copied: in front of the byte at `offset`, or behind the one before it. */
typedef struct gm_insertion {
    uint32_t offset;
    bool behind;
    bool always; /* in bare copies, too */
    uint32_t other; /* where the text goes that belongs to it: an insertion is around all that are nearer to each other */
    const char *text; /* without line ends */
} gm_insertion;

typedef struct gm_writer {
    const gm_tree *tree;
    gm_buffer text;
    gm_line_map lines;  /* for line i + 1 of the text */
    uint32_t line;      /* of the line being written; 0: no source on it so far */
    uint32_t statement; /* line of the statement being written */
    const gm_insertion *insertions; /* in the order in which they are written */
    uint32_t insertion_count;
    uint32_t bare; /* above zero: source is copied without insertions, but for some */
} gm_writer;

void gm_writer_init(gm_writer *writer, gm_arena *arena, const gm_tree *tree);

/* Text without line ends. */
void gm_write(gm_writer *writer, const char *text);

/* End the line, if anything is on it. */
void gm_write_line_end(gm_writer *writer);

/* Begin a line at a level of indentation, four columns each. */
void gm_write_indent(gm_writer *writer, uint32_t depth);

/* Copy bytes start to end of the source. */
void gm_write_source(gm_writer *writer, uint32_t start, uint32_t end);

/* Copy whole logical lines to another level of indentation; `start` is where the first one begins. Strings and what is inside brackets
 * keep their bytes. */
void gm_write_source_at(gm_writer *writer, uint32_t start, uint32_t end, uint32_t depth);

#endif
