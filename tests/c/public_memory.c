/* usage: public_memory FILE...
 *
 * Calls the public functions on each file while the n-th call of malloc fails, for n = 0, 1, 2, ... until they succeed. Each failure must be
 * GM_OUT_OF_MEMORY with nothing in the output, and each call has to give back all memory but its output. */
#include <stdbool.h>
#include <string.h>

#include "allocations.h"
#include "public.h"
#include "read_file.h"

/* Returns the number of failures before the call succeeded, or -1. */
static long survive(public_function run, const char *path, const char *bytes, size_t size) {
    for (long failures = 0;; failures++) {
        long before = allocations_outstanding();
        gm_output output = {NULL, 1};
        allocations_limit(failures);
        gm_status status = run(path, bytes, size, &output);
        allocations_limit(-1);
        bool empty = output.bytes == NULL && output.size == 0;
        bool whole = output.bytes != NULL && strlen(output.bytes) == output.size;
        gm_output_free(&output);
        if (allocations_outstanding() != before) {
            return -1;
        }
        if (status == GM_OK) {
            return whole ? failures : -1;
        }
        if (status != GM_OUT_OF_MEMORY || !empty) {
            return -1;
        }
    }
}

int main(int count, char **paths) {
    for (int i = 1; i < count; i++) {
        size_t size = 0;
        char *bytes = read_file(paths[i], &size);
        for (int k = 0; k < PUBLIC_COUNT; k++) {
            long failures = survive(public_functions[k].run, paths[i], bytes, size);
            if (failures < 0) {
                fprintf(stderr, "%s: %s does not survive\n", paths[i], public_functions[k].name);
                return 1;
            }
            printf("%s: %s: %ld failures survived\n", paths[i], public_functions[k].name, failures);
        }
        free(bytes);
    }
    return 0;
}
