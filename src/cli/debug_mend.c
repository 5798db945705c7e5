/* `graphmend debug mend`: the runtime dialect of a file, with the user's line in front of every line under --lines. */
#include <string.h>

#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "driver/check.h"
#include "mend/runtime.h"
#include "rules/decisions.h"
#include "rules/run.h"

enum { LINES };

static void add_numbered(gm_buffer *out, const gm_mended *mended) {
    const char *at = mended->text;
    for (uint32_t i = 0; i < mended->lines.count; i++) {
        const char *end = strchr(at, '\n') + 1;
        gm_buffer_printf(out, "%5u  ", mended->lines.items[i]);
        gm_buffer_add(out, at, (size_t)(end - at));
        at = end;
    }
}

typedef struct mending {
    gm_tree *tree;
    const gm_debug_options *options;
    gm_buffer *out;
} mending;

static void mend(void *context) {
    const mending *state = context;
    gm_tree *tree = state->tree;
    gm_buffer *out = state->out;
    gm_analysis *analysis = gm_rules_run(out->arena, tree, NULL);
    const gm_mended *mended = gm_mend_runtime(analysis, gm_decisions_of(analysis));
    if (mended->text == NULL) {
        gm_buffer_printf(out, "# %s: %s\n", tree->source->path, mended->problem != NULL ? mended->problem : "nothing to mend");
    } else if (state->options->switched[LINES]) {
        add_numbered(out, mended);
    } else {
        gm_buffer_add(out, mended->text, mended->size);
    }
}

static void print_mended(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    if (tree->diagnostics.count > 0) {
        gm_buffer_printf(out, "# %s: %s\n", tree->source->path, gm_parse_limit(tree) != NULL ? GM_TOO_LARGE_WORDS : "syntax error");
        *options->status = GM_EXIT_FINDINGS;
        return;
    }
    mending state = {tree, options, out};
    if (!gm_work_within(arena, tree->source->length, mend, &state)) {
        out->length = 0;
        gm_buffer_printf(out, "# %s: %s\n", tree->source->path, GM_TOO_LARGE_WORDS);
        *options->status = GM_EXIT_FINDINGS;
    }
}

int gm_cli_debug_mend(int count, char **arguments) {
    static const char *const switches[] = {"--lines", NULL};
    return gm_debug_each_file(count, arguments, switches, print_mended);
}
