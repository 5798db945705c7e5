/* `graphmend debug tree`: the syntax tree, for people or (--cpython) as CPython's `ast.dump` of --target prints it. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "cli/say.h"
#include "syntax/cpython_dump.h"

enum { CPYTHON, WITHOUT_FORMAT_POSITIONS };

static void report(const gm_tree *tree, const gm_debug_options *options) {
    for (uint32_t i = 0; i < tree->diagnostics.count; i++) {
        const gm_diagnostic *diagnostic = &tree->diagnostics.items[i];
        gm_position at = gm_source_position(tree->source, diagnostic->start);
        gm_cli_say(stderr, "%s:%u:%u: %s\n", tree->source->path, at.line, at.column, diagnostic->message);
    }
    if (tree->diagnostics.count > 0 && *options->status < GM_EXIT_FINDINGS) {
        *options->status = GM_EXIT_FINDINGS;
    }
}

/* One line a file: the dump, or why there is none. */
static void print_cpython(gm_arena *arena, const gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    gm_dump_options dump = {.version = options->target == 0 ? GM_VERSION_NEWEST : options->target,
                            .without_format_positions = options->switched[WITHOUT_FORMAT_POSITIONS]};
    if (tree->diagnostics.count > 0) {
        const gm_diagnostic *first = &tree->diagnostics.items[0];
        gm_position at = gm_source_position(tree->source, first->start);
        gm_buffer_printf(out, "rejected %u:%u: %s", at.line, at.column, first->message);
    } else if (!gm_dump_cpython(arena, tree, &dump, out)) {
        gm_buffer_add_text(out, "too deep");
    }
    gm_buffer_add_char(out, '\n');
}

static void print_tree(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    report(tree, options);
    if (options->switched[CPYTHON]) {
        print_cpython(arena, tree, options, out);
    } else {
        gm_dump_readable(arena, tree, out);
    }
}

int gm_cli_debug_tree(int count, char **arguments) {
    static const char *const switches[] = {"--cpython", "--no-format-positions", NULL};
    return gm_debug_each_file(count, arguments, switches, print_tree);
}
