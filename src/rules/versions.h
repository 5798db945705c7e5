/* Releases of torch that rules know: those after the first are told apart from it by versions.def. Facts about operators are those of the first. */
#ifndef GM_RULES_VERSIONS_H
#define GM_RULES_VERSIONS_H

#include "rules/rule.h"

typedef enum gm_release {
#define GM_VERSION(symbol, name) symbol,
#define GM_VERSION_BREAK(code, id)
#define GM_VERSION_OTHER(code, release, id)
#define GM_VERSION_TRACED(name, release)
#include "rules/versions.def"
    GM_RELEASES,
} gm_release;

/* The names of the releases: "2.13". */
extern const char *const gm_release_names[GM_RELEASES];

/* All names, for a message; tests/cli/test_settings.py compares them. */
#define GM_RELEASE_NAMES "2.9, 2.12, 2.13, 2.14 and 2.15"

/* The release that a version belongs to ("2.15", "2.15.1", "2.15.0+cpu"), or GM_RELEASES. */
gm_release gm_release_find(const char *version);

/* The id of the kind of break that a rule tells; "" for none. */
const char *gm_release_break(gm_release release, const gm_rule *rule);

/* Whether a release traces what breaks in the first: the dotted name of a function, or of a method behind that of its class. */
bool gm_release_traces(gm_release release, const char *name);

#endif
