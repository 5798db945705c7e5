/* Releases of torch: the code that is analysed runs on one of them, and facts, findings and mends are about that one. */
#ifndef GM_FLOW_RELEASES_H
#define GM_FLOW_RELEASES_H

typedef enum gm_release {
#define GM_RELEASE(symbol, name) symbol,
#include "flow/releases.def"
    GM_RELEASES,
} gm_release;

/* The names of the releases: "2.13". */
extern const char *const gm_release_names[GM_RELEASES];

/* All names, for a message; tests/cli/test_settings.py compares them. */
#define GM_RELEASE_NAMES "2.9, 2.10, 2.11, 2.12, 2.13, 2.14 and 2.15"

/* The release that a version belongs to ("2.15", "2.15.1", "2.15.0+cpu"), or GM_RELEASES. */
gm_release gm_release_find(const char *version);

#endif
