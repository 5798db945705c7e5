#include "rules/versions.h"

#include <string.h>

static const struct {
    const char *code;
    const char *id;
} breaks[] = {
#define GM_VERSION_BREAK(code, id) {code, id},
#define GM_VERSION_OTHER(code, release, id)
#define GM_VERSION_TRACED(name, release)
#include "rules/versions.def"
};

static const struct {
    const char *code;
    gm_release release;
    const char *id;
} others[] = {
#define GM_VERSION_BREAK(code, id)
#define GM_VERSION_OTHER(code, release, id) {code, release, id},
#define GM_VERSION_TRACED(name, release)
#include "rules/versions.def"
};

static const struct {
    const char *name;
    gm_release release;
} traced[] = {
#define GM_VERSION_BREAK(code, id)
#define GM_VERSION_OTHER(code, release, id)
#define GM_VERSION_TRACED(name, release) {name, release},
#include "rules/versions.def"
};

const char *gm_release_break(gm_release release, const gm_rule *rule) {
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].release == release && strcmp(others[i].code, rule->code) == 0) {
            return others[i].id;
        }
    }
    for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
        if (strcmp(breaks[i].code, rule->code) == 0) {
            return breaks[i].id;
        }
    }
    return rule->break_id;
}

bool gm_release_traces(gm_release release, const char *name) {
    for (size_t i = 0; i < sizeof traced / sizeof traced[0]; i++) {
        if (release >= traced[i].release && strcmp(traced[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}
