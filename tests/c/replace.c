/* usage: replace FILE [NEW]
 *
 * Reads FILE, then writes NEW over it behind the back of the reader (without NEW: leaves it), then replaces it by "after\n". Prints what
 * gm_file_replace says, or "replaced". */
#include <string.h>

#include "driver/files.h"
#include "memory.h"
#include "read_file.h"

static void overwrite(const char *path, const char *text) {
    FILE *stream = fopen(path, "wb");
    if (stream == NULL || fputs(text, stream) == EOF || fclose(stream) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(2);
    }
}

static const char *replace(gm_arena *arena, int count, char **arguments) {
    gm_file file;
    const char *problem = gm_file_read(arena, arguments[1], &file);
    if (problem != NULL) {
        return problem;
    }
    if (count > 2) {
        overwrite(arguments[1], arguments[2]);
    }
    return gm_file_replace(arena, &file, "after\n", 6, NULL);
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: replace FILE [NEW]\n");
        return 2;
    }
    jmp_buf out_of_memory;
    gm_arena arena;
    test_memory memory = {.fail_at = LONG_MAX};
    gm_arena_init(&arena, test_allocator(&memory), &out_of_memory);
    volatile int status = 2;
    if (setjmp(out_of_memory) == 0) {
        const char *problem = replace(&arena, count, arguments);
        printf("%s\n", problem != NULL ? problem : "replaced");
        status = problem != NULL;
    }
    gm_arena_free(&arena);
    return status;
}
