#include "syntax/parser.h"

#include <string.h>

#include "base/buffer.h"
#include "syntax/unicode.h"

void gm_parser_report(gm_parser *parser, uint32_t start, uint32_t end, const char *message) {
    if (parser->trial || parser->stopped) {
        parser->panic = true;
        return;
    }
    if (parser->reported++ >= GM_DIAGNOSTICS_LIMIT) {
        return;
    }
    gm_diagnostic diagnostic = {start, end, message, false};
    gm_vec_push(parser->arena, &parser->tree->diagnostics, diagnostic);
}

static void skip_line(gm_parser *parser) {
    while (!gm_parser_is(parser, GM_TOKEN_NEWLINE) && !gm_parser_is(parser, GM_TOKEN_END)) {
        if (parser->at->kind != GM_TOKEN_INDENT && parser->at->kind != GM_TOKEN_DEDENT) {
            parser->last_end = parser->at->end;
        }
        parser->at++;
    }
}

/* An ERROR token on the line means that the lexer has said what is wrong. */
static bool lexer_reported(const gm_parser *parser) {
    for (const gm_token *token = parser->at;; token++) {
        if (token->kind == GM_TOKEN_ERROR) {
            return true;
        }
        if (token->kind == GM_TOKEN_NEWLINE || token->kind == GM_TOKEN_END) {
            return false;
        }
    }
}

void gm_parser_fail(gm_parser *parser, uint32_t start, uint32_t end, const char *message) {
    if (parser->panic) {
        return;
    }
    if (!lexer_reported(parser)) {
        gm_parser_report(parser, start, end, message);
    }
    parser->panic = true;
    skip_line(parser);
}

void gm_parser_limit(gm_parser *parser, uint32_t start, uint32_t end, uint32_t most, const char *what) {
    if (parser->panic || parser->trial || parser->stopped || lexer_reported(parser)) {
        gm_parser_fail(parser, start, end, what);
        return;
    }
    gm_buffer message;
    gm_buffer_init(&message, parser->arena);
    gm_buffer_printf(&message, "more than %u %s, a limit of graphmend", most, what);
    gm_diagnostic diagnostic = {start, end, gm_buffer_text(&message), true};
    gm_vec_push(parser->arena, &parser->tree->diagnostics, diagnostic);
    parser->panic = parser->stopped = true;
    parser->at = &parser->tree->tokens[parser->tree->token_count - 1];
}

void gm_parser_expected(gm_parser *parser, const char *what) {
    if (parser->panic) {
        return;
    }
    static const char before[] = "expected ";
    static const char between[] = ", found ";
    const char *found = gm_token_names[parser->at->kind];
    size_t what_length = strlen(what);
    size_t length = sizeof before - 1 + what_length + sizeof between - 1 + strlen(found);
    char *message = gm_arena_alloc(parser->arena, length + 1);
    memcpy(message, before, sizeof before - 1);
    memcpy(message + sizeof before - 1, what, what_length);
    memcpy(message + sizeof before - 1 + what_length, between, sizeof between - 1);
    memcpy(message + sizeof before - 1 + what_length + sizeof between - 1, found, strlen(found) + 1);
    gm_parser_fail(parser, parser->at->start, parser->at->end, message);
}

void gm_parser_expect(gm_parser *parser, gm_token_kind kind) {
    if (!gm_parser_accept(parser, kind)) {
        gm_parser_expected(parser, gm_token_names[kind]);
    }
}

void gm_parser_need(gm_parser *parser, gm_version version, uint32_t start, const char *what) {
    if (parser->target == 0 || parser->target >= version || parser->panic) {
        return;
    }
    static const char middle[] = " needs Python 3.";
    size_t length = strlen(what);
    char *message = gm_arena_alloc(parser->arena, length + sizeof middle + 2);
    memcpy(message, what, length);
    memcpy(message + length, middle, sizeof middle);
    char *digits = message + length + sizeof middle - 1;
    unsigned minor = version % 100U;
    if (minor >= 10) {
        *digits++ = (char)('0' + minor / 10);
    }
    *digits++ = (char)('0' + minor % 10);
    *digits = '\0';
    gm_parser_report(parser, start, parser->at->end > start ? parser->at->end : start, message);
}

bool gm_parser_enter(gm_parser *parser) {
    parser->depth++;
    if (parser->depth < parser->depth_limit) {
        return true;
    }
    gm_parser_limit(parser, parser->at->start, parser->at->end, parser->depth_limit, GM_LEVELS);
    return false;
}

gm_node *gm_parser_node(gm_parser *parser, gm_kind kind, uint32_t start) {
    return gm_parser_sized_node(parser, kind, gm_kinds[kind].size, start);
}

gm_node *gm_parser_error_node(gm_parser *parser, uint32_t start) {
    gm_node *node = gm_parser_node(parser, GM_KIND_ErrorExpr, start);
    node->flags = GM_FLAG_ERROR;
    node->end = parser->last_end > start ? parser->last_end : start;
    return node;
}

gm_list gm_parser_list(gm_parser *parser, uint32_t mark) {
    gm_list list = {NULL, parser->nodes.count - mark};
    if (list.count > 0) {
        size_t size = list.count * sizeof *list.items;
        list.items = gm_arena_alloc(parser->arena, size);
        memcpy(list.items, parser->nodes.items + mark, size);
        parser->nodes.count = mark;
    }
    return list;
}

gm_list gm_parser_single(gm_parser *parser, gm_node *node) {
    gm_list list = {gm_arena_alloc(parser->arena, sizeof *list.items), 1};
    list.items[0] = node;
    return list;
}

void gm_parser_pairs(gm_parser *parser, uint32_t mark, gm_list *firsts, gm_list *seconds) {
    uint32_t count = (parser->nodes.count - mark) / 2;
    gm_node **items = gm_arena_alloc(parser->arena, 2 * (size_t)count * sizeof *items);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = parser->nodes.items[mark + 2 * i];
        items[count + i] = parser->nodes.items[mark + 2 * i + 1];
    }
    *firsts = (gm_list){items, count};
    *seconds = (gm_list){items + count, count};
    parser->nodes.count = mark;
}

gm_name_list gm_parser_name_list(gm_parser *parser, uint32_t mark) {
    gm_name_list list = {NULL, parser->names.count - mark};
    if (list.count > 0) {
        size_t size = list.count * sizeof *list.items;
        list.items = gm_arena_alloc(parser->arena, size);
        memcpy(list.items, parser->names.items + mark, size);
        parser->names.count = mark;
    }
    return list;
}

const gm_name *gm_parser_intern(gm_parser *parser, const gm_token *token) {
    const char *text = parser->text + token->start;
    size_t length = token->end - token->start;
    if ((token->flags & GM_NAME_UNICODE) == 0) {
        return gm_names_intern(parser->tree->names, text, length);
    }
    gm_buffer normal;
    gm_buffer_init(&normal, parser->arena);
    gm_unicode_normalize(&normal, text, length);
    return gm_names_intern(parser->tree->names, normal.bytes, normal.length);
}

const gm_name *gm_parser_name(gm_parser *parser) {
    if (!gm_parser_is(parser, GM_TOKEN_NAME)) {
        gm_parser_expected(parser, "a name");
        return gm_names_intern(parser->tree->names, "", 0);
    }
    const gm_name *name = gm_parser_intern(parser, parser->at);
    gm_parser_advance(parser);
    return name;
}

const gm_name *gm_parser_bound_name(gm_parser *parser) {
    const gm_token *token = parser->at;
    const gm_name *name = gm_parser_name(parser);
    gm_parser_refuse_debug(parser, name, token->start, token->end);
    return name;
}
