#ifndef GRAPHMEND_FUZZ_MUST_SUCCEED_H
#define GRAPHMEND_FUZZ_MUST_SUCCEED_H

#include <stdlib.h>

#include "graphmend.h"

/* Aborts unless a public function that takes any bytes has succeeded and its output ends in a NUL; frees the output. */
static inline void must_succeed(gm_status status, gm_output *output) {
    if (status != GM_OK || output->bytes == NULL || output->bytes[output->size] != '\0') {
        abort();
    }
    gm_output_free(output);
}

#endif
