#include "syntax/parse.h"

#include <string.h>

#include "syntax/decode.h"
#include "syntax/parser.h"

/* Real code has a new name for about so many tokens. */
enum { DEFAULT_DEPTH_LIMIT = 3000, TOKENS_A_NAME = 16 };

static void find_lines(gm_arena *arena, gm_source *source) {
    const char *text = source->text;
    const char *end = text + source->length;
    GM_VEC(uint32_t) starts = {0};
    starts.capacity = source->length / 32 + 8;
    starts.items = gm_arena_alloc(arena, starts.capacity * sizeof *starts.items);
    starts.items[starts.count++] = 0;
    source->has_return = source->length > 0 && memchr(text, '\r', source->length) != NULL;
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline == NULL ? end : newline;
        for (const char *cr = at; source->has_return && (cr = memchr(cr, '\r', (size_t)(stop - cr))) != NULL;) {
            cr++;
            if (cr != newline) {
                gm_vec_push(arena, &starts, (uint32_t)(cr - text));
            }
        }
        if (newline == NULL) {
            break;
        }
        at = newline + 1;
        gm_vec_push(arena, &starts, (uint32_t)(at - text));
    }
    source->line_starts = starts.items;
    source->line_count = starts.count;
}

gm_source *gm_parse_source(gm_arena *arena, const char *path, const char *bytes, size_t size, gm_diagnostics *diagnostics) {
    gm_source *source = gm_decode_source(arena, path, bytes, size, diagnostics);
    find_lines(arena, source);
    return source;
}

/* Two runs, each in order, into one; of two at one place that of the first run is first. */
static void merge_runs(const gm_diagnostic *items, uint32_t middle, uint32_t count, gm_diagnostic *merged) {
    uint32_t left = 0;
    uint32_t right = middle;
    for (uint32_t i = 0; i < count; i++) {
        bool first = left < middle && (right == count || items[left].start <= items[right].start);
        merged[i] = first ? items[left++] : items[right++];
    }
}

/* By place, in the order in which they were found where that is the same: runs of 1, 2, 4, ... are merged. */
static void sort_diagnostics(gm_arena *arena, gm_diagnostics *diagnostics) {
    uint32_t count = diagnostics->count;
    uint32_t sorted = 1;
    while (sorted < count && diagnostics->items[sorted - 1].start <= diagnostics->items[sorted].start) {
        sorted++;
    }
    if (sorted >= count) {
        return;
    }
    gm_diagnostic *merged = GM_NEW_ARRAY(arena, gm_diagnostic, count);
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * run) {
            uint32_t left = (uint32_t)(count - at);
            merge_runs(diagnostics->items + at, run < left ? (uint32_t)run : left, 2 * run < left ? (uint32_t)(2 * run) : left,
                       merged + at);
        }
        memcpy(diagnostics->items, merged, count * sizeof *merged);
    }
}

/* From the line on that is no text in the encoding of the file, nothing else is told: it would be about characters that are not there. */
static void drop_behind(const gm_source *source, gm_diagnostics *diagnostics, uint32_t encoding) {
    if (encoding == 0) {
        return;
    }
    uint32_t line = gm_source_position(source, diagnostics->items[0].start).line;
    uint32_t kept = encoding;
    for (uint32_t i = encoding; i < diagnostics->count; i++) {
        if (diagnostics->items[i].start < source->line_starts[line - 1]) {
            diagnostics->items[kept++] = diagnostics->items[i];
        }
    }
    diagnostics->count = kept;
}

static void build_module(gm_arena *arena, gm_tree *tree, gm_version target, uint32_t depth_limit) {
    gm_parser parser = {.arena = arena, .tree = tree, .text = tree->source->text, .at = tree->tokens, .target = target};
    parser.shape = target == 0 ? GM_VERSION_NEWEST : target;
    parser.depth_limit = depth_limit == 0 ? DEFAULT_DEPTH_LIMIT : depth_limit;
    gm_parse_statements(&parser, GM_TOKEN_END);
    tree->module = GM_MAKE(&parser, Module, 0);
    tree->module->base.end = tree->source->length;
    tree->module->body = gm_parser_list(&parser, 0);
}

gm_tree *gm_parse(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_parse_options *options) {
    gm_version target = options == NULL ? 0 : options->target;
    gm_tree *tree = GM_NEW(arena, gm_tree);
    tree->source = gm_parse_source(arena, path, bytes, size, &tree->diagnostics);
    uint32_t encoding = tree->diagnostics.count; /* problems with it */
    tree->names = GM_NEW(arena, gm_names);
    gm_names_init(tree->names, arena);
    tree->token_count = gm_lexer_run(arena, tree->source, target, &tree->tokens, &tree->diagnostics);
    gm_names_reserve(tree->names, tree->token_count / TOKENS_A_NAME);
    build_module(arena, tree, target, options == NULL ? 0 : options->depth_limit);
    drop_behind(tree->source, &tree->diagnostics, encoding);
    sort_diagnostics(arena, &tree->diagnostics);
    return tree;
}

const gm_diagnostic *gm_parse_limit(const gm_tree *tree) {
    const gm_diagnostic *first = tree->diagnostics.count > 0 ? &tree->diagnostics.items[0] : NULL;
    return first != NULL && first->limit ? first : NULL;
}
