/* How much text a mended form comes to: early returns copy the rest of the function into their sides. */
#ifndef GM_ANALYSIS_WEIGHT_H
#define GM_ANALYSIS_WEIGHT_H

#include "analysis/analysis.h"

enum {
    GM_WEIGHT_LIMIT = 400, /* statements of one mended form */
    GM_DEPTH_LIMIT = 12,   /* early returns nested in one another's mended form */
    GM_INDENTS_LIMIT = 90,  /* of indentation: Python has a hundred, some are around the function */
};

/* Statements of a block, mended forms of its plans included. */
uint32_t gm_weight_of(const gm_analysis *analysis, const gm_list *block);

/* The rest of the function behind a statement, and how many early returns it nests. */
uint32_t gm_weight_behind(const gm_analysis *analysis, const gm_place *place, uint32_t *depth);

/* The largest depth of an early return in a block. */
uint32_t gm_weight_depth(const gm_analysis *analysis, const gm_list *block);

/* Levels of indentation of a block, mended forms of its plans included. */
uint32_t gm_weight_indents(const gm_analysis *analysis, const gm_list *block);

/* Whether a branch has more levels in its mended form, with those around it, than Python reads. */
bool gm_weight_too_deep(const gm_place *place, uint32_t indents);

#endif
