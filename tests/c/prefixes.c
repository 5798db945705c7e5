/* usage: prefixes STEP FILE...
 *
 * Runs the pipeline and the public functions over every STEP-th prefix of each file and the whole of it, each in a block of its exact size.
 * Succeeds by not crashing, and by finding the tokens of every prefix to be in order and in range. */
#include "read_file.h"
#include "memory.h"
#include "pipeline.h"
#include "public.h"

#include <string.h>

static bool tokens_in_order(const gm_tree *tree) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < tree->token_count; i++) {
        const gm_token *token = &tree->tokens[i];
        if (token->start < end || token->end < token->start || token->end > tree->source->length) {
            return false;
        }
        end = token->end;
    }
    return true;
}

static bool run_public(const char *path, const char *bytes, size_t size) {
    bool right = true;
    for (int i = 0; i < PUBLIC_COUNT && right; i++) {
        gm_output output;
        right = public_functions[i].run(path, bytes, size, &output) == GM_OK && output.bytes != NULL &&
                strlen(output.bytes) == output.size;
        gm_output_free(&output);
    }
    return right;
}

static bool run_prefix(const char *path, const char *bytes, size_t size) {
    char *prefix = malloc(size > 0 ? size : 1);
    if (prefix == NULL) {
        return false;
    }
    memcpy(prefix, bytes, size);
    test_memory memory = {.fail_at = LONG_MAX};
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, test_allocator(&memory), &out_of_memory);
    volatile bool right = false;
    if (setjmp(out_of_memory) == 0) {
        right = tokens_in_order(run_pipeline(&arena, path, prefix, size));
    }
    gm_arena_free(&arena);
    right = right && run_public(path, prefix, size);
    free(prefix);
    return right && memory.outstanding == 0;
}

int main(int count, char **arguments) {
    size_t step = count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : 0;
    if (step == 0) {
        fprintf(stderr, "usage: prefixes STEP FILE...\n");
        return 2;
    }
    for (int i = 2; i < count; i++) {
        size_t size = 0;
        char *bytes = read_file(arguments[i], &size);
        size_t count_run = 0;
        for (size_t length = 0; length <= size; count_run++) {
            if (!run_prefix(arguments[i], bytes, length)) {
                fprintf(stderr, "%s: prefix of %zu bytes failed\n", arguments[i], length);
                return 1;
            }
            length = length < size && size - length < step ? size : length + step;
        }
        printf("%s: %zu prefixes\n", arguments[i], count_run);
        free(bytes);
    }
    return 0;
}
