/* The analysis of a unit: its text as `check` has it, with the settings of its folder, and the way from offsets to positions and back.
 *
 * It is made when first asked for, and goes when the text changes. Arenas of views use the error exit of the call that asks: gm_view_of sets it,
 * and a call that runs out of memory has to give all views up. */
#ifndef GM_SERVER_VIEW_H
#define GM_SERVER_VIEW_H

#include "driver/check.h"
#include "server/documents.h"
#include "server/positions.h"

/* A document in the text of the view. */
typedef struct gm_section {
    gm_document *document;
    uint32_t start;   /* byte range in the text, with the line end that is put behind a cell */
    uint32_t end;
    uint32_t skipped; /* bytes of the document that stand in front of `start`: a byte order mark */
} gm_section;

typedef struct gm_view {
    gm_arena arena;
    gm_arena *asking; /* of the call that asked last: what positions take counts there */
    const char *text; /* that was checked */
    size_t size;
    gm_check_options options;
    gm_checked *checked; /* NULL: the settings cannot be used, or leave the file out */
    const char *problem; /* why the settings cannot be used; or NULL */
    const char *problem_path;
    gm_section *sections; /* in order of position */
    uint32_t count;
    gm_cells *cells; /* of a notebook; else NULL */
} gm_view;

/* NULL without memory; what cannot be analysed is no failure. */
gm_view *gm_view_of(gm_arena *arena, gm_unit *unit);

void gm_view_free(gm_unit *unit);

/* Where an offset of the text is; in front of the first cell that cell's start. NULL where there is no document. */
const gm_section *gm_view_locate(const gm_view *view, gm_encoding_units units, uint32_t offset, gm_place_in *place);

/* The section of a document; NULL for cells that are not analysed. */
const gm_section *gm_view_section(const gm_view *view, const gm_document *document);

/* The offset in the text of a position of a document. */
uint32_t gm_view_offset(const gm_section *section, gm_encoding_units units, gm_place_in place);

/* Add a range as JSON, without the document that it is in. Offsets are of one section. */
void gm_view_add_range(gm_buffer *out, const gm_view *view, gm_encoding_units units, uint32_t start, uint32_t end);

#endif
