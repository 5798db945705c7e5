/* One file in the source dialect: read, mended as often as there is something to mend, and looked at again before anybody writes it. */
#ifndef GM_DRIVER_FIX_H
#define GM_DRIVER_FIX_H

#include "driver/check.h"
#include "mend/fix.h"

/* A finding that is mended, by its place in the file as it was read. */
typedef struct gm_fixed_site {
    const gm_rule *rule;
    uint32_t cell;          /* of a notebook, from 1; 0 in other files */
    uint32_t line;          /* in the text that it was mended in: the file's own unless another mend came first */
    uint32_t column;        /* in characters, from 1 */
    const char *message;
    const char *assumption; /* what the mend rests on; NULL when it is proved */
} gm_fixed_site;

typedef struct gm_fixed {
    gm_checked *before;
    gm_checked *after; /* the fixed file; what is left there says why */
    bool changed;
    const char *bytes; /* of the file in the source dialect */
    size_t size;
    GM_VEC(gm_fixed_site) sites;
    const char *problem; /* why a file with mends is left alone, lower case, no full stop; or NULL */
} gm_fixed;

/* The fixed file; `bytes` and `path` are borrowed for the life of the arena. Comments that silence a finding keep its code as it is.
 * `report` says which findings are in `before` and `after`, and by its codes also which are mended. */
gm_fixed *gm_fix_bytes(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_fix_options *options,
                       const gm_check_options *report);

/* The same for text that is Python, whatever its name, with the cells of a notebook in it, or NULL: their ranges in the result are those of
 * `after->cells`. */
gm_fixed *gm_fix_python(gm_arena *arena, const char *path, const char *text, size_t size, const gm_cells *cells,
                        const gm_fix_options *options, const gm_check_options *report);

#endif
