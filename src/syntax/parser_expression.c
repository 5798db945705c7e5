#include "syntax/parser.h"

#include <string.h>

/* Binding power of infix operators; 0: the token is none. */
enum {
    POWER_OR = 1,
    POWER_AND,
    POWER_NOT,
    POWER_COMPARE,
    POWER_BITOR,
    POWER_BITXOR,
    POWER_BITAND,
    POWER_SHIFT,
    POWER_ADD,
    POWER_MULTIPLY,
    POWER_UNARY,
    POWER_POWER
};

typedef struct infix {
    uint8_t power;
    uint8_t operator;
} infix;

static const infix infixes[GM_TOKEN_COUNT] = {
    [GM_TOKEN_or] = {POWER_OR, GM_OP_Or},
    [GM_TOKEN_and] = {POWER_AND, GM_OP_And},
    [GM_TOKEN_EQ] = {POWER_COMPARE, GM_OP_Eq},
    [GM_TOKEN_NE] = {POWER_COMPARE, GM_OP_NotEq},
    [GM_TOKEN_LT] = {POWER_COMPARE, GM_OP_Lt},
    [GM_TOKEN_LE] = {POWER_COMPARE, GM_OP_LtE},
    [GM_TOKEN_GT] = {POWER_COMPARE, GM_OP_Gt},
    [GM_TOKEN_GE] = {POWER_COMPARE, GM_OP_GtE},
    [GM_TOKEN_is] = {POWER_COMPARE, GM_OP_Is},
    [GM_TOKEN_in] = {POWER_COMPARE, GM_OP_In},
    [GM_TOKEN_not] = {POWER_COMPARE, GM_OP_NotIn},
    [GM_TOKEN_BAR] = {POWER_BITOR, GM_OP_BitOr},
    [GM_TOKEN_CARET] = {POWER_BITXOR, GM_OP_BitXor},
    [GM_TOKEN_AMPERSAND] = {POWER_BITAND, GM_OP_BitAnd},
    [GM_TOKEN_SHIFT_LEFT] = {POWER_SHIFT, GM_OP_LShift},
    [GM_TOKEN_SHIFT_RIGHT] = {POWER_SHIFT, GM_OP_RShift},
    [GM_TOKEN_PLUS] = {POWER_ADD, GM_OP_Add},
    [GM_TOKEN_MINUS] = {POWER_ADD, GM_OP_Sub},
    [GM_TOKEN_STAR] = {POWER_MULTIPLY, GM_OP_Mult},
    [GM_TOKEN_SLASH] = {POWER_MULTIPLY, GM_OP_Div},
    [GM_TOKEN_PERCENT] = {POWER_MULTIPLY, GM_OP_Mod},
    [GM_TOKEN_AT] = {POWER_MULTIPLY, GM_OP_MatMult},
    [GM_TOKEN_SLASH_SLASH] = {POWER_MULTIPLY, GM_OP_FloorDiv},
    [GM_TOKEN_POWER] = {POWER_POWER, GM_OP_Pow},
};

/* Tokens that can begin an expression, `*` not among them. */
static const bool starters[GM_TOKEN_COUNT] = {
    [GM_TOKEN_NAME] = true,     [GM_TOKEN_INT] = true,    [GM_TOKEN_FLOAT] = true,         [GM_TOKEN_IMAGINARY] = true,
    [GM_TOKEN_STRING] = true,   [GM_TOKEN_LPAR] = true,   [GM_TOKEN_FSTRING_START] = true, [GM_TOKEN_LSQB] = true,
    [GM_TOKEN_LBRACE] = true,   [GM_TOKEN_TILDE] = true,  [GM_TOKEN_PLUS] = true,          [GM_TOKEN_MINUS] = true,
    [GM_TOKEN_ELLIPSIS] = true, [GM_TOKEN_None] = true,   [GM_TOKEN_True] = true,          [GM_TOKEN_False] = true,
    [GM_TOKEN_await] = true,    [GM_TOKEN_lambda] = true, [GM_TOKEN_not] = true,           [GM_TOKEN_ERROR] = true,
};

bool gm_parser_starts_expression(const gm_parser *parser) {
    return starters[parser->at->kind] || parser->at->kind == GM_TOKEN_STAR;
}

static gm_node *operators(gm_parser *parser, unsigned minimum);

static gm_operator unary_operator(gm_token_kind kind) {
    switch (kind) {
    case GM_TOKEN_PLUS: return GM_OP_UAdd;
    case GM_TOKEN_MINUS: return GM_OP_USub;
    case GM_TOKEN_TILDE: return GM_OP_Invert;
    case GM_TOKEN_not: return GM_OP_Not;
    default: return GM_OP_NONE;
    }
}

/* A run of prefix operators and their operand; a loop, since the run may be long. */
static gm_node *unary(gm_parser *parser, bool is_not) {
    const gm_token *first = parser->at;
    if (is_not) {
        while (gm_parser_is(parser, GM_TOKEN_not)) {
            gm_parser_advance(parser);
        }
    } else {
        while (parser->at->kind != GM_TOKEN_not && unary_operator(parser->at->kind) != GM_OP_NONE) {
            gm_parser_advance(parser);
        }
    }
    const gm_token *token = parser->at;
    if ((size_t)(token - first) >= parser->depth_limit - parser->depth) {
        gm_parser_limit(parser, first->start, first->end, parser->depth_limit, GM_LEVELS);
        return gm_parser_error_node(parser, first->start);
    }
    gm_node *operand = operators(parser, is_not ? POWER_NOT + 1 : POWER_POWER);
    while (token-- > first) {
        gm_UnaryOp *node = GM_MAKE(parser, UnaryOp, token->start);
        node->op = (uint8_t)unary_operator(token->kind);
        node->operand = operand;
        operand = &node->base;
    }
    return operand;
}

static gm_node *boolean(gm_parser *parser, gm_node *left, uint32_t start, infix found) {
    gm_token_kind kind = parser->at->kind;
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, left);
    while (gm_parser_accept(parser, kind)) {
        gm_parser_push(parser, operators(parser, found.power + 1U));
    }
    gm_BoolOp *node = GM_MAKE(parser, BoolOp, start);
    node->op = found.operator;
    node->values = gm_parser_list(parser, mark);
    return &node->base;
}

/* Consume a comparison operator; GM_OP_NONE (and an error) for a `not` without `in`. */
static uint8_t comparison_operator(gm_parser *parser) {
    uint8_t operator = infixes[parser->at->kind].operator;
    gm_parser_advance(parser);
    if (operator == GM_OP_NotIn) {
        gm_parser_expect(parser, GM_TOKEN_in);
    } else if (operator == GM_OP_Is && gm_parser_accept(parser, GM_TOKEN_not)) {
        operator = GM_OP_IsNot;
    }
    return operator;
}

static gm_node *comparison(gm_parser *parser, gm_node *left, uint32_t start) {
    uint32_t mark = parser->nodes.count;
    uint32_t operator_mark = parser->operators.count;
    while (infixes[parser->at->kind].power == POWER_COMPARE) {
        uint8_t operator = comparison_operator(parser);
        gm_vec_push(parser->arena, &parser->operators, operator);
        gm_parser_push(parser, operators(parser, POWER_COMPARE + 1));
    }
    gm_Compare *node = GM_MAKE(parser, Compare, start);
    node->left = left;
    node->comparators = gm_parser_list(parser, mark);
    node->ops.count = node->comparators.count;
    node->ops.items = gm_arena_alloc(parser->arena, node->ops.count);
    memcpy(node->ops.items, parser->operators.items + operator_mark, node->ops.count);
    parser->operators.count = operator_mark;
    return &node->base;
}

static gm_node *binary(gm_parser *parser, gm_node *left, uint32_t start, infix found) {
    gm_parser_advance(parser);
    /* `**` binds to the right, and looser than a unary operator on its right. */
    gm_node *right = NULL;
    if (found.power == POWER_POWER) {
        right = gm_parser_enter(parser) ? operators(parser, POWER_POWER) : gm_parser_error_node(parser, parser->at->start);
        gm_parser_leave(parser);
    } else {
        right = operators(parser, found.power + 1U);
    }
    gm_BinOp *node = GM_MAKE(parser, BinOp, start);
    node->left = left;
    node->op = found.operator;
    node->right = right;
    return &node->base;
}

static gm_node *operators(gm_parser *parser, unsigned minimum) {
    uint32_t start = parser->at->start;
    gm_node *left = NULL;
    uint32_t terms = gm_parser_begin_chain(parser);
    gm_operator prefix = unary_operator(parser->at->kind);
    if (prefix == GM_OP_NONE || (prefix == GM_OP_Not && minimum > POWER_NOT)) {
        left = gm_parse_primary(parser);
    } else {
        left = unary(parser, prefix == GM_OP_Not);
    }
    for (;; parser->terms++) {
        infix found = infixes[parser->at->kind];
        if (found.power == 0 || found.power < minimum) {
            gm_parser_end_chain(parser, terms);
            return left;
        }
        if (parser->terms >= GM_TERMS_LIMIT) {
            gm_parser_limit(parser, start, parser->at->end, GM_TERMS_LIMIT, GM_TERMS);
            return left;
        }
        if (found.power <= POWER_AND) {
            left = boolean(parser, left, start, found);
        } else if (found.power == POWER_COMPARE) {
            left = comparison(parser, left, start);
        } else {
            left = binary(parser, left, start, found);
        }
    }
}

gm_node *gm_parse_bitwise_or(gm_parser *parser) {
    return operators(parser, POWER_BITOR);
}

gm_node *gm_parse_disjunction(gm_parser *parser) {
    return operators(parser, POWER_OR);
}

static gm_node *lambda(gm_parser *parser) {
    gm_Lambda *node = GM_MAKE(parser, Lambda, parser->at->start);
    parser->tree->has_lambda = true;
    gm_parser_advance(parser);
    node->args = gm_parse_parameters(parser, GM_TOKEN_COLON, false);
    gm_parser_expect(parser, GM_TOKEN_COLON);
    if (gm_parser_enter(parser)) {
        node->body = gm_parse_expression(parser);
    } else {
        node->body = gm_parser_error_node(parser, parser->at->start);
    }
    gm_parser_leave(parser);
    return gm_parser_finish(parser, &node->base);
}

/* Python 3.8 has `lambda` here, later versions have not. */
gm_node *gm_parse_comprehension_condition(gm_parser *parser) {
    bool old = parser->target == 0 || parser->target == 308;
    return old && gm_parser_is(parser, GM_TOKEN_lambda) ? lambda(parser) : operators(parser, POWER_OR);
}

static gm_node *conditional(gm_parser *parser, gm_node *body, uint32_t start) {
    gm_IfExp *node = GM_MAKE(parser, IfExp, start);
    gm_parser_advance(parser);
    node->body = body;
    node->test = operators(parser, POWER_OR);
    gm_parser_expect(parser, GM_TOKEN_else);
    if (gm_parser_enter(parser)) {
        node->orelse = gm_parse_expression(parser);
    } else {
        node->orelse = gm_parser_error_node(parser, parser->at->start);
    }
    gm_parser_leave(parser);
    return gm_parser_finish(parser, &node->base);
}

gm_node *gm_parse_expression(gm_parser *parser) {
    if (gm_parser_is(parser, GM_TOKEN_lambda)) {
        return lambda(parser);
    }
    uint32_t start = parser->at->start;
    gm_node *node = operators(parser, POWER_OR);
    return gm_parser_is(parser, GM_TOKEN_if) ? conditional(parser, node, start) : node;
}

gm_node *gm_parse_named_expression(gm_parser *parser) {
    uint32_t start = parser->at->start;
    bool named = gm_parser_is(parser, GM_TOKEN_NAME) && parser->at[1].kind == GM_TOKEN_WALRUS;
    gm_node *target = named ? gm_parse_name(parser, GM_LOAD) : gm_parse_expression(parser);
    /* Python 3.8 takes a name in parentheses too. */
    bool old = parser->target < 309 && target->kind == GM_KIND_Name;
    if (!gm_parser_is(parser, GM_TOKEN_WALRUS) || !(named || old)) {
        return target;
    }
    gm_NamedExpr *node = GM_MAKE(parser, NamedExpr, start);
    gm_parser_set_target(parser, target, GM_TARGET_ASSIGN);
    gm_parser_advance(parser);
    node->target = target;
    node->value = gm_parse_expression(parser);
    return gm_parser_finish(parser, &node->base);
}

gm_node *gm_parse_starred(gm_parser *parser) {
    gm_Starred *node = GM_MAKE(parser, Starred, parser->at->start);
    gm_parser_expect(parser, GM_TOKEN_STAR);
    node->value = operators(parser, POWER_BITOR);
    return gm_parser_finish(parser, &node->base);
}

gm_node *gm_parse_starred_expression(gm_parser *parser) {
    gm_Starred *node = GM_MAKE(parser, Starred, parser->at->start);
    gm_parser_expect(parser, GM_TOKEN_STAR);
    node->value = gm_parse_expression(parser);
    return gm_parser_finish(parser, &node->base);
}

gm_node *gm_parse_star_named(gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_STAR) ? gm_parse_starred(parser) : gm_parse_named_expression(parser);
}

static gm_node *star_expression(gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_STAR) ? gm_parse_starred(parser) : gm_parse_expression(parser);
}

/* The rest of a tuple without parentheses, at its first comma. */
static gm_node *bare_tuple(gm_parser *parser, gm_node *first, uint32_t start, gm_node *(*element)(gm_parser *parser)) {
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && gm_parser_starts_expression(parser)) {
        gm_parser_push(parser, element(parser));
    }
    gm_Tuple *node = GM_MAKE(parser, Tuple, start);
    node->elts = gm_parser_list(parser, mark);
    return &node->base;
}

gm_node *gm_parse_star_expressions(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *first = star_expression(parser);
    return gm_parser_is(parser, GM_TOKEN_COMMA) ? bare_tuple(parser, first, start, star_expression) : first;
}

static gm_node *yield(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_parser_advance(parser);
    if (gm_parser_accept(parser, GM_TOKEN_from)) {
        gm_YieldFrom *node = GM_MAKE(parser, YieldFrom, start);
        node->value = gm_parse_expression(parser);
        return gm_parser_finish(parser, &node->base);
    }
    gm_Yield *node = GM_MAKE(parser, Yield, start);
    if (gm_parser_starts_expression(parser)) {
        node->value = gm_parse_star_expressions(parser);
    }
    return gm_parser_finish(parser, &node->base);
}

gm_node *gm_parse_yield_or_star(gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_yield) ? yield(parser) : gm_parse_star_expressions(parser);
}

static gm_node *target_element(gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_STAR) ? gm_parse_starred(parser) : operators(parser, POWER_BITOR);
}

gm_node *gm_parse_target_list(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *target = target_element(parser);
    if (gm_parser_is(parser, GM_TOKEN_COMMA)) {
        target = bare_tuple(parser, target, start, target_element);
    }
    gm_parser_set_target(parser, target, GM_TARGET_FOR);
    return target;
}

/* Subscripts. */

static bool ends_slice(const gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_COLON) || gm_parser_is(parser, GM_TOKEN_COMMA) || gm_parser_is(parser, GM_TOKEN_RSQB);
}

static gm_node *slice_rest(gm_parser *parser, gm_node *lower, uint32_t start) {
    gm_Slice *node = GM_MAKE(parser, Slice, start);
    gm_parser_expect(parser, GM_TOKEN_COLON);
    node->lower = lower;
    if (!ends_slice(parser)) {
        node->upper = gm_parse_expression(parser);
    }
    if (gm_parser_accept(parser, GM_TOKEN_COLON) && !ends_slice(parser)) {
        node->step = gm_parse_expression(parser);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *slice(gm_parser *parser) {
    uint32_t start = parser->at->start;
    if (gm_parser_is(parser, GM_TOKEN_COLON)) {
        return slice_rest(parser, NULL, start);
    }
    if (gm_parser_is(parser, GM_TOKEN_STAR)) {
        gm_parser_need(parser, 311, start, "`*` in a subscript");
        return gm_parse_starred_expression(parser);
    }
    gm_node *node = gm_parse_named_expression(parser);
    if (node->kind == GM_KIND_NamedExpr && (node->flags & GM_FLAG_PARENTHESIZED) == 0) {
        gm_parser_need(parser, 310, start, "an assignment expression without parentheses in a subscript");
        return node;
    }
    return gm_parser_is(parser, GM_TOKEN_COLON) ? slice_rest(parser, node, start) : node;
}

gm_node *gm_parse_slices(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *first = slice(parser);
    if (!gm_parser_is(parser, GM_TOKEN_COMMA) && first->kind != GM_KIND_Starred) {
        return first;
    }
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, GM_TOKEN_RSQB)) {
        gm_parser_push(parser, slice(parser));
    }
    gm_Tuple *node = GM_MAKE(parser, Tuple, start);
    node->elts = gm_parser_list(parser, mark);
    return &node->base;
}
