/* `graphmend debug tokens`: the tokens and diagnostics of a file, or (--rebuild) the file printed back from its tokens. */
#include "cli/debug.h"
#include "cli/debug_files.h"
#include "syntax/decode.h"
#include "syntax/lexer.h"

enum { SWITCH_REBUILD, SWITCH_DIAGNOSTICS };

static void add_range(gm_buffer *out, const gm_source *source, uint32_t start, uint32_t end) {
    gm_position first = gm_source_position(source, start);
    gm_position last = gm_source_position(source, end);
    gm_buffer_printf(out, "%u:%u-%u:%u ", first.line, first.column, last.line, last.column);
}

static void add_token(gm_buffer *out, const gm_tree *tree, const gm_token *token) {
    add_range(out, tree->source, token->start, token->end);
    gm_buffer_add_text(out, gm_token_names[token->kind]);
    if (token->end > token->start && (token->kind < GM_TOKEN_LPAR) && token->kind != GM_TOKEN_NEWLINE) {
        gm_buffer_add_char(out, ' ');
        gm_buffer_add_json(out, tree->source->text + token->start, token->end - token->start);
    }
    gm_buffer_add_char(out, '\n');
}

static void add_diagnostics(gm_buffer *out, const gm_tree *tree) {
    for (uint32_t i = 0; i < tree->diagnostics.count; i++) {
        const gm_diagnostic *diagnostic = &tree->diagnostics.items[i];
        gm_position at = gm_source_position(tree->source, diagnostic->start);
        gm_buffer_printf(out, "%s:%u:%u: %s\n", tree->source->path, at.line, at.column + 1, diagnostic->message);
    }
}

/* The gap before each token and the token. */
static void rebuild(const gm_tree *tree, gm_buffer *out) {
    uint32_t at = 0;
    gm_buffer_add(out, tree->source->bytes, tree->source->text_offset);
    for (uint32_t i = 0; i < tree->token_count; i++) {
        const gm_token *token = &tree->tokens[i];
        gm_decode_add_original(out, tree->source, at, token->start);
        gm_decode_add_original(out, tree->source, token->start, token->end);
        at = token->end;
    }
    gm_decode_add_original(out, tree->source, at, tree->source->length);
}

static void print(gm_arena *arena, gm_tree *tree, const gm_debug_options *options, gm_buffer *out) {
    (void)arena;
    if (options->switched[SWITCH_REBUILD]) {
        rebuild(tree, out);
        return;
    }
    for (uint32_t i = 0; i < tree->token_count && !options->switched[SWITCH_DIAGNOSTICS]; i++) {
        add_token(out, tree, &tree->tokens[i]);
    }
    add_diagnostics(out, tree);
}

int gm_cli_debug_tokens(int count, char **arguments) {
    static const char *const switches[] = {[SWITCH_REBUILD] = "--rebuild", [SWITCH_DIAGNOSTICS] = "--diagnostics", NULL};
    return gm_debug_each_file(count, arguments, switches, print);
}
