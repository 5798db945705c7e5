#include "driver/content.h"

#include <string.h>

#include "base/buffer.h"
#include "syntax/lexer.h"

typedef GM_VEC(const gm_node *) node_list;

/* ---- The function ---- */

static const gm_name *name_of(const gm_node *node) {
    return gm_is_def(node) ? gm_def_name(node) : gm_as_ClassDef(node)->name;
}

static const char *function_of(gm_arena *arena, gm_flow *flow, const gm_node *statement) {
    node_list around = {0};
    for (const gm_node *node = gm_flow_parent(flow, statement); node != NULL; node = gm_flow_parent(flow, node)) {
        if (gm_is_def(node) || node->kind == GM_KIND_ClassDef) {
            gm_vec_push(arena, &around, node);
        }
    }
    gm_buffer text;
    gm_buffer_init(&text, arena);
    for (uint32_t i = around.count; i > 0; i--) {
        const gm_node *node = around.items[i - 1];
        gm_buffer_add_text(&text, name_of(node)->text);
        gm_buffer_add_text(&text, i == 1 ? "" : gm_is_def(node) ? ".<locals>." : ".");
    }
    return around.count > 0 ? gm_buffer_text(&text) : "<module>";
}

/* ---- The text ---- */

static bool has_body(const gm_node *node) {
    const gm_kind_info *kind = gm_kind_of(node);
    for (uint16_t i = 0; i < kind->field_count; i++) {
        const char *name = kind->fields[i].name;
        if (strcmp(name, "body") == 0 || strcmp(name, "cases") == 0) {
            return true;
        }
    }
    return false;
}

static int change_of_depth(uint8_t kind) {
    bool opens = kind == GM_TOKEN_LPAR || kind == GM_TOKEN_LSQB || kind == GM_TOKEN_LBRACE;
    bool closes = kind == GM_TOKEN_RPAR || kind == GM_TOKEN_RSQB || kind == GM_TOKEN_RBRACE;
    return (int)opens - (int)closes;
}

static bool is_layout(uint8_t kind) {
    return kind == GM_TOKEN_NEWLINE || kind == GM_TOKEN_INDENT || kind == GM_TOKEN_DEDENT || kind == GM_TOKEN_END;
}

/* A head ends with the first colon outside of brackets. */
static const char *text_of(gm_arena *arena, const gm_tree *tree, const gm_node *statement) {
    const char *source = tree->source->text;
    bool head = has_body(statement);
    int depth = 0;
    gm_buffer text;
    gm_buffer_init(&text, arena);
    uint32_t end = statement->start;
    for (uint32_t i = gm_token_at(tree, statement->start); i < tree->token_count; i++) {
        const gm_token *token = &tree->tokens[i];
        if (token->start >= statement->end) {
            break;
        }
        if (is_layout(token->kind)) {
            continue;
        }
        gm_buffer_add_text(&text, token->start > end ? " " : "");
        gm_buffer_add(&text, source + token->start, token->end - token->start);
        end = token->end;
        depth += change_of_depth(token->kind);
        if (head && depth == 0 && token->kind == GM_TOKEN_COLON) {
            break;
        }
    }
    return gm_buffer_text(&text);
}

gm_content gm_content_of(gm_arena *arena, const gm_checked *checked, const gm_entry *entry) {
    if (entry->node == NULL) {
        const char *start = checked->source->text + entry->start;
        return (gm_content){"<module>", gm_arena_copy(arena, start, entry->end - entry->start)};
    }
    gm_flow *flow = checked->analysis->flow;
    const gm_node *statement = gm_flow_statement(flow, entry->node);
    return (gm_content){function_of(arena, flow, statement), text_of(arena, checked->analysis->tree, statement)};
}

const char *gm_content_key(gm_arena *arena, const char *text) {
    gm_buffer key;
    gm_buffer_init(&key, arena);
    for (; *text != '\0'; text++) {
        if (strchr(" \t\r\n()',\"\\", *text) == NULL) {
            gm_buffer_add_char(&key, *text);
        }
    }
    return gm_buffer_text(&key);
}
