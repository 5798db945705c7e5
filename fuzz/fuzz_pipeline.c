/* libFuzzer entry: any bytes through the public functions. Good seeds are files with findings: `build/fuzz/fuzz_pipeline CORPUS tests/data/check`. */
#include <stdlib.h>

#include "graphmend.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void must_succeed(gm_status status, gm_output *output) {
    if (status != GM_OK || output->bytes == NULL || output->bytes[output->size] != '\0') {
        abort();
    }
    gm_output_free(output);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    const char *bytes = (const char *)data;
    gm_output output;
    must_succeed(gm_check_source("fuzz.py", bytes, size, &output), &output);
    must_succeed(gm_fix_source("fuzz.py", bytes, size, GM_FIX_ASSUMED | GM_FIX_DROP_OUTPUT, &output), &output);
    must_succeed(gm_mend_source("fuzz.py", bytes, size, &output), &output);
    return 0;
}
