#include "syntax/parser.h"

/* Behind `:`; an empty block is an error but for the tree one erroneous statement. */
static gm_list indented_block(gm_parser *parser) {
    uint32_t mark = parser->nodes.count;
    if (!gm_parser_is(parser, GM_TOKEN_INDENT)) {
        if (!parser->broken_line) {
            gm_parser_report(parser, parser->at->start, parser->at->end, "expected an indented block");
        }
        gm_node *node = gm_parser_node(parser, GM_KIND_ErrorStmt, parser->last_end);
        node->flags = GM_FLAG_ERROR;
        return gm_parser_single(parser, node);
    }
    parser->at++;
    if (gm_parser_enter(parser)) {
        gm_parse_statements(parser, GM_TOKEN_DEDENT);
    }
    gm_parser_leave(parser);
    if (gm_parser_is(parser, GM_TOKEN_DEDENT)) {
        parser->at++;
    }
    return gm_parser_list(parser, mark);
}

gm_list gm_parse_block(gm_parser *parser) {
    gm_parser_expect(parser, GM_TOKEN_COLON);
    if (gm_parser_is(parser, GM_TOKEN_NEWLINE)) {
        gm_parser_end_line(parser);
        return indented_block(parser);
    }
    uint32_t mark = parser->nodes.count;
    gm_parse_simple_line(parser);
    return gm_parser_list(parser, mark);
}

static bool goes_on(gm_parser *parser) {
    if (!gm_parser_is(parser, GM_TOKEN_elif)) {
        return false;
    }
    if (parser->branches >= GM_CHAIN_LIMIT) {
        gm_parser_limit(parser, parser->at->start, parser->at->end, GM_CHAIN_LIMIT, GM_BRANCHES);
        return false;
    }
    return true;
}

/* `if`, with its `elif` and `else`; a loop over the branches, since there may be thousands. */
static gm_node *if_statement(gm_parser *parser) {
    uint32_t mark = parser->nodes.count;
    do {
        gm_If *node = GM_MAKE(parser, If, parser->at->start);
        gm_parser_advance(parser);
        node->test = gm_parse_named_expression(parser);
        node->body = gm_parse_block(parser);
        gm_parser_push(parser, &node->base);
        parser->branches++;
    } while (goes_on(parser));
    if (gm_parser_accept(parser, GM_TOKEN_else)) {
        gm_list last = gm_parse_block(parser);
        gm_edit_If(parser->nodes.items[parser->nodes.count - 1])->orelse = last;
    }
    gm_list branches = gm_parser_list(parser, mark);
    parser->branches -= branches.count;
    for (uint32_t i = branches.count; i-- > 0;) {
        gm_parser_finish(parser, branches.items[i]);
        if (i + 1 < branches.count) {
            gm_edit_If(branches.items[i])->orelse = (gm_list){&branches.items[i + 1], 1};
        }
    }
    return branches.items[0];
}

static gm_list else_block(gm_parser *parser) {
    return gm_parser_accept(parser, GM_TOKEN_else) ? gm_parse_block(parser) : (gm_list){NULL, 0};
}

static gm_node *while_statement(gm_parser *parser) {
    gm_While *node = GM_MAKE(parser, While, parser->at->start);
    gm_parser_advance(parser);
    node->test = gm_parse_named_expression(parser);
    node->body = gm_parse_block(parser);
    node->orelse = else_block(parser);
    return gm_parser_finish(parser, &node->base);
}

/* `for`, also behind `async`. */
static gm_node *for_statement(gm_parser *parser, uint32_t start, bool is_async) {
    gm_parser_advance(parser);
    gm_node *target = gm_parse_target_list(parser);
    gm_parser_expect(parser, GM_TOKEN_in);
    gm_node *iter = gm_parse_star_expressions(parser);
    gm_parser_refuse_star(parser, iter, "`*` in the iterable of a `for` statement");
    gm_list body = gm_parse_block(parser);
    gm_list orelse = else_block(parser);
    if (is_async) {
        gm_AsyncFor *node = GM_MAKE(parser, AsyncFor, start);
        node->target = target;
        node->iter = iter;
        node->body = body;
        node->orelse = orelse;
        return &node->base;
    }
    gm_For *node = GM_MAKE(parser, For, start);
    node->target = target;
    node->iter = iter;
    node->body = body;
    node->orelse = orelse;
    return &node->base;
}

/* `with`. */

static gm_node *with_item(gm_parser *parser) {
    gm_withitem *node = GM_MAKE(parser, withitem, parser->at->start);
    node->context_expr = gm_parse_expression(parser);
    if (gm_parser_accept(parser, GM_TOKEN_as)) {
        node->optional_vars = gm_parser_is(parser, GM_TOKEN_STAR) ? gm_parse_starred(parser) : gm_parse_bitwise_or(parser);
        gm_parser_refuse_star(parser, node->optional_vars, "`*` behind `as`");
        gm_parser_set_target(parser, node->optional_vars, GM_TARGET_WITH);
    }
    return gm_parser_finish(parser, &node->base);
}

/* The token behind the `)` that belongs to the current `(`. */
static const gm_token *behind_parentheses(const gm_parser *parser) {
    uint32_t depth = 0;
    for (const gm_token *token = parser->at;; token++) {
        switch (token->kind) {
        case GM_TOKEN_LPAR:
        case GM_TOKEN_LSQB:
        case GM_TOKEN_LBRACE: depth++; break;
        case GM_TOKEN_RPAR:
        case GM_TOKEN_RSQB:
        case GM_TOKEN_RBRACE:
            if (--depth == 0) {
                return token + 1;
            }
            break;
        case GM_TOKEN_NEWLINE:
        case GM_TOKEN_END: return token;
        default: break;
        }
    }
}

/* Items in parentheses, pushed; true when they could be read as such up to `):`. */
static bool parenthesized_items(gm_parser *parser) {
    gm_parser_advance(parser);
    do {
        gm_parser_push(parser, with_item(parser));
    } while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, GM_TOKEN_RPAR));
    return !parser->panic && gm_parser_accept(parser, GM_TOKEN_RPAR) && gm_parser_is(parser, GM_TOKEN_COLON);
}

/* `with (a, b as c):` is tried as items in parentheses and, when that fails, read as an expression in parentheses. */
static bool try_parenthesized_items(gm_parser *parser) {
    if (!gm_parser_is(parser, GM_TOKEN_LPAR) || gm_parser_before(parser, 309) || behind_parentheses(parser)->kind != GM_TOKEN_COLON) {
        return false;
    }
    gm_parser before = *parser;
    parser->trial = true;
    bool found = parenthesized_items(parser);
    if (!found) {
        parser->at = before.at;
        parser->last_end = before.last_end;
        parser->panic = false;
        parser->nodes.count = before.nodes.count;
    }
    parser->trial = before.trial;
    return found;
}

static gm_node *with_statement(gm_parser *parser, uint32_t start, bool is_async) {
    gm_parser_advance(parser);
    uint32_t mark = parser->nodes.count;
    if (!try_parenthesized_items(parser)) {
        do {
            gm_parser_push(parser, with_item(parser));
        } while (gm_parser_accept(parser, GM_TOKEN_COMMA));
    }
    gm_list items = gm_parser_list(parser, mark);
    gm_list body = gm_parse_block(parser);
    if (is_async) {
        gm_AsyncWith *node = GM_MAKE(parser, AsyncWith, start);
        node->items = items;
        node->body = body;
        return &node->base;
    }
    gm_With *node = GM_MAKE(parser, With, start);
    node->items = items;
    node->body = body;
    return &node->base;
}

/* `try`. */

/* `A, B` without parentheses. */
static gm_node *exception_list(gm_parser *parser, gm_node *first, uint32_t start) {
    gm_parser_need(parser, 314, start, "a list of exceptions without parentheses");
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && gm_parser_starts_expression(parser)) {
        gm_parser_push(parser, gm_parse_expression(parser));
    }
    gm_Tuple *node = GM_MAKE(parser, Tuple, start);
    node->elts = gm_parser_list(parser, mark);
    if (gm_parser_is(parser, GM_TOKEN_as)) {
        gm_parser_fail(parser, start, parser->last_end, "several exceptions with `as` must be parenthesized");
    }
    return &node->base;
}

static gm_node *handler(gm_parser *parser, bool *is_star) {
    gm_ExceptHandler *node = GM_MAKE(parser, ExceptHandler, parser->at->start);
    gm_parser_advance(parser);
    uint32_t star = parser->at->start;
    *is_star = gm_parser_accept(parser, GM_TOKEN_STAR);
    if (*is_star) {
        gm_parser_need(parser, 311, star, "`except*`");
    }
    if (*is_star || !gm_parser_is(parser, GM_TOKEN_COLON)) {
        uint32_t start = parser->at->start;
        node->type = gm_parse_expression(parser);
        if (gm_parser_is(parser, GM_TOKEN_COMMA)) {
            node->type = exception_list(parser, node->type, start);
        }
        if (gm_parser_accept(parser, GM_TOKEN_as)) {
            node->name = gm_parser_bound_name(parser);
        }
    }
    node->body = gm_parse_block(parser);
    return gm_parser_finish(parser, &node->base);
}

/* The handlers tell whether the statement is a Try or a TryStar. */
static gm_list handlers(gm_parser *parser, bool *is_star) {
    uint32_t mark = parser->nodes.count;
    while (gm_parser_is(parser, GM_TOKEN_except)) {
        uint32_t start = parser->at->start;
        uint32_t end = parser->at->end;
        bool star = false;
        gm_parser_push(parser, handler(parser, &star));
        if (parser->nodes.count - mark > 1 && star != *is_star) {
            gm_parser_report(parser, start, end, "cannot have both `except` and `except*` on the same `try`");
        }
        *is_star = star;
    }
    return gm_parser_list(parser, mark);
}

static gm_node *try_statement(gm_parser *parser) {
    uint32_t start = parser->at->start;
    uint32_t end = parser->at->end;
    gm_parser_advance(parser);
    gm_list body = gm_parse_block(parser);
    bool is_star = false;
    gm_list caught = handlers(parser, &is_star);
    gm_list orelse = caught.count > 0 ? else_block(parser) : (gm_list){NULL, 0};
    bool has_finally = gm_parser_accept(parser, GM_TOKEN_finally);
    gm_list finalbody = has_finally ? gm_parse_block(parser) : (gm_list){NULL, 0};
    if (caught.count == 0 && !has_finally && !parser->broken_line) {
        gm_parser_report(parser, start, end, "expected `except` or `finally` block");
    }
    if (is_star) {
        gm_TryStar *node = GM_MAKE(parser, TryStar, start);
        node->body = body;
        node->handlers = caught;
        node->orelse = orelse;
        node->finalbody = finalbody;
        return &node->base;
    }
    gm_Try *node = GM_MAKE(parser, Try, start);
    node->body = body;
    node->handlers = caught;
    node->orelse = orelse;
    node->finalbody = finalbody;
    return &node->base;
}

/* Definitions. */

/* The parts that `def` and `async def` share. */
typedef struct signature {
    const gm_name *name;
    gm_list type_params;
    gm_node *args;
    gm_node *returns;
    gm_list body;
} signature;

static signature signature_and_body(gm_parser *parser) {
    signature part = {0};
    gm_parser_expect(parser, GM_TOKEN_def);
    part.name = gm_parser_bound_name(parser);
    part.type_params = gm_parse_type_parameters(parser);
    gm_parser_expect(parser, GM_TOKEN_LPAR);
    part.args = gm_parse_parameters(parser, GM_TOKEN_RPAR, true);
    gm_parser_expect(parser, GM_TOKEN_RPAR);
    if (gm_parser_accept(parser, GM_TOKEN_ARROW)) {
        part.returns = gm_parse_expression(parser);
    }
    part.body = gm_parse_block(parser);
    return part;
}

static gm_node *function(gm_parser *parser, uint32_t start, gm_list decorators) {
    signature part = signature_and_body(parser);
    gm_FunctionDef *node = GM_MAKE(parser, FunctionDef, start);
    node->name = part.name;
    node->args = part.args;
    node->body = part.body;
    node->decorator_list = decorators;
    node->returns = part.returns;
    node->type_params = part.type_params;
    return &node->base;
}

static gm_node *async_function(gm_parser *parser, uint32_t start, gm_list decorators) {
    signature part = signature_and_body(parser);
    gm_AsyncFunctionDef *node = GM_MAKE(parser, AsyncFunctionDef, start);
    node->name = part.name;
    node->args = part.args;
    node->body = part.body;
    node->decorator_list = decorators;
    node->returns = part.returns;
    node->type_params = part.type_params;
    return &node->base;
}

static gm_node *class_definition(gm_parser *parser, gm_list decorators) {
    gm_ClassDef *node = GM_MAKE(parser, ClassDef, parser->at->start);
    gm_parser_advance(parser);
    node->name = gm_parser_bound_name(parser);
    node->type_params = gm_parse_type_parameters(parser);
    uint32_t open = parser->at->start;
    if (gm_parser_accept(parser, GM_TOKEN_LPAR)) {
        gm_parse_arguments(parser, open, &node->bases, &node->keywords);
        if (node->bases.count == 1 && node->bases.items[0]->kind == GM_KIND_GeneratorExp && node->bases.items[0]->start == open) {
            gm_parser_fail(parser, open, parser->last_end, "a class cannot have a bare generator expression as base");
        }
    }
    node->body = gm_parse_block(parser);
    node->decorator_list = decorators;
    return gm_parser_finish(parser, &node->base);
}

/* Python 3.8 takes a dotted name, called at most once. */
static bool is_old_decorator(const gm_node *node) {
    if (node->kind == GM_KIND_Call && (node->flags & GM_FLAG_PARENTHESIZED) == 0) {
        node = gm_as_Call(node)->func;
    }
    while (node->kind == GM_KIND_Attribute && (node->flags & GM_FLAG_PARENTHESIZED) == 0) {
        node = gm_as_Attribute(node)->value;
    }
    return node->kind == GM_KIND_Name && (node->flags & GM_FLAG_PARENTHESIZED) == 0;
}

static gm_list decorators(gm_parser *parser) {
    uint32_t mark = parser->nodes.count;
    while (gm_parser_accept(parser, GM_TOKEN_AT)) {
        gm_node *node = gm_parse_named_expression(parser);
        if (!is_old_decorator(node)) {
            gm_parser_need(parser, 309, node->start, "a decorator that is not a dotted name or a call of one");
        }
        gm_parser_push(parser, node);
        if (!gm_parser_is(parser, GM_TOKEN_NEWLINE)) {
            gm_parser_expected(parser, "end of line");
        }
        gm_parser_end_line(parser);
    }
    return gm_parser_list(parser, mark);
}

static gm_node *decorated(gm_parser *parser) {
    gm_list list = decorators(parser);
    uint32_t start = parser->at->start;
    if (gm_parser_is(parser, GM_TOKEN_def)) {
        return function(parser, start, list);
    }
    if (gm_parser_is(parser, GM_TOKEN_class)) {
        return class_definition(parser, list);
    }
    if (gm_parser_is(parser, GM_TOKEN_async) && parser->at[1].kind == GM_TOKEN_def) {
        gm_parser_advance(parser);
        return async_function(parser, start, list);
    }
    if (!parser->broken_line) {
        gm_parser_expected(parser, "a function or class behind decorators");
    }
    return NULL;
}

static gm_node *async_statement(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_parser_advance(parser);
    switch (parser->at->kind) {
    case GM_TOKEN_def: return async_function(parser, start, (gm_list){NULL, 0});
    case GM_TOKEN_for: return for_statement(parser, start, true);
    case GM_TOKEN_with: return with_statement(parser, start, true);
    default: gm_parser_expected(parser, "`def`, `for` or `with` behind `async`"); return NULL;
    }
}

/* `match`. */

/* Whether a line that starts with the name `match` is a `match` statement: no other statement ends in `:`. */
static bool is_match(const gm_parser *parser) {
    if (!gm_parser_is(parser, GM_TOKEN_NAME) || (parser->at->flags & GM_NAME_SOFT) != GM_NAME_MATCH) {
        return false;
    }
    const gm_token *token = parser->at + 1;
    if (token->kind == GM_TOKEN_EQUAL || token->kind == GM_TOKEN_DOT || token->kind == GM_TOKEN_COLON) {
        return false;
    }
    while (token->kind != GM_TOKEN_NEWLINE && token->kind != GM_TOKEN_END) {
        token++;
    }
    return token[-1].kind == GM_TOKEN_COLON;
}

static gm_node *match_statement(gm_parser *parser) {
    gm_Match *node = GM_MAKE(parser, Match, parser->at->start);
    gm_parser_need(parser, 310, parser->at->start, "the `match` statement");
    gm_parser_advance(parser);
    node->subject = gm_parse_match_subject(parser);
    gm_parser_expect(parser, GM_TOKEN_COLON);
    node->cases = gm_parse_cases(parser);
    return gm_parser_finish(parser, &node->base);
}

gm_node *gm_parse_compound(gm_parser *parser) {
    switch (parser->at->kind) {
    case GM_TOKEN_NAME: return is_match(parser) ? match_statement(parser) : NULL;
    case GM_TOKEN_if: return if_statement(parser);
    case GM_TOKEN_for: return for_statement(parser, parser->at->start, false);
    case GM_TOKEN_while: return while_statement(parser);
    case GM_TOKEN_with: return with_statement(parser, parser->at->start, false);
    case GM_TOKEN_try: return try_statement(parser);
    case GM_TOKEN_def: return function(parser, parser->at->start, (gm_list){NULL, 0});
    case GM_TOKEN_class: return class_definition(parser, (gm_list){NULL, 0});
    case GM_TOKEN_async: return async_statement(parser);
    case GM_TOKEN_AT: return decorated(parser);
    default: return NULL;
    }
}
