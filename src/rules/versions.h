/* Releases of torch that rules know: those after the first are told apart from it by versions.def. Facts about operators are those of the first. */
#ifndef GM_RULES_VERSIONS_H
#define GM_RULES_VERSIONS_H

#include "rules/rule.h"

typedef enum gm_release {
    GM_RELEASE_2_13, /* what `graphmend run` knows */
    GM_RELEASE_2_15,
    GM_RELEASES,
} gm_release;

/* The names of the releases: "2.13". */
extern const char *const gm_release_names[GM_RELEASES];

/* The release that a version belongs to ("2.15", "2.15.1", "2.15.0+cpu"), or GM_RELEASES. */
gm_release gm_release_find(const char *version);

/* The id of the kind of break that a rule tells; "" for none. */
const char *gm_release_break(gm_release release, const gm_rule *rule);

/* Whether a release traces what breaks in the first: the dotted name of a function, or of a method behind that of its class. */
bool gm_release_traces(gm_release release, const char *name);

#endif
