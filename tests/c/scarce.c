/* The whole command-line program with little memory.
 *
 * GM_ALLOCATIONS is how many allocations succeed; all behind them fail. At its end the program writes to the file GM_ALLOCATIONS_TOLD
 * whether one has failed, and how many blocks are allocated and not freed. */
#include <stdio.h>
#include <stdlib.h>

#include "allocations.h"

__attribute__((constructor)) static void begin(void) {
    const char *count = getenv("GM_ALLOCATIONS");
    if (count != NULL) {
        allocations_limit(strtol(count, NULL, 10));
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("GM_ALLOCATIONS_TOLD");
    FILE *stream = path == NULL ? NULL : fopen(path, "w");
    if (stream != NULL) {
        fprintf(stream, "%d %ld\n", allocations_failed(), allocations_outstanding());
        fclose(stream);
    }
}
