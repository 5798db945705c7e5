/* libFuzzer entry: any bytes through the front end, and the tokens must cover them in order. */
#include <stdlib.h>

#include "syntax/parse.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        const gm_tree *tree = gm_parse(&arena, "fuzz.py", (const char *)data, size, NULL);
        uint32_t end = 0;
        for (uint32_t i = 0; i < tree->token_count; i++) {
            if (tree->tokens[i].start < end || tree->tokens[i].end > tree->source->length) {
                abort();
            }
            end = tree->tokens[i].end;
        }
    }
    gm_arena_free(&arena);
    return 0;
}
