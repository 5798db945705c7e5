/* What releases of torch break at, and under which id: versions.def tells them apart. */
#ifndef GM_RULES_VERSIONS_H
#define GM_RULES_VERSIONS_H

#include "flow/releases.h"
#include "rules/rule.h"

/* The id of the kind of break that a rule tells; "" for none. */
const char *gm_release_break(gm_release release, const gm_rule *rule);

/* Whether a release traces what breaks in the first: the dotted name of a function, or of a method behind that of its class. */
bool gm_release_traces(gm_release release, const char *name);

#endif
