/* usage: edits OLD NEW [START END TEXT]... [-- [START END TEXT]...]
 *
 * Adds the edits in their order to a list for the text in the file OLD, and those behind the dashes to another one. Prints a line for each, "added" or
 * "refused"; then "text" and the edited text in hex, first of the two lists merged and then of the first one alone; and "same" or "other" for the tree of
 * the file NEW beside the tree of OLD. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "mend/same_tree.h"
#include "read_file.h"

static gm_edit edit_of(gm_arena *arena, char **arguments) {
    gm_edit edit = {.start = (uint32_t)strtoul(arguments[0], NULL, 10), .end = (uint32_t)strtoul(arguments[1], NULL, 10)};
    if (arguments[2][0] != '\0') {
        gm_edit_add(arena, &edit.text, arguments[2]);
    }
    return edit;
}

static void print_edited(gm_arena *arena, const gm_edits *edits, const gm_source *source) {
    gm_buffer text;
    gm_buffer_init(&text, arena);
    if (gm_edits_verify(edits, source->length)) {
        gm_edits_apply(edits, source, &text);
    }
    printf("text ");
    for (size_t i = 0; i < text.length; i++) {
        printf("%02x", (unsigned char)text.bytes[i]);
    }
    printf("\n");
}

static int run(gm_arena *arena, int count, char **arguments) {
    size_t old_size = 0;
    size_t new_size = 0;
    char *old_bytes = read_file(arguments[1], &old_size);
    char *new_bytes = read_file(arguments[2], &new_size);
    const gm_tree *before = gm_parse(arena, "old", old_bytes, old_size, NULL);
    const gm_tree *after = gm_parse(arena, "new", new_bytes, new_size, NULL);
    gm_edits lists[2] = {0};
    int list = 0;
    for (int i = 3; i < count; i += 3) {
        if (strcmp(arguments[i], "--") == 0) {
            list = 1;
            i -= 2;
        } else if (i + 2 < count) {
            puts(gm_edits_add(arena, &lists[list], edit_of(arena, arguments + i)) ? "added" : "refused");
        }
    }
    gm_edits merged = lists[0];
    gm_edits_merge(arena, &merged, &lists[1]);
    print_edited(arena, &merged, before->source);
    print_edited(arena, &lists[0], before->source);
    puts(gm_same_tree(arena, before, after, &lists[0]) ? "same" : "other");
    free(old_bytes);
    free(new_bytes);
    return 0;
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) != 0) {
        return 2;
    }
    int status = run(&arena, count, arguments);
    gm_arena_free(&arena);
    return status;
}
