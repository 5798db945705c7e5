/* What a file tells of calls between files, for links.h: text, because it is kept with the results of a run. */
#ifndef GM_DRIVER_CALLS_H
#define GM_DRIVER_CALLS_H

#include "driver/checked.h"

/* Lines, in this order; NULL without one:
 *
 *     NAME CALLS   reached code calls NAME of another file, spelled as gm_flow_qualified does it; "@NAME CALLS" as a decorator
 *     =NAME        a table of functions, a function, "CLASS.METHOD" or, for its `__init__`, "CLASS" of this file: callers in other files make a difference
 *     -NAME        the same where they make none: it is reached, and there is nothing to report in it
 *     <CLASS BASE  a base of a class by its name in this file
 *     >NAME OTHER  an import: NAME stands for OTHER */
const char *gm_calls_text(gm_arena *arena, const gm_checked *checked);

/* Whether a text that was kept has this shape. */
bool gm_calls_valid(const char *text);

#endif
