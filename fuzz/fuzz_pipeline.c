/* libFuzzer entry: any bytes through the public functions. Good seeds are files with findings: `build/fuzz/fuzz_pipeline CORPUS tests/data/check`. */
#include "graphmend.h"
#include "must_succeed.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    const char *bytes = (const char *)data;
    gm_output output;
    must_succeed(gm_check_source("fuzz.py", bytes, size, &output), &output);
    must_succeed(gm_fix_source("fuzz.py", bytes, size, GM_FIX_ASSUMED | GM_FIX_DROP_OUTPUT, &output), &output);
    must_succeed(gm_mend_source("fuzz.py", bytes, size, &output), &output);
    return 0;
}
