/* Calls that take a value from outside of the program: random generators, the clock, the file system, text that is parsed. */
#ifndef GM_ANALYSIS_OUTSIDE_CALLS_H
#define GM_ANALYSIS_OUTSIDE_CALLS_H

#include "analysis/analysis.h"

typedef enum gm_outside_form {
    GM_OUTSIDE_NONE,
    GM_OUTSIDE_VALUE,     /* the call gives the value */
    GM_OUTSIDE_CLOCK,     /* the same, and it may be another one later */
    GM_OUTSIDE_PART,      /* an attribute or method of the result does */
    GM_OUTSIDE_STATEMENT, /* the call sets something */
    GM_OUTSIDE_OBJECT,    /* it gives an object that no graph can hold */
    GM_OUTSIDE_METHOD,    /* by the name of the method alone: it may be anything */
} gm_outside_form;

/* How a Call of a function takes a value from outside. */
gm_outside_form gm_outside_form_of(gm_function *function, const gm_node *call);

/* What is asked of the result of a call with the form GM_OUTSIDE_PART: "year" or "hexdigest()", in the arena. */
const char *gm_outside_part(gm_analysis *analysis, const gm_node *call);

/* Whether a dotted name is that of a function that reads the clock. */
bool gm_outside_is_clock(const char *name);

#endif
