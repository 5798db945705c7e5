#include <stdlib.h>

#include "graphmend.h"

const char *gm_version_text(void) {
    return GM_VERSION_TEXT;
}

void gm_output_free(gm_output *output) {
    if (output != NULL) {
        free(output->bytes);
        *output = (gm_output){NULL, 0};
    }
}
