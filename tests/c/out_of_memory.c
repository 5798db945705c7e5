/* usage: out_of_memory [--singly] FILE...
 *
 * Runs the pipeline over each file with an allocator whose n-th request fails, for n = 0, 1, 2, ... until it
 * succeeds. Every failure must come back as an error with all memory returned. Prints the number of requests. With --singly the arena
 * asks for every allocation instead of for large pieces. */
#include <string.h>

#include "read_file.h"
#include "memory.h"
#include "pipeline.h"

static bool survives(const char *path, const char *bytes, size_t size, test_memory *memory) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, test_allocator(memory), &out_of_memory);
    if (memory->chunk_size != NULL) {
        arena.chunk_size = 1;
        memory->chunk_size = &arena.chunk_size;
    }
    volatile bool complete = false;
    if (setjmp(out_of_memory) == 0) {
        run_pipeline(&arena, path, bytes, size);
        complete = true;
    }
    gm_arena_free(&arena);
    return complete;
}

int main(int count, char **paths) {
    size_t singly = 1;
    bool asked = count > 1 && strcmp(paths[1], "--singly") == 0;
    for (int i = asked ? 2 : 1; i < count; i++) {
        size_t size = 0;
        char *bytes = read_file(paths[i], &size);
        long failures = 0;
        for (bool complete = false; !complete; failures++) {
            test_memory memory = {.fail_at = failures, .chunk_size = asked ? &singly : NULL};
            complete = survives(paths[i], bytes, size, &memory);
            if (memory.outstanding != 0 || (complete && memory.requests > memory.fail_at)) {
                fprintf(stderr, "%s: request %ld: %ld blocks leaked\n", paths[i], failures, memory.outstanding);
                return 1;
            }
        }
        printf("%s: %ld failures survived\n", paths[i], failures - 1);
        free(bytes);
    }
    return 0;
}
