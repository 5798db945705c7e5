#include "base/buffer.h"
#include "syntax/parser.h"

/* Assignments and expressions. */

static const uint8_t augmented[GM_TOKEN_COUNT] = {
    [GM_TOKEN_PLUS_EQUAL] = GM_OP_Add,
    [GM_TOKEN_MINUS_EQUAL] = GM_OP_Sub,
    [GM_TOKEN_STAR_EQUAL] = GM_OP_Mult,
    [GM_TOKEN_SLASH_EQUAL] = GM_OP_Div,
    [GM_TOKEN_PERCENT_EQUAL] = GM_OP_Mod,
    [GM_TOKEN_AT_EQUAL] = GM_OP_MatMult,
    [GM_TOKEN_AMPERSAND_EQUAL] = GM_OP_BitAnd,
    [GM_TOKEN_BAR_EQUAL] = GM_OP_BitOr,
    [GM_TOKEN_CARET_EQUAL] = GM_OP_BitXor,
    [GM_TOKEN_SHIFT_LEFT_EQUAL] = GM_OP_LShift,
    [GM_TOKEN_SHIFT_RIGHT_EQUAL] = GM_OP_RShift,
    [GM_TOKEN_POWER_EQUAL] = GM_OP_Pow,
    [GM_TOKEN_SLASH_SLASH_EQUAL] = GM_OP_FloorDiv,
};

static gm_node *assignment(gm_parser *parser, gm_node *first, uint32_t start) {
    gm_Assign *node = GM_MAKE(parser, Assign, start);
    uint32_t mark = parser->nodes.count;
    gm_node *value = first;
    while (gm_parser_accept(parser, GM_TOKEN_EQUAL)) {
        gm_parser_set_target(parser, value, GM_TARGET_ASSIGN);
        gm_parser_push(parser, value);
        value = gm_parse_yield_or_star(parser);
    }
    node->targets = gm_parser_list(parser, mark);
    node->value = value;
    return gm_parser_finish(parser, &node->base);
}

static gm_node *augmentation(gm_parser *parser, gm_node *target, uint32_t start) {
    gm_AugAssign *node = GM_MAKE(parser, AugAssign, start);
    gm_parser_set_target(parser, target, GM_TARGET_AUGMENT);
    node->target = target;
    node->op = augmented[parser->at->kind];
    gm_parser_advance(parser);
    const gm_token *first = parser->at;
    node->value = gm_parse_yield_or_star(parser);
    if (first->kind != GM_TOKEN_yield) {
        gm_parser_refuse_star(parser, node->value, "`*` in the value of an augmented assignment");
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *annotation(gm_parser *parser, gm_node *target, uint32_t start) {
    gm_AnnAssign *node = GM_MAKE(parser, AnnAssign, start);
    gm_parser_set_target(parser, target, GM_TARGET_ANNOTATE);
    gm_parser_advance(parser);
    node->target = target;
    node->simple = target->kind == GM_KIND_Name && (target->flags & GM_FLAG_PARENTHESIZED) == 0;
    node->annotation = gm_parse_expression(parser);
    if (gm_parser_accept(parser, GM_TOKEN_EQUAL)) {
        node->value = gm_parse_yield_or_star(parser);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *expression_statement(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *first = gm_parse_yield_or_star(parser);
    if (gm_parser_is(parser, GM_TOKEN_EQUAL)) {
        return assignment(parser, first, start);
    }
    if (augmented[parser->at->kind] != GM_OP_NONE) {
        return augmentation(parser, first, start);
    }
    if (gm_parser_is(parser, GM_TOKEN_COLON)) {
        return annotation(parser, first, start);
    }
    gm_Expr *node = GM_MAKE(parser, Expr, start);
    node->value = first;
    return &node->base;
}

/* `type X[T] = value`; `type` has been seen and a name follows. */
static gm_node *type_alias(gm_parser *parser) {
    gm_TypeAlias *node = GM_MAKE(parser, TypeAlias, parser->at->start);
    gm_parser_need(parser, 312, parser->at->start, "the `type` statement");
    gm_parser_advance(parser);
    node->name = gm_parse_name(parser, GM_STORE);
    node->type_params = gm_parse_type_parameters(parser);
    gm_parser_expect(parser, GM_TOKEN_EQUAL);
    node->value = gm_parse_expression(parser);
    return gm_parser_finish(parser, &node->base);
}

/* Imports. */

/* `a.b.c` as one name. */
static const gm_name *dotted_name(gm_parser *parser) {
    const gm_name *name = gm_parser_name(parser);
    if (!gm_parser_is(parser, GM_TOKEN_DOT)) {
        return name;
    }
    gm_buffer text;
    gm_buffer_init(&text, parser->arena);
    gm_buffer_add(&text, name->text, name->length);
    while (gm_parser_accept(parser, GM_TOKEN_DOT)) {
        const gm_name *next = gm_parser_name(parser);
        gm_buffer_add_char(&text, '.');
        gm_buffer_add(&text, next->text, next->length);
    }
    return gm_names_intern(parser->tree->names, text.bytes, text.length);
}

static gm_node *alias(gm_parser *parser, bool dotted) {
    gm_alias *node = GM_MAKE(parser, alias, parser->at->start);
    node->name = dotted ? dotted_name(parser) : gm_parser_name(parser);
    uint32_t end = parser->last_end;
    if (gm_parser_accept(parser, GM_TOKEN_as)) {
        node->asname = gm_parser_bound_name(parser);
    } else {
        gm_parser_refuse_debug(parser, node->name, node->base.start, end);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *import(gm_parser *parser) {
    gm_Import *node = GM_MAKE(parser, Import, parser->at->start);
    gm_parser_advance(parser);
    uint32_t mark = parser->nodes.count;
    do {
        gm_parser_push(parser, alias(parser, true));
    } while (gm_parser_accept(parser, GM_TOKEN_COMMA));
    node->names = gm_parser_list(parser, mark);
    return gm_parser_finish(parser, &node->base);
}

static gm_list star_import(gm_parser *parser) {
    gm_alias *node = GM_MAKE(parser, alias, parser->at->start);
    node->name = gm_names_intern(parser->tree->names, "*", 1);
    gm_parser_advance(parser);
    return gm_parser_single(parser, gm_parser_finish(parser, &node->base));
}

static gm_list imported_names(gm_parser *parser) {
    if (gm_parser_is(parser, GM_TOKEN_STAR)) {
        return star_import(parser);
    }
    bool parenthesized = gm_parser_accept(parser, GM_TOKEN_LPAR);
    uint32_t mark = parser->nodes.count;
    do {
        gm_parser_push(parser, alias(parser, false));
    } while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !(parenthesized && gm_parser_is(parser, GM_TOKEN_RPAR)));
    if (parenthesized) {
        gm_parser_expect(parser, GM_TOKEN_RPAR);
    }
    return gm_parser_list(parser, mark);
}

static gm_node *import_from(gm_parser *parser) {
    gm_ImportFrom *node = GM_MAKE(parser, ImportFrom, parser->at->start);
    gm_parser_advance(parser);
    for (;;) {
        if (gm_parser_accept(parser, GM_TOKEN_DOT)) {
            node->level++;
        } else if (gm_parser_accept(parser, GM_TOKEN_ELLIPSIS)) {
            node->level += 3;
        } else {
            break;
        }
    }
    if (node->level == 0 || !gm_parser_is(parser, GM_TOKEN_import)) {
        node->module = dotted_name(parser);
    }
    gm_parser_expect(parser, GM_TOKEN_import);
    node->names = imported_names(parser);
    return gm_parser_finish(parser, &node->base);
}

/* Small statements. */

static gm_node *scope_names(gm_parser *parser, gm_kind kind) {
    gm_node *node = gm_parser_node(parser, kind, parser->at->start);
    gm_parser_advance(parser);
    uint32_t mark = parser->names.count;
    do {
        gm_vec_push(parser->arena, &parser->names, gm_parser_name(parser));
    } while (gm_parser_accept(parser, GM_TOKEN_COMMA));
    gm_name_list names = gm_parser_name_list(parser, mark);
    if (kind == GM_KIND_Global) {
        gm_edit_Global(node)->names = names;
    } else {
        gm_edit_Nonlocal(node)->names = names;
    }
    return gm_parser_finish(parser, node);
}

static gm_node *return_statement(gm_parser *parser) {
    gm_Return *node = GM_MAKE(parser, Return, parser->at->start);
    gm_parser_advance(parser);
    if (gm_parser_starts_expression(parser)) {
        node->value = gm_parse_star_expressions(parser);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *raise_statement(gm_parser *parser) {
    gm_Raise *node = GM_MAKE(parser, Raise, parser->at->start);
    gm_parser_advance(parser);
    if (gm_parser_starts_expression(parser)) {
        node->exc = gm_parse_expression(parser);
        if (gm_parser_accept(parser, GM_TOKEN_from)) {
            node->cause = gm_parse_expression(parser);
        }
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *assert_statement(gm_parser *parser) {
    gm_Assert *node = GM_MAKE(parser, Assert, parser->at->start);
    gm_parser_advance(parser);
    node->test = gm_parse_expression(parser);
    if (gm_parser_accept(parser, GM_TOKEN_COMMA)) {
        node->msg = gm_parse_expression(parser);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *delete_statement(gm_parser *parser) {
    gm_Delete *node = GM_MAKE(parser, Delete, parser->at->start);
    gm_parser_advance(parser);
    uint32_t mark = parser->nodes.count;
    do {
        gm_node *target = gm_parser_is(parser, GM_TOKEN_STAR) ? gm_parse_starred(parser) : gm_parse_bitwise_or(parser);
        gm_parser_set_target(parser, target, GM_TARGET_DELETE);
        gm_parser_push(parser, target);
    } while (gm_parser_accept(parser, GM_TOKEN_COMMA) && gm_parser_starts_expression(parser));
    node->targets = gm_parser_list(parser, mark);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *keyword_statement(gm_parser *parser, gm_kind kind) {
    gm_node *node = gm_parser_node(parser, kind, parser->at->start);
    gm_parser_advance(parser);
    return gm_parser_finish(parser, node);
}

static gm_node *simple_statement(gm_parser *parser) {
    switch (parser->at->kind) {
    case GM_TOKEN_NAME:
        if ((parser->at->flags & GM_NAME_SOFT) == GM_NAME_TYPE && parser->at[1].kind == GM_TOKEN_NAME) {
            return type_alias(parser);
        }
        return expression_statement(parser);
    case GM_TOKEN_return: return return_statement(parser);
    case GM_TOKEN_import: return import(parser);
    case GM_TOKEN_from: return import_from(parser);
    case GM_TOKEN_raise: return raise_statement(parser);
    case GM_TOKEN_assert: return assert_statement(parser);
    case GM_TOKEN_del: return delete_statement(parser);
    case GM_TOKEN_global: return scope_names(parser, GM_KIND_Global);
    case GM_TOKEN_nonlocal: return scope_names(parser, GM_KIND_Nonlocal);
    case GM_TOKEN_pass: return keyword_statement(parser, GM_KIND_Pass);
    case GM_TOKEN_break: return keyword_statement(parser, GM_KIND_Break);
    case GM_TOKEN_continue: return keyword_statement(parser, GM_KIND_Continue);
    default: return expression_statement(parser);
    }
}

static gm_node *error_statement(gm_parser *parser, uint32_t start) {
    gm_node *node = gm_parser_node(parser, GM_KIND_ErrorStmt, start);
    node->flags = GM_FLAG_ERROR;
    node->end = parser->last_end > start ? parser->last_end : start;
    return node;
}

void gm_parse_simple_line(gm_parser *parser) {
    for (;;) {
        uint32_t start = parser->at->start;
        gm_node *node = simple_statement(parser);
        bool more = gm_parser_accept(parser, GM_TOKEN_SEMICOLON);
        if (!more && !gm_parser_is(parser, GM_TOKEN_NEWLINE)) {
            gm_parser_expected(parser, "end of line");
        }
        gm_parser_push(parser, parser->panic ? error_statement(parser, start) : node);
        if (!more || gm_parser_is(parser, GM_TOKEN_NEWLINE)) {
            break;
        }
    }
    gm_parser_end_line(parser);
}

void gm_parser_end_line(gm_parser *parser) {
    if (gm_parser_is(parser, GM_TOKEN_NEWLINE)) {
        parser->at++;
        /* What is indented below a broken line belongs to it and is read without a further complaint. */
        parser->broken_line = parser->panic;
        parser->panic = false;
    }
}

static void indented_by_mistake(gm_parser *parser) {
    if (!parser->broken_line) {
        gm_parser_report(parser, parser->at->start, parser->at->end, "unexpected indent");
    }
    parser->at++;
    gm_parse_statements(parser, GM_TOKEN_DEDENT);
    if (gm_parser_is(parser, GM_TOKEN_DEDENT)) {
        parser->at++;
    }
}

void gm_parse_statements(gm_parser *parser, gm_token_kind closer) {
    parser->broken_line = false;
    while (!gm_parser_is(parser, closer) && !gm_parser_is(parser, GM_TOKEN_END)) {
        if (gm_parser_is(parser, GM_TOKEN_INDENT)) {
            indented_by_mistake(parser);
        } else if (gm_parser_is(parser, GM_TOKEN_NEWLINE)) {
            if (gm_parser_before(parser, 309) && closer == GM_TOKEN_DEDENT && !parser->broken_line) {
                gm_parser_report(parser, parser->at->start, parser->at->start, "empty statement in a block");
            }
            gm_parser_end_line(parser);
        } else if (gm_parser_is(parser, GM_TOKEN_DEDENT)) {
            parser->at++;
        } else {
            gm_node *node = gm_parse_compound(parser);
            if (node != NULL) {
                gm_parser_push(parser, node);
            } else {
                gm_parse_simple_line(parser);
            }
        }
    }
}
