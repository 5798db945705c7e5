/* What a call stands for, by the evidence of the file: weaker than gm_reach_callee, which is certain. */
#ifndef GM_ANALYSIS_CALLEES_H
#define GM_ANALYSIS_CALLEES_H

#include "analysis/analysis.h"

/* At most one of the two is set. */
typedef struct gm_callee {
    const gm_node *definition; /* a def of this file; of a class that is called, its `__init__` */
    const gm_name *outside;    /* the dotted name of what another file holds, as gm_flow_qualified spells it: a function, a class, or
                                  a method of a class */
} gm_callee;

/* What a call calls: functions and classes by name, methods by `self`, `cls`, `super()`, the name of a class or an attribute that
 * holds an instance of a class of the file; looked for in the bases as well. */
gm_callee gm_callee_of(gm_analysis *analysis, gm_function *function, const gm_node *call);

/* Whether a base of a class, or of its bases in the file, comes from another file of the program: it may be a module there. */
bool gm_callee_has_outer_base(gm_analysis *analysis, const gm_node *class_def);

/* What a decorator of a def calls when it is applied. */
gm_callee gm_callee_of_decorator(gm_analysis *analysis, const gm_node *decorator);

/* The table that a subscript or the receiver of a method call names: "LOSSES" of another file for `LOSSES[name]` and `LOSSES.get(name)`. */
gm_callee gm_callee_of_table(gm_analysis *analysis, const gm_node *node);

/* The functions in a table of the module, by the node that names it: the values of a dict, the items of a list or tuple. */
void gm_callees_in_table(gm_analysis *analysis, const gm_node *name, void (*each)(gm_callee callee, void *context), void *context);

/* What a name of the module stands for: "f", "C" for the `__init__` of a class, "C.m", the functions of a table. Calls `each` for every def (a
 * name may be bound in several branches) and for every import. */
void gm_callees_of_name(gm_analysis *analysis, const char *name, size_t length, void (*each)(gm_callee callee, void *context),
                        void *context);

#endif
