#include "syntax/parser.h"

/* Arguments of calls and classes. */

static gm_node *keyword(gm_parser *parser) {
    gm_keyword *node = GM_MAKE(parser, keyword, parser->at->start);
    if (!gm_parser_accept(parser, GM_TOKEN_POWER)) {
        node->arg = gm_parser_bound_name(parser);
        gm_parser_expect(parser, GM_TOKEN_EQUAL);
    }
    node->value = gm_parse_expression(parser);
    return gm_parser_finish(parser, &node->base);
}

static gm_node *positional(gm_parser *parser) {
    uint32_t start = parser->at->start;
    gm_node *node = gm_parse_named_expression(parser);
    if (!gm_parser_at_comprehension(parser)) {
        return node;
    }
    gm_GeneratorExp *all = GM_MAKE(parser, GeneratorExp, start);
    all->elt = node;
    all->generators = gm_parse_comprehension_clauses(parser);
    gm_parser_fail(parser, start, parser->last_end, "a generator expression must be parenthesized");
    return gm_parser_finish(parser, &all->base);
}

typedef struct argument_state {
    bool seen_keyword;
    bool seen_double_star;
} argument_state;

static void check_order(gm_parser *parser, const argument_state *state, bool is_star) {
    const gm_token *token = parser->at;
    if (is_star && state->seen_double_star) {
        gm_parser_report(parser, token->start, token->end, "iterable argument unpacking follows keyword argument unpacking");
    } else if (!is_star && state->seen_double_star) {
        gm_parser_report(parser, token->start, token->end, "positional argument follows keyword argument unpacking");
    } else if (!is_star && state->seen_keyword) {
        gm_parser_report(parser, token->start, token->end, "positional argument follows keyword argument");
    }
}

/* Keywords are collected behind the arguments on the stack of nodes and moved apart at the end. */
static void split(gm_parser *parser, uint32_t mark, gm_list *arguments, gm_list *keywords) {
    uint32_t count = parser->nodes.count - mark;
    gm_node **items = gm_arena_alloc(parser->arena, count * sizeof *items);
    uint32_t positional_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        positional_count += parser->nodes.items[mark + i]->kind != GM_KIND_keyword;
    }
    *arguments = (gm_list){items, 0};
    *keywords = (gm_list){items + positional_count, 0};
    for (uint32_t i = 0; i < count; i++) {
        gm_node *node = parser->nodes.items[mark + i];
        gm_list *into = node->kind == GM_KIND_keyword ? keywords : arguments;
        into->items[into->count++] = node;
    }
    parser->nodes.count = mark;
}

static void argument(gm_parser *parser, argument_state *state) {
    if (gm_parser_is(parser, GM_TOKEN_POWER)) {
        state->seen_double_star = true;
        gm_parser_push(parser, keyword(parser));
    } else if (gm_parser_is(parser, GM_TOKEN_NAME) && parser->at[1].kind == GM_TOKEN_EQUAL) {
        state->seen_keyword = true;
        gm_parser_push(parser, keyword(parser));
    } else if (gm_parser_is(parser, GM_TOKEN_STAR)) {
        check_order(parser, state, true);
        gm_parser_push(parser, gm_parse_starred_expression(parser));
    } else {
        check_order(parser, state, false);
        gm_parser_push(parser, positional(parser));
    }
}

void gm_parse_arguments(gm_parser *parser, uint32_t start, gm_list *arguments, gm_list *keywords) {
    if (gm_parser_accept(parser, GM_TOKEN_RPAR)) {
        return;
    }
    uint32_t mark = parser->nodes.count;
    argument_state state = {false, false};
    const gm_token *first = parser->at;
    if (first->kind != GM_TOKEN_STAR && first->kind != GM_TOKEN_POWER &&
        !(first->kind == GM_TOKEN_NAME && first[1].kind == GM_TOKEN_EQUAL)) {
        gm_node *node = gm_parse_named_expression(parser);
        if (gm_parser_at_comprehension(parser)) {
            if (node->kind == GM_KIND_NamedExpr && (node->flags & GM_FLAG_PARENTHESIZED) == 0) {
                gm_parser_need(parser, 309, node->start, "an assignment expression without parentheses in a generator argument");
            }
            node = gm_parse_generator(parser, node, start);
            *arguments = gm_parser_single(parser, node);
            return;
        }
        gm_parser_push(parser, node);
    } else {
        argument(parser, &state);
    }
    while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, GM_TOKEN_RPAR) && !parser->panic) {
        argument(parser, &state);
    }
    gm_parser_expect(parser, GM_TOKEN_RPAR);
    split(parser, mark, arguments, keywords);
    gm_parser_refuse_repeated(parser, keywords);
}

/* Parameters of functions and lambdas. */

typedef struct parameter_state {
    gm_arguments *node;
    bool annotated;
    bool seen_slash;
    bool seen_star;
    bool bare_star; /* `*` that still needs a name behind it */
    uint32_t star_start;
    GM_VEC(gm_node *) names;
    GM_VEC(gm_node *) defaults;
    GM_VEC(gm_node *) only;
    GM_VEC(gm_node *) only_defaults;
} parameter_state;

static gm_node *parameter(gm_parser *parser, bool annotated, bool variadic) {
    gm_arg *node = GM_MAKE(parser, arg, parser->at->start);
    node->arg = gm_parser_bound_name(parser);
    if (annotated && gm_parser_accept(parser, GM_TOKEN_COLON)) {
        if (variadic && gm_parser_is(parser, GM_TOKEN_STAR)) {
            gm_parser_need(parser, 311, parser->at->start, "`*` in an annotation");
            node->annotation = gm_parse_starred(parser);
        } else {
            node->annotation = gm_parse_expression(parser);
        }
    }
    return gm_parser_finish(parser, &node->base);
}

static gm_list list_of(gm_node **items, uint32_t count) {
    return (gm_list){items, count};
}

static void slash(gm_parser *parser, parameter_state *state) {
    const gm_token *token = parser->at;
    gm_parser_advance(parser);
    if (state->seen_slash || state->seen_star || state->names.count == 0) {
        gm_parser_fail(parser, token->start, token->end, "`/` must follow a parameter, once and before `*`");
        return;
    }
    state->seen_slash = true;
    state->node->posonlyargs = list_of(state->names.items, state->names.count);
    state->names.items = NULL;
    state->names.count = state->names.capacity = 0;
}

static void star(gm_parser *parser, parameter_state *state) {
    const gm_token *token = parser->at;
    gm_parser_advance(parser);
    if (state->seen_star) {
        gm_parser_fail(parser, token->start, token->end, "`*` can be used once");
        return;
    }
    state->seen_star = true;
    state->star_start = token->start;
    if (gm_parser_is(parser, GM_TOKEN_COMMA) || gm_parser_is(parser, GM_TOKEN_RPAR) || gm_parser_is(parser, GM_TOKEN_COLON)) {
        state->bare_star = true;
        return;
    }
    state->node->vararg = parameter(parser, state->annotated, true);
    if (gm_parser_is(parser, GM_TOKEN_EQUAL)) {
        gm_parser_fail(parser, parser->at->start, parser->at->end, "a `*` parameter cannot have a default");
    }
}

static void double_star(gm_parser *parser, parameter_state *state) {
    gm_parser_advance(parser);
    state->node->kwarg = parameter(parser, state->annotated, false);
    if (gm_parser_is(parser, GM_TOKEN_EQUAL)) {
        gm_parser_fail(parser, parser->at->start, parser->at->end, "a `**` parameter cannot have a default");
    }
}

static void named(gm_parser *parser, parameter_state *state) {
    const gm_token *token = parser->at;
    gm_node *node = parameter(parser, state->annotated, false);
    gm_node *value = gm_parser_accept(parser, GM_TOKEN_EQUAL) ? gm_parse_expression(parser) : NULL;
    if (state->seen_star) {
        state->bare_star = false;
        gm_vec_push(parser->arena, &state->only, node);
        gm_vec_push(parser->arena, &state->only_defaults, value);
        return;
    }
    gm_vec_push(parser->arena, &state->names, node);
    if (value != NULL) {
        gm_vec_push(parser->arena, &state->defaults, value);
    } else if (state->defaults.count > 0 && !parser->panic) {
        gm_parser_report(parser, token->start, token->end, "parameter without a default follows parameter with a default");
    }
}

gm_node *gm_parse_parameters(gm_parser *parser, gm_token_kind closer, bool annotated) {
    gm_arguments *node = GM_MAKE(parser, arguments, parser->at->start);
    parameter_state state = {.node = node, .annotated = annotated};
    while (!gm_parser_is(parser, closer) && !parser->panic) {
        if (node->kwarg != NULL) {
            gm_parser_fail(parser, parser->at->start, parser->at->end, "parameters cannot follow a `**` parameter");
            break;
        }
        if (gm_parser_is(parser, GM_TOKEN_SLASH)) {
            slash(parser, &state);
        } else if (gm_parser_is(parser, GM_TOKEN_STAR)) {
            star(parser, &state);
        } else if (gm_parser_is(parser, GM_TOKEN_POWER)) {
            if (state.bare_star) {
                break;
            }
            double_star(parser, &state);
        } else {
            named(parser, &state);
        }
        if (!gm_parser_accept(parser, GM_TOKEN_COMMA)) {
            break;
        }
    }
    if (state.bare_star) {
        gm_parser_fail(parser, state.star_start, state.star_start + 1, "named parameters must follow a bare `*`");
    }
    node->args = list_of(state.names.items, state.names.count);
    node->defaults = list_of(state.defaults.items, state.defaults.count);
    node->kwonlyargs = list_of(state.only.items, state.only.count);
    node->kw_defaults = list_of(state.only_defaults.items, state.only_defaults.count);
    return gm_parser_finish(parser, &node->base);
}

/* Type parameters, PEP 695 and 696. */

static gm_node *type_default(gm_parser *parser, bool star_allowed) {
    if (!gm_parser_is(parser, GM_TOKEN_EQUAL)) {
        return NULL;
    }
    gm_parser_need(parser, 313, parser->at->start, "a default of a type parameter");
    gm_parser_advance(parser);
    return star_allowed && gm_parser_is(parser, GM_TOKEN_STAR) ? gm_parse_starred(parser) : gm_parse_expression(parser);
}

static gm_node *type_parameter(gm_parser *parser) {
    uint32_t start = parser->at->start;
    if (gm_parser_accept(parser, GM_TOKEN_STAR)) {
        gm_TypeVarTuple *node = GM_MAKE(parser, TypeVarTuple, start);
        node->name = gm_parser_name(parser);
        node->default_value = type_default(parser, true);
        return gm_parser_finish(parser, &node->base);
    }
    if (gm_parser_accept(parser, GM_TOKEN_POWER)) {
        gm_ParamSpec *node = GM_MAKE(parser, ParamSpec, start);
        node->name = gm_parser_name(parser);
        node->default_value = type_default(parser, false);
        return gm_parser_finish(parser, &node->base);
    }
    gm_TypeVar *node = GM_MAKE(parser, TypeVar, start);
    node->name = gm_parser_name(parser);
    if (gm_parser_accept(parser, GM_TOKEN_COLON)) {
        node->bound = gm_parse_expression(parser);
    }
    node->default_value = type_default(parser, false);
    return gm_parser_finish(parser, &node->base);
}

gm_list gm_parse_type_parameters(gm_parser *parser) {
    if (!gm_parser_is(parser, GM_TOKEN_LSQB)) {
        return (gm_list){NULL, 0};
    }
    gm_parser_need(parser, 312, parser->at->start, "a list of type parameters");
    gm_parser_advance(parser);
    uint32_t mark = parser->nodes.count;
    do {
        gm_parser_push(parser, type_parameter(parser));
    } while (gm_parser_accept(parser, GM_TOKEN_COMMA) && !gm_parser_is(parser, GM_TOKEN_RSQB));
    gm_parser_expect(parser, GM_TOKEN_RSQB);
    return gm_parser_list(parser, mark);
}
