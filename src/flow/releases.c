#include "flow/releases.h"

#include <string.h>

const char *const gm_release_names[GM_RELEASES] = {
#define GM_RELEASE(symbol, name) name,
#include "flow/releases.def"
};

/* The numbers behind the second dot do not matter. */
gm_release gm_release_find(const char *version) {
    for (int release = 0; release < GM_RELEASES; release++) {
        size_t length = strlen(gm_release_names[release]);
        char end = strncmp(version, gm_release_names[release], length) == 0 ? version[length] : 'x';
        if (end == '\0' || end == '.' || end == '+') {
            return (gm_release)release;
        }
    }
    return GM_RELEASES;
}
