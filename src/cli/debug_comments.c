/* `graphmend debug comments`: what comments silence, one line each: LINE CODES, or `file`. */
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "rules/suppress.h"

static void print_comments(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    (void)options;
    const gm_suppressions *comments = gm_suppress_read(arena, tree);
    if (comments->whole_file) {
        gm_buffer_add_text(out, "file\n");
    }
    for (uint32_t i = 0; i < comments->lines.count; i++) {
        const gm_suppression *one = &comments->lines.items[i];
        gm_buffer_printf(out, "%u %s\n", one->line, one->codes == NULL ? "all" : one->codes);
    }
}

int gm_cli_debug_comments(int count, char **arguments) {
    static const char *const switches[] = {NULL};
    return gm_debug_each_file(count, arguments, switches, print_comments);
}
