#include "syntax/parser.h"

/* Patterns nest in brackets alone, which the lexer bounds. */
static gm_node *pattern(gm_parser *parser);

gm_node *gm_parse_match_subject(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *first = gm_parse_star_named(parser);
    if (!gm_parser_is(parser, GM_TOKEN_COMMA)) {
        if (first->kind == GM_KIND_Starred) {
            gm_parser_expected(parser, "`,`");
        }
        return first;
    }
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && gm_parser_starts_expression(parser)) {
        gm_parser_push(parser, gm_parse_star_named(parser));
    }
    gm_Tuple *node = GM_MAKE(parser, Tuple, start);
    node->elts = gm_parser_list(parser, mark);
    return &node->base;
}

static gm_node *value_pattern(gm_parser *parser, gm_node *value, uint32_t start) {
    gm_MatchValue *node = GM_MAKE(parser, MatchValue, start);
    node->value = value;
    return &node->base;
}

static gm_node *singleton_pattern(gm_parser *parser, gm_literal literal) {
    gm_MatchSingleton *node = GM_MAKE(parser, MatchSingleton, parser->at->start);
    node->value.literal = (uint8_t)literal;
    gm_parser_advance(parser);
    return gm_parser_finish(parser, &node->base);
}

static bool at_number(const gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_INT) || gm_parser_is(parser, GM_TOKEN_FLOAT) || gm_parser_is(parser, GM_TOKEN_IMAGINARY);
}

static gm_node *unsigned_number(gm_parser *parser) {
    uint32_t start = parser->at->start;
    if (!at_number(parser)) {
        gm_parser_expected(parser, "a number");
        return gm_parser_error_node(parser, start);
    }
    return gm_parse_number(parser);
}

static gm_node *signed_number(gm_parser *parser) {
    uint32_t start = parser->at->start;
    if (!gm_parser_accept(parser, GM_TOKEN_MINUS)) {
        return unsigned_number(parser);
    }
    gm_UnaryOp *node = GM_MAKE(parser, UnaryOp, start);
    node->op = GM_OP_USub;
    node->operand = unsigned_number(parser);
    return gm_parser_finish(parser, &node->base);
}

/* `-1`, `1 + 2j`. */
static gm_node *number(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *left = signed_number(parser);
    bool left_imaginary = parser->at[-1].kind == GM_TOKEN_IMAGINARY;
    if (!gm_parser_is(parser, GM_TOKEN_PLUS) && !gm_parser_is(parser, GM_TOKEN_MINUS)) {
        return left;
    }
    gm_BinOp *node = GM_MAKE(parser, BinOp, start);
    node->op = gm_parser_is(parser, GM_TOKEN_PLUS) ? GM_OP_Add : GM_OP_Sub;
    gm_parser_advance(parser);
    if (left_imaginary) {
        gm_parser_fail(parser, left->start, left->end, "real number required in a complex literal");
    } else if (!gm_parser_is(parser, GM_TOKEN_IMAGINARY)) {
        gm_parser_expected(parser, "an imaginary number");
    }
    node->left = left;
    node->right = unsigned_number(parser);
    return gm_parser_finish(parser, &node->base);
}

/* `a.b.c`, at least one name. */
static gm_node *dotted(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *node = gm_parse_name(parser, GM_LOAD);
    while (gm_parser_accept(parser, GM_TOKEN_DOT)) {
        gm_Attribute *outer = GM_MAKE(parser, Attribute, start);
        outer->value = node;
        outer->attr = gm_parser_name(parser);
        node = gm_parser_finish(parser, &outer->base);
    }
    return node;
}

static bool is_wildcard(const gm_token *token) {
    return token->kind == GM_TOKEN_NAME && (token->flags & GM_NAME_SOFT) == GM_NAME_WILDCARD;
}

/* The name, NULL for `_`. */
static const gm_name *capture_name(gm_parser *parser) {
    bool wildcard = is_wildcard(parser->at);
    const gm_name *name = gm_parser_name(parser);
    return wildcard ? NULL : name;
}

/* A name that may not be `_`. */
static const gm_name *target_name(gm_parser *parser) {
    if (is_wildcard(parser->at)) {
        gm_parser_fail(parser, parser->at->start, parser->at->end, "cannot use `_` as a target");
    }
    return gm_parser_name(parser);
}

static gm_node *star_pattern(gm_parser *parser) {
    gm_MatchStar *node = GM_MAKE(parser, MatchStar, parser->at->start);
    gm_parser_advance(parser);
    node->name = capture_name(parser);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *element(gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_STAR) ? star_pattern(parser) : pattern(parser);
}

static gm_node *bracketed_sequence(gm_parser *parser) {
    gm_MatchSequence *node = GM_MAKE(parser, MatchSequence, parser->at->start);
    gm_parser_advance(parser);
    uint32_t mark = parser->nodes.count;
    while (!gm_parser_is(parser, GM_TOKEN_RSQB) && !parser->panic) {
        gm_parser_push(parser, element(parser));
        if (!gm_parser_accept(parser, GM_TOKEN_COMMA)) {
            break;
        }
    }
    gm_parser_expect(parser, GM_TOKEN_RSQB);
    node->patterns = gm_parser_list(parser, mark);
    return gm_parser_finish(parser, &node->base);
}

/* A group or a sequence. */
static gm_node *parenthesized(gm_parser *parser) {
    uint32_t start = parser->at->start;
    uint32_t mark = parser->nodes.count;
    bool sequence = true;
    gm_parser_advance(parser);
    while (!gm_parser_is(parser, GM_TOKEN_RPAR) && !parser->panic) {
        gm_parser_push(parser, element(parser));
        if (!gm_parser_accept(parser, GM_TOKEN_COMMA)) {
            sequence = parser->nodes.count - mark > 1;
            break;
        }
    }
    gm_parser_expect(parser, GM_TOKEN_RPAR);
    if (!sequence) {
        gm_node *group = parser->nodes.items[mark];
        parser->nodes.count = mark;
        if (group->kind == GM_KIND_MatchStar) {
            gm_parser_fail(parser, group->start, group->end, "a starred pattern in parentheses needs a comma");
        }
        group->flags |= GM_FLAG_PARENTHESIZED;
        return group;
    }
    gm_MatchSequence *node = GM_MAKE(parser, MatchSequence, start);
    node->patterns = gm_parser_list(parser, mark);
    return &node->base;
}

static gm_node *mapping_key(gm_parser *parser) {
    uint32_t start = parser->at->start;
    if (gm_parser_is(parser, GM_TOKEN_NAME) && parser->at[1].kind == GM_TOKEN_DOT) {
        return dotted(parser);
    }
    if (at_number(parser) || gm_parser_is(parser, GM_TOKEN_MINUS)) {
        return number(parser);
    }
    switch (parser->at->kind) {
    case GM_TOKEN_STRING:
    case GM_TOKEN_FSTRING_START: return gm_parse_strings(parser);
    case GM_TOKEN_None:
    case GM_TOKEN_True:
    case GM_TOKEN_False: return gm_parse_primary_atom(parser);
    default: break;
    }
    gm_parser_expected(parser, "a literal or a dotted name as key");
    return gm_parser_error_node(parser, start);
}

static gm_node *mapping(gm_parser *parser) {
    gm_MatchMapping *node = GM_MAKE(parser, MatchMapping, parser->at->start);
    gm_parser_advance(parser);
    uint32_t mark = parser->nodes.count;
    while (!gm_parser_is(parser, GM_TOKEN_RBRACE) && node->rest == NULL && !parser->panic) {
        if (gm_parser_accept(parser, GM_TOKEN_POWER)) {
            node->rest = target_name(parser);
        } else {
            gm_parser_push(parser, mapping_key(parser));
            gm_parser_expect(parser, GM_TOKEN_COLON);
            gm_parser_push(parser, pattern(parser));
        }
        if (!gm_parser_accept(parser, GM_TOKEN_COMMA)) {
            break;
        }
    }
    gm_parser_expect(parser, GM_TOKEN_RBRACE);
    gm_parser_pairs(parser, mark, &node->keys, &node->patterns);
    return gm_parser_finish(parser, &node->base);
}

static void class_keyword(gm_parser *parser) {
    const gm_name *name = gm_parser_name(parser);
    gm_parser_expect(parser, GM_TOKEN_EQUAL);
    gm_vec_push(parser->arena, &parser->names, name);
    gm_parser_push(parser, pattern(parser));
}

static gm_node *class_pattern(gm_parser *parser, gm_node *cls) {
    gm_MatchClass *node = GM_MAKE(parser, MatchClass, cls->start);
    uint32_t mark = parser->nodes.count;
    uint32_t name_mark = parser->names.count;
    node->cls = cls;
    gm_parser_advance(parser);
    while (!gm_parser_is(parser, GM_TOKEN_RPAR) && !parser->panic) {
        bool is_keyword = gm_parser_is(parser, GM_TOKEN_NAME) && parser->at[1].kind == GM_TOKEN_EQUAL;
        if (is_keyword && parser->names.count == name_mark) {
            if (is_wildcard(parser->at) && parser->nodes.count > mark) {
                /* CPython takes this `_` for the last positional pattern. */
                gm_parser_fail(parser, parser->at->start, parser->at->end, "`_` cannot be the first keyword behind positional patterns");
            }
            node->patterns = gm_parser_list(parser, mark);
        }
        if (is_keyword) {
            class_keyword(parser);
        } else {
            if (parser->names.count > name_mark) {
                gm_parser_fail(parser, parser->at->start, parser->at->end, "positional patterns follow keyword patterns");
            }
            gm_parser_push(parser, pattern(parser));
        }
        if (!gm_parser_accept(parser, GM_TOKEN_COMMA)) {
            break;
        }
    }
    gm_parser_expect(parser, GM_TOKEN_RPAR);
    if (parser->names.count == name_mark) {
        node->patterns = gm_parser_list(parser, mark);
    } else {
        node->kwd_patterns = gm_parser_list(parser, mark);
        node->kwd_attrs = gm_parser_name_list(parser, name_mark);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *name_pattern(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_token_kind next = parser->at[1].kind;
    if ((next == GM_TOKEN_DOT || next == GM_TOKEN_LPAR) && !is_wildcard(parser->at)) {
        gm_node *name = dotted(parser);
        return gm_parser_is(parser, GM_TOKEN_LPAR) ? class_pattern(parser, name) : value_pattern(parser, name, start);
    }
    gm_MatchAs *node = GM_MAKE(parser, MatchAs, start);
    node->name = capture_name(parser);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *closed_pattern(gm_parser *parser) {
    uint32_t start = parser->at->start;
    switch (parser->at->kind) {
    case GM_TOKEN_NAME: return name_pattern(parser);
    case GM_TOKEN_MINUS:
    case GM_TOKEN_INT:
    case GM_TOKEN_FLOAT:
    case GM_TOKEN_IMAGINARY: return value_pattern(parser, number(parser), start);
    case GM_TOKEN_STRING:
    case GM_TOKEN_FSTRING_START: return value_pattern(parser, gm_parse_strings(parser), start);
    case GM_TOKEN_None: return singleton_pattern(parser, GM_LITERAL_None);
    case GM_TOKEN_True: return singleton_pattern(parser, GM_LITERAL_True);
    case GM_TOKEN_False: return singleton_pattern(parser, GM_LITERAL_False);
    case GM_TOKEN_LPAR: return parenthesized(parser);
    case GM_TOKEN_LSQB: return bracketed_sequence(parser);
    case GM_TOKEN_LBRACE: return mapping(parser);
    default:
        gm_parser_expected(parser, "a pattern");
        gm_MatchAs *node = GM_MAKE(parser, MatchAs, start);
        node->base.flags = GM_FLAG_ERROR;
        return &node->base;
    }
}

static gm_node *or_pattern(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *first = closed_pattern(parser);
    if (!gm_parser_is(parser, GM_TOKEN_BAR)) {
        return first;
    }
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_BAR)) {
        gm_parser_push(parser, closed_pattern(parser));
    }
    gm_MatchOr *node = GM_MAKE(parser, MatchOr, start);
    node->patterns = gm_parser_list(parser, mark);
    return &node->base;
}

static gm_node *pattern(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *inner = or_pattern(parser);
    if (!gm_parser_accept(parser, GM_TOKEN_as)) {
        return inner;
    }
    gm_MatchAs *node = GM_MAKE(parser, MatchAs, start);
    node->pattern = inner;
    node->name = target_name(parser);
    return gm_parser_finish(parser, &node->base);
}

/* What stands behind `case`: a pattern, or a sequence without brackets. */
static gm_node *patterns(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *first = element(parser);
    if (!gm_parser_is(parser, GM_TOKEN_COMMA)) {
        if (first->kind == GM_KIND_MatchStar) {
            gm_parser_expected(parser, "`,`");
        }
        return first;
    }
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, GM_TOKEN_COLON) && !gm_parser_is(parser, GM_TOKEN_if) &&
           !parser->panic) {
        gm_parser_push(parser, element(parser));
    }
    gm_MatchSequence *node = GM_MAKE(parser, MatchSequence, start);
    node->patterns = gm_parser_list(parser, mark);
    return &node->base;
}

static gm_node *case_block(gm_parser *parser) {
    gm_match_case *node = GM_MAKE(parser, match_case, parser->at->start);
    gm_parser_advance(parser);
    node->pattern = patterns(parser);
    if (gm_parser_accept(parser, GM_TOKEN_if)) {
        node->guard = gm_parse_named_expression(parser);
    }
    node->body = gm_parse_block(parser);
    return gm_parser_finish(parser, &node->base);
}

static bool at_case(const gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_NAME) && (parser->at->flags & GM_NAME_SOFT) == GM_NAME_CASE;
}

/* Statements where `case` should be: reported once, read and dropped. */
static void skip_statements(gm_parser *parser) {
    gm_parser_expected(parser, "`case`");
    gm_parser_end_line(parser);
}

gm_list gm_parse_cases(gm_parser *parser) {
    uint32_t mark = parser->nodes.count;
    gm_parser_end_line(parser);
    if (!gm_parser_is(parser, GM_TOKEN_INDENT)) {
        if (!parser->broken_line) {
            gm_parser_report(parser, parser->at->start, parser->at->end, "expected an indented block behind `match`");
        }
        return (gm_list){NULL, 0};
    }
    parser->at++;
    while (at_case(parser)) {
        gm_parser_push(parser, case_block(parser));
    }
    gm_list cases = gm_parser_list(parser, mark);
    if (!gm_parser_is(parser, GM_TOKEN_DEDENT) && !gm_parser_is(parser, GM_TOKEN_END)) {
        skip_statements(parser);
        gm_parse_statements(parser, GM_TOKEN_DEDENT);
        parser->nodes.count = mark;
    }
    if (gm_parser_is(parser, GM_TOKEN_DEDENT)) {
        parser->at++;
    }
    return cases;
}
