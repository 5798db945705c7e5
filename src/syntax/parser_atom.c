#include "syntax/parser.h"

gm_node *gm_parse_name(gm_parser *parser, gm_context context) {
    gm_Name *node = GM_MAKE(parser, Name, parser->at->start);
    node->id = gm_parser_intern(parser, parser->at);
    node->ctx = (uint8_t)context;
    gm_parser_advance(parser);
    return gm_parser_finish(parser, &node->base);
}

static gm_constant single_part(gm_parser *parser, gm_literal literal, const gm_token *token) {
    gm_constant value = {(uint8_t)literal, 1, gm_arena_alloc(parser->arena, sizeof(gm_part))};
    value.parts[0] = (gm_part){token->start, token->end, 0};
    return value;
}

gm_node *gm_parse_number(gm_parser *parser) {
    const gm_token *token = parser->at;
    gm_literal literal = token->kind == GM_TOKEN_INT     ? GM_LITERAL_int
                         : token->kind == GM_TOKEN_FLOAT ? GM_LITERAL_float
                                                         : GM_LITERAL_complex;
    gm_Constant *node = GM_MAKE(parser, Constant, token->start);
    node->value = single_part(parser, literal, token);
    gm_parser_advance(parser);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *singleton(gm_parser *parser, gm_literal literal) {
    gm_Constant *node = GM_MAKE(parser, Constant, parser->at->start);
    node->value.literal = (uint8_t)literal;
    gm_parser_advance(parser);
    return gm_parser_finish(parser, &node->base);
}

/* Comprehensions. */

bool gm_parser_at_comprehension(const gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_for) || (gm_parser_is(parser, GM_TOKEN_async) && parser->at[1].kind == GM_TOKEN_for);
}

static gm_node *comprehension_clause(gm_parser *parser) {
    gm_comprehension *node = GM_MAKE(parser, comprehension, parser->at->start);
    node->is_async = gm_parser_accept(parser, GM_TOKEN_async);
    gm_parser_advance(parser);
    node->target = gm_parse_target_list(parser);
    gm_parser_expect(parser, GM_TOKEN_in);
    node->iter = gm_parse_disjunction(parser);
    uint32_t mark = parser->nodes.count;
    while (gm_parser_accept(parser, GM_TOKEN_if)) {
        gm_parser_push(parser, gm_parse_comprehension_condition(parser));
    }
    node->ifs = gm_parser_list(parser, mark);
    return gm_parser_finish(parser, &node->base);
}

gm_list gm_parse_comprehension_clauses(gm_parser *parser) {
    uint32_t mark = parser->nodes.count;
    while (gm_parser_at_comprehension(parser)) {
        gm_parser_push(parser, comprehension_clause(parser));
    }
    return gm_parser_list(parser, mark);
}

static void refuse_starred_element(gm_parser *parser, const gm_node *element) {
    if (element->kind == GM_KIND_Starred) {
        gm_parser_report(parser, element->start, element->end, "iterable unpacking cannot be used in a comprehension");
    }
}

/* Parentheses. */

gm_node *gm_parse_generator(gm_parser *parser, gm_node *element, uint32_t start) {
    refuse_starred_element(parser, element);
    gm_GeneratorExp *node = GM_MAKE(parser, GeneratorExp, start);
    node->elt = element;
    node->generators = gm_parse_comprehension_clauses(parser);
    gm_parser_expect(parser, GM_TOKEN_RPAR);
    return gm_parser_finish(parser, &node->base);
}

/* Elements behind the first one, up to and with the closer. */
static gm_list display_rest(gm_parser *parser, gm_node *first, gm_token_kind closer, gm_node *(*element)(gm_parser *parser)) {
    uint32_t mark = parser->nodes.count;
    gm_parser_push(parser, first);
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, closer) && !parser->panic) {
        gm_parser_push(parser, element(parser));
    }
    gm_parser_expect(parser, closer);
    return gm_parser_list(parser, mark);
}

static gm_node *tuple(gm_parser *parser, gm_node *first, uint32_t start) {
    gm_Tuple *node = GM_MAKE(parser, Tuple, start);
    if (first != NULL) {
        node->elts = display_rest(parser, first, GM_TOKEN_RPAR, gm_parse_star_named);
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_node *parenthesized(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_parser_advance(parser);
    if (gm_parser_accept(parser, GM_TOKEN_RPAR)) {
        return tuple(parser, NULL, start);
    }
    bool is_yield = gm_parser_is(parser, GM_TOKEN_yield);
    gm_node *first = is_yield ? gm_parse_yield_or_star(parser) : gm_parse_star_named(parser);
    if (!is_yield && gm_parser_is(parser, GM_TOKEN_COMMA)) {
        return tuple(parser, first, start);
    }
    if (!is_yield && gm_parser_at_comprehension(parser)) {
        return gm_parse_generator(parser, first, start);
    }
    gm_parser_expect(parser, GM_TOKEN_RPAR);
    if (first->kind == GM_KIND_Starred && parser->target >= 309 && !parser->panic) {
        gm_parser_report(parser, first->start, first->end, "cannot use starred expression here");
    }
    first->flags |= GM_FLAG_PARENTHESIZED;
    return first;
}

/* Brackets and braces. */

static gm_node *list(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_parser_advance(parser);
    if (gm_parser_accept(parser, GM_TOKEN_RSQB)) {
        gm_List *empty = GM_MAKE(parser, List, start);
        return &empty->base;
    }
    gm_node *first = gm_parse_star_named(parser);
    if (gm_parser_at_comprehension(parser)) {
        refuse_starred_element(parser, first);
        gm_ListComp *node = GM_MAKE(parser, ListComp, start);
        node->elt = first;
        node->generators = gm_parse_comprehension_clauses(parser);
        gm_parser_expect(parser, GM_TOKEN_RSQB);
        return gm_parser_finish(parser, &node->base);
    }
    gm_List *node = GM_MAKE(parser, List, start);
    node->elts = display_rest(parser, first, GM_TOKEN_RSQB, gm_parse_star_named);
    return gm_parser_finish(parser, &node->base);
}

/* Push key (NULL for `**`) and value of an entry whose key has been read. */
static void dict_entry(gm_parser *parser, gm_node *key) {
    gm_node *value = NULL;
    if (key == NULL) {
        gm_parser_expect(parser, GM_TOKEN_POWER);
        value = gm_parse_bitwise_or(parser);
    } else {
        gm_parser_expect(parser, GM_TOKEN_COLON);
        value = gm_parse_expression(parser);
    }
    gm_parser_push(parser, key);
    gm_parser_push(parser, value);
}

/* Behind the first entry's key, or at `**`. */
static gm_node *dict_rest(gm_parser *parser, gm_node *key, uint32_t start) {
    gm_Dict *node = GM_MAKE(parser, Dict, start);
    uint32_t mark = parser->nodes.count;
    dict_entry(parser, key);
    if (gm_parser_at_comprehension(parser)) {
        gm_DictComp *all = GM_MAKE(parser, DictComp, start);
        if (key == NULL) {
            gm_parser_report(parser, start, parser->last_end, "dict unpacking cannot be used in a comprehension");
            key = gm_parser_error_node(parser, start);
        }
        all->key = key;
        all->value = parser->nodes.items[mark + 1];
        parser->nodes.count = mark;
        all->generators = gm_parse_comprehension_clauses(parser);
        gm_parser_expect(parser, GM_TOKEN_RBRACE);
        return gm_parser_finish(parser, &all->base);
    }
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, GM_TOKEN_RBRACE) && !parser->panic) {
        dict_entry(parser, gm_parser_is(parser, GM_TOKEN_POWER) ? NULL : gm_parse_expression(parser));
    }
    gm_parser_expect(parser, GM_TOKEN_RBRACE);
    gm_parser_pairs(parser, mark, &node->keys, &node->values);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *set_element(gm_parser *parser) {
    gm_node *node = gm_parse_star_named(parser);
    if (node->kind == GM_KIND_NamedExpr && (node->flags & GM_FLAG_PARENTHESIZED) == 0) {
        gm_parser_need(parser, 309, node->start, "an assignment expression without parentheses in a set");
    }
    return node;
}

static gm_node *set_rest(gm_parser *parser, gm_node *first, uint32_t start) {
    if (gm_parser_at_comprehension(parser)) {
        refuse_starred_element(parser, first);
        gm_SetComp *all = GM_MAKE(parser, SetComp, start);
        all->elt = first;
        all->generators = gm_parse_comprehension_clauses(parser);
        gm_parser_expect(parser, GM_TOKEN_RBRACE);
        return gm_parser_finish(parser, &all->base);
    }
    gm_Set *node = GM_MAKE(parser, Set, start);
    node->elts = display_rest(parser, first, GM_TOKEN_RBRACE, set_element);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *braces(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_parser_advance(parser);
    if (gm_parser_accept(parser, GM_TOKEN_RBRACE)) {
        gm_Dict *empty = GM_MAKE(parser, Dict, start);
        return &empty->base;
    }
    if (gm_parser_is(parser, GM_TOKEN_POWER)) {
        return dict_rest(parser, NULL, start);
    }
    gm_node *first = set_element(parser);
    bool is_key = gm_parser_is(parser, GM_TOKEN_COLON) && first->kind != GM_KIND_Starred &&
                  (first->kind != GM_KIND_NamedExpr || (first->flags & GM_FLAG_PARENTHESIZED) != 0);
    return is_key ? dict_rest(parser, first, start) : set_rest(parser, first, start);
}

static gm_node *no_atom(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_parser_expected(parser, "an expression");
    return gm_parser_error_node(parser, start);
}

gm_node *gm_parse_primary_atom(gm_parser *parser) {
    switch (parser->at->kind) {
    case GM_TOKEN_NAME: return gm_parse_name(parser, GM_LOAD);
    case GM_TOKEN_INT:
    case GM_TOKEN_FLOAT:
    case GM_TOKEN_IMAGINARY: return gm_parse_number(parser);
    case GM_TOKEN_STRING:
    case GM_TOKEN_FSTRING_START: return gm_parse_strings(parser);
    case GM_TOKEN_LPAR: return parenthesized(parser);
    case GM_TOKEN_LSQB: return list(parser);
    case GM_TOKEN_LBRACE: return braces(parser);
    case GM_TOKEN_None: return singleton(parser, GM_LITERAL_None);
    case GM_TOKEN_True: return singleton(parser, GM_LITERAL_True);
    case GM_TOKEN_False: return singleton(parser, GM_LITERAL_False);
    case GM_TOKEN_ELLIPSIS: return singleton(parser, GM_LITERAL_Ellipsis);
    default: return no_atom(parser);
    }
}

/* Trailers. */

static gm_node *attribute(gm_parser *parser, gm_node *value, uint32_t start) {
    gm_Attribute *node = GM_MAKE(parser, Attribute, start);
    gm_parser_advance(parser);
    node->value = value;
    node->attr = gm_parser_name(parser);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *call(gm_parser *parser, gm_node *function, uint32_t start) {
    gm_Call *node = GM_MAKE(parser, Call, start);
    uint32_t open = parser->at->start;
    gm_parser_advance(parser);
    node->func = function;
    gm_parse_arguments(parser, open, &node->args, &node->keywords);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *subscript(gm_parser *parser, gm_node *value, uint32_t start) {
    gm_Subscript *node = GM_MAKE(parser, Subscript, start);
    gm_parser_advance(parser);
    node->value = value;
    node->slice = gm_parse_slices(parser);
    gm_parser_expect(parser, GM_TOKEN_RSQB);
    return gm_parser_finish(parser, &node->base);
}

static bool is_trailer(unsigned kind) {
    return kind == GM_TOKEN_DOT || kind == GM_TOKEN_LPAR || kind == GM_TOKEN_LSQB;
}

gm_node *gm_parse_primary(gm_parser *parser) {
    uint32_t outer = parser->at->start;
    bool is_await = gm_parser_accept(parser, GM_TOKEN_await);
    uint32_t start = parser->at->start;
    uint32_t terms = gm_parser_begin_chain(parser);
    gm_node *node = gm_parse_primary_atom(parser);
    for (; is_trailer(parser->at->kind); parser->terms++) {
        if (parser->terms >= GM_TERMS_LIMIT) {
            gm_parser_limit(parser, start, parser->at->end, GM_TERMS_LIMIT, GM_TERMS);
            break;
        }
        node = parser->at->kind == GM_TOKEN_DOT    ? attribute(parser, node, start)
               : parser->at->kind == GM_TOKEN_LPAR ? call(parser, node, start)
                                                   : subscript(parser, node, start);
    }
    gm_parser_end_chain(parser, terms);
    if (is_await) {
        gm_Await *all = GM_MAKE(parser, Await, outer);
        all->value = node;
        return &all->base;
    }
    return node;
}
