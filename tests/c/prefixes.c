/* usage: prefixes [--all] STEP FILE...
 *
 * Runs the parser over every STEP-th prefix of each file and the whole of it, each in a block of its exact size; with --all
 * the functions of the public header as well. Succeeds by not crashing, and by finding the tokens of every prefix to be in order and in range. */
#include "read_file.h"
#include "memory.h"
#include "public.h"
#include "syntax/parse.h"

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
        right = public_functions[i].run(path, bytes, size, &output) == GM_OK && output.bytes != NULL && strlen(output.bytes) == output.size;
        gm_output_free(&output);
    }
    return right;
}

static bool run_prefix(const char *path, const char *bytes, size_t size, bool all) {
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
        right = tokens_in_order(gm_parse(&arena, path, prefix, size, NULL));
    }
    gm_arena_free(&arena);
    right = right && (!all || run_public(path, prefix, size));
    free(prefix);
    return right && memory.outstanding == 0;
}

/* Every prefix of one file; returns how many, or 0 after saying which one failed. */
static size_t run_file(const char *path, size_t step, bool all) {
    size_t size = 0;
    size_t count = 0;
    char *bytes = read_file(path, &size);
    for (size_t length = 0; length <= size; count++) {
        if (!run_prefix(path, bytes, length, all)) {
            fprintf(stderr, "%s: prefix of %zu bytes failed\n", path, length);
            count = 0;
            break;
        }
        length = length < size && size - length < step ? size : length + step;
    }
    free(bytes);
    return count;
}

int main(int count, char **arguments) {
    bool all = count > 1 && strcmp(arguments[1], "--all") == 0;
    int at = all ? 2 : 1;
    size_t step = count > at ? (size_t)strtoul(arguments[at], NULL, 10) : 0;
    if (step == 0) {
        fprintf(stderr, "usage: prefixes [--all] STEP FILE...\n");
        return 2;
    }
    for (int i = at + 1; i < count; i++) {
        size_t prefixes = run_file(arguments[i], step, all);
        if (prefixes == 0) {
            return 1;
        }
        printf("%s: %zu prefixes\n", arguments[i], prefixes);
    }
    return 0;
}
