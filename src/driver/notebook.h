/* Jupyter notebooks: the code cells as one Python text, and the way back into the JSON.
 *
 * The text is two blank lines and then the cells, each with a line end behind it. Lines that are no Python (`%time`, `!ls`, `name?`, cells of
 * another language) are read as if a name or a comment stood there; in what is written they are as they were. Everything lives in the arena. */
#ifndef GM_DRIVER_NOTEBOOK_H
#define GM_DRIVER_NOTEBOOK_H

#include "base/vec.h"
#include "mend/edits.h"

typedef struct gm_cell {
    uint32_t number; /* among all cells of the notebook, from 1 */
    uint32_t start;  /* byte range in the text, with the line end that is put behind */
    uint32_t end;
    size_t raw_start; /* byte range of the source in the notebook: a JSON list or string */
    size_t raw_end;
} gm_cell;

typedef struct gm_cells {
    GM_VEC(gm_cell) items; /* code cells with something in them */
} gm_cells;

typedef struct gm_notebook {
    const char *text; /* UTF-8 */
    size_t size;
    gm_cells cells;
    GM_VEC(uint32_t) lines; /* by line of the text: the line of the notebook that it stands on */
} gm_notebook;

/* Whether a path is that of a notebook. */
bool gm_notebook_is(const char *path);

/* The cells of a notebook; none when its language is not Python. NULL, with `*problem` set, when it is no notebook. */
gm_notebook *gm_notebook_read(gm_arena *arena, const char *bytes, size_t size, const char **problem);

/* A copy of the text with NUL behind it, as Python alone would have it: of the same length. */
char *gm_notebook_mask(gm_arena *arena, const gm_cells *cells, const char *text, size_t size);

/* The notebook with the cells of another text: `cells` has the ranges in that text, one for each cell of `notebook`. Sources that are the
 * same keep their bytes, of the others every line that is the same. NULL, with `*problem` set, when it does not read back as that. */
const char *gm_notebook_write(gm_arena *arena, const gm_notebook *notebook, const char *bytes, size_t size, const gm_cells *cells,
                              const char *text, size_t *written, const char **problem);

/* The cell that an offset of the text lies in, by binary search; NULL in front of the first. */
const gm_cell *gm_cells_at(const gm_cells *cells, uint32_t offset);

/* The ranges of the cells in the text that edits give; NULL when an edit reaches from one cell into another. */
gm_cells *gm_cells_shift(gm_arena *arena, const gm_cells *cells, const gm_edits *edits);

#endif
