/* usage: edits OLD NEW [START END TEXT]...
 *
 * Adds the edits in their order to a list for the text in the file OLD. Prints a line for each, "added" or "refused"; then "merged N" for the list with
 * itself; "text" and the edited text in hex; and "same" or "other" for the tree of the file NEW beside the tree of OLD. */
#include <setjmp.h>
#include <stdio.h>

#include "mend/same_tree.h"
#include "read_file.h"

static gm_edit edit_of(gm_arena *arena, char **arguments) {
    gm_edit edit = {.start = (uint32_t)strtoul(arguments[0], NULL, 10), .end = (uint32_t)strtoul(arguments[1], NULL, 10)};
    if (arguments[2][0] != '\0') {
        gm_edit_add(arena, &edit.text, arguments[2]);
    }
    return edit;
}

static void print_hex(const gm_buffer *text) {
    printf("text ");
    for (size_t i = 0; i < text->length; i++) {
        printf("%02x", (unsigned char)text->bytes[i]);
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
    gm_edits edits = {0};
    for (int i = 3; i + 2 < count; i += 3) {
        puts(gm_edits_add(arena, &edits, edit_of(arena, arguments + i)) ? "added" : "refused");
    }
    gm_edits merged = edits;
    gm_edits_merge(arena, &merged, &edits);
    printf("merged %u\n", merged.items.count);
    gm_buffer text;
    gm_buffer_init(&text, arena);
    if (gm_edits_verify(&edits, before->source->length)) {
        gm_edits_apply(&edits, before->source, &text);
    }
    print_hex(&text);
    puts(gm_same_tree(arena, before, after, &edits) ? "same" : "other");
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
