/* The methods of a class by name: those of its own body, not of its bases. */
#ifndef GM_ANALYSIS_METHODS_H
#define GM_ANALYSIS_METHODS_H

#include "analysis/analysis.h"

/* The last def of a name in the body of a ClassDef; NULL for none. */
const gm_node *gm_method_of_class(gm_analysis *analysis, const gm_node *class_def, const gm_name *name);

/* The same without `@name.setter` and `@name.deleter`, which are not called where the name is read. */
const gm_node *gm_method_to_read(gm_analysis *analysis, const gm_node *class_def, const gm_name *name);

#endif
