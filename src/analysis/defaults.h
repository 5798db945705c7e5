/* What flags are where nobody says otherwise: `verbose=False`, and the attribute that keeps it. */
#ifndef GM_ANALYSIS_DEFAULTS_H
#define GM_ANALYSIS_DEFAULTS_H

#include "analysis/analysis.h"

typedef enum gm_flag { GM_FLAG_UNKNOWN, GM_FLAG_OFF, GM_FLAG_ON } gm_flag;

/* The default of a parameter, NULL for none. `index`: its place among those by position; UINT32_MAX: it goes by name alone. */
const gm_node *gm_default_of(const gm_node *definition, const gm_name *name, uint32_t *index);

/* `False` and `None` are off, `True` is on; all else, and NULL, is unknown. */
gm_flag gm_flag_of_constant(const gm_node *value);

/* Whether `self.NAME` is off where nobody says otherwise, and decides about messages alone: a flag by which a class computes something is how it
 * is used. The class sets it in one place, to a constant or to a parameter of `__init__` that is off by its default, or by what the calls of the
 * class in the file give it. False where the file gives the name True anywhere: `C(NAME=True)`, `c.NAME = True`. */
bool gm_is_off_by_default(gm_analysis *analysis, const gm_node *class_def, const gm_name *name);

#endif
