/* Edits: what changes in a file, as ranges that are replaced all at once.
 *
 * New text is put together from ASCII of ours and pieces of the source, so that pieces keep the bytes that they have in the file, whatever
 * its character set. Everything lives in the arena that is handed in. */
#ifndef GM_MEND_EDITS_H
#define GM_MEND_EDITS_H

#include "base/buffer.h"
#include "base/source.h"
#include "base/vec.h"

/* A piece of new text: ASCII when `ascii` is set, otherwise the bytes of the source from `start` to `end`. */
typedef struct gm_edit_piece {
    const char *ascii;
    uint32_t start;
    uint32_t end;
} gm_edit_piece;

typedef struct gm_edit_text {
    GM_VEC(gm_edit_piece) pieces;
} gm_edit_text;

/* Bytes from `start` to `end` of the text become `text`; an insertion has `start == end`. */
typedef struct gm_edit {
    uint32_t start;
    uint32_t end;
    gm_edit_text text;
} gm_edit;

typedef struct gm_edits {
    GM_VEC(gm_edit) items; /* in order of position, none overlapping another */
} gm_edits;

/* Append to a text; `ascii` is borrowed. */
void gm_edit_add(gm_arena *arena, gm_edit_text *text, const char *ascii);
void gm_edit_add_source(gm_arena *arena, gm_edit_text *text, uint32_t start, uint32_t end);

/* The number of bytes that a text has in UTF-8. */
uint32_t gm_edit_length(const gm_edit_text *text);

/* Whether a range touches the range of an edit that is there already. */
bool gm_edits_touch(const gm_edits *edits, uint32_t start, uint32_t end);

/* Add a replacement, at its place in the order. False when it overlaps one that is there: then nothing is added. */
bool gm_edits_add(gm_arena *arena, gm_edits *edits, gm_edit edit);

/* Append a text as UTF-8, whatever the character set of the file. */
void gm_edit_write(const gm_edit_text *text, const gm_source *source, gm_buffer *out);

/* The bytes of the file with all edits carried out. */
void gm_edits_apply(const gm_edits *edits, const gm_source *source, gm_buffer *out);

/* Whether the order of the edits is what the comment above promises, within `length` bytes. */
bool gm_edits_verify(const gm_edits *edits, uint32_t length);

/* Put the edits of another list between these, but for those that overlap one or insert where one inserts. */
void gm_edits_merge(gm_arena *arena, gm_edits *edits, const gm_edits *others);

#endif
