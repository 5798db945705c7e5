/* Tokens to tree: recursive descent by construct, operator precedence for expressions. Internal to src/syntax.
 *
 * Every function returns a node, never NULL unless said. After an error the parser is in panic: the current token is the end of
 * the logical line, further errors of the line are not reported, and all functions unwind; the statement reader clears it.
 * A construct that the target is too old for is reported without panic and read all the same. */
#ifndef GM_SYNTAX_PARSER_H
#define GM_SYNTAX_PARSER_H

#include <string.h>

#include "syntax/lexer.h"
#include "syntax/tree.h"

/* Terms of left-recursive chains (`a + b + ...`, `a.b...`) within one another, and branches (`elif`), and so the depth of a tree: what goes
 * over trees recurses, in 2 MB of stack. CPython gives up earlier (no release takes 6,000 branches). */
enum { GM_TERMS_LIMIT = 5000, GM_CHAIN_LIMIT = 6000 };
#define GM_TERMS "terms in one expression"
#define GM_LEVELS "levels of nesting"
#define GM_BRANCHES "branches (`if`, `elif`) within one another"

typedef struct gm_parser {
    gm_arena *arena;
    gm_tree *tree;
    const char *text;
    const gm_token *at;
    uint32_t last_end; /* end of the last token that is not NEWLINE, INDENT or DEDENT */
    gm_version target; /* 0 accepts all; `shape` is then the newest */
    gm_version shape;
    uint32_t reported;
    bool panic;
    bool broken_line;  /* the last line ended in panic */
    bool stopped;      /* at a limit: nothing behind it is read or reported */
    bool trial;        /* reading something that may be given up: an error is only `panic` */
    uint32_t depth;
    uint32_t depth_limit;
    uint32_t terms;    /* of the chains within one another in what has been read of the expression */
    uint32_t branches; /* `if` and `elif` around, those in front of a branch as well */
    GM_VEC(gm_node *) nodes; /* stack of list items being collected */
    GM_VEC(const gm_name *) names;
    GM_VEC(gm_part) parts;
    GM_VEC(uint8_t) operators;
} gm_parser;

/* parser.c: tokens, errors, nodes, lists. */

static inline bool gm_parser_is(const gm_parser *parser, gm_token_kind kind) {
    return parser->at->kind == kind;
}

static inline void gm_parser_advance(gm_parser *parser) {
    parser->last_end = parser->at->end;
    parser->at++;
}

static inline bool gm_parser_accept(gm_parser *parser, gm_token_kind kind) {
    if (parser->at->kind != kind) {
        return false;
    }
    gm_parser_advance(parser);
    return true;
}

/* Report and panic; no second report in the same line. */
void gm_parser_fail(gm_parser *parser, uint32_t start, uint32_t end, const char *message);
/* The text has more than `most` of `what`: report a limit, and read no further. */
void gm_parser_limit(gm_parser *parser, uint32_t start, uint32_t end, uint32_t most, const char *what);
/* The same at the current token: "expected WHAT". */
void gm_parser_expected(gm_parser *parser, const char *what);
/* Report and go on. */
void gm_parser_report(gm_parser *parser, uint32_t start, uint32_t end, const char *message);
/* Report when the target is older than `version`; `what` is the construct: "the `match` statement". */
void gm_parser_need(gm_parser *parser, gm_version version, uint32_t start, const char *what);
void gm_parser_expect(gm_parser *parser, gm_token_kind kind);

/* Whether the target is older than a version. */
static inline bool gm_parser_before(const gm_parser *parser, gm_version version) {
    return parser->shape < version;
}

/* Around the reading of a chain: its terms and those of the deepest chain in it are counted from none; behind it stands the most of all that was
 * read. */
static inline uint32_t gm_parser_begin_chain(gm_parser *parser) {
    uint32_t before = parser->terms;
    parser->terms = 0;
    return before;
}

static inline void gm_parser_end_chain(gm_parser *parser, uint32_t before) {
    parser->terms = before > parser->terms ? before : parser->terms;
}

/* One level deeper; false (and panic) at the limit. Leave only what was entered. */
bool gm_parser_enter(gm_parser *parser);
static inline void gm_parser_leave(gm_parser *parser) {
    parser->depth--;
}

/* A node that starts at `start` and ends behind the last token; its fields are zero. */
gm_node *gm_parser_node(gm_parser *parser, gm_kind kind, uint32_t start);

/* The same where the compiler knows how much there is to clear. */
static inline gm_node *gm_parser_sized_node(gm_parser *parser, gm_kind kind, size_t size, uint32_t start) {
    gm_node *node = gm_arena_alloc(parser->arena, size);
    memset(node, 0, size);
    node->kind = (uint8_t)kind;
    node->start = start;
    node->end = parser->last_end;
    node->number = ++parser->tree->node_count;
    return node;
}
#define GM_MAKE(parser, K, start_offset) ((gm_##K *)(void *)gm_parser_sized_node((parser), GM_KIND_##K, sizeof(gm_##K), (start_offset)))
static inline gm_node *gm_parser_finish(const gm_parser *parser, gm_node *node) {
    node->end = parser->last_end;
    return node;
}

static inline void gm_parser_push(gm_parser *parser, gm_node *node) {
    gm_vec_push(parser->arena, &parser->nodes, node);
}
/* The nodes pushed since the stack had `mark` entries, as a list; pops them. */
gm_list gm_parser_list(gm_parser *parser, uint32_t mark);
gm_list gm_parser_single(gm_parser *parser, gm_node *node);
/* Pairs pushed since `mark`, as two lists; pops them. */
void gm_parser_pairs(gm_parser *parser, uint32_t mark, gm_list *firsts, gm_list *seconds);
gm_name_list gm_parser_name_list(gm_parser *parser, uint32_t mark);

/* The current NAME, consumed; reports and returns the empty name when it is no name. */
const gm_name *gm_parser_name(gm_parser *parser);
/* The same for a name that is bound. */
const gm_name *gm_parser_bound_name(gm_parser *parser);
const gm_name *gm_parser_intern(gm_parser *parser, const gm_token *token);
gm_node *gm_parser_error_node(gm_parser *parser, uint32_t start);

/* parser_expression.c */
gm_node *gm_parse_expression(gm_parser *parser);        /* expression */
gm_node *gm_parse_named_expression(gm_parser *parser);  /* may be `x := ...` */
gm_node *gm_parse_star_expressions(gm_parser *parser);  /* a tuple without parentheses or one expression, stars allowed */
gm_node *gm_parse_star_named(gm_parser *parser);        /* element of a display */
gm_node *gm_parse_yield_or_star(gm_parser *parser);     /* right-hand side of an assignment */
gm_node *gm_parse_bitwise_or(gm_parser *parser);
gm_node *gm_parse_disjunction(gm_parser *parser);       /* no conditional, no lambda */
gm_node *gm_parse_comprehension_condition(gm_parser *parser);
gm_node *gm_parse_starred(gm_parser *parser);           /* `*` bitwise_or */
gm_node *gm_parse_starred_expression(gm_parser *parser); /* `*` expression, in arguments and subscripts */
gm_node *gm_parse_target_list(gm_parser *parser);       /* target of `for`, stored */
gm_node *gm_parse_slices(gm_parser *parser);
bool gm_parser_starts_expression(const gm_parser *parser);

/* parser_atom.c */
gm_node *gm_parse_primary(gm_parser *parser); /* with `await` */
gm_node *gm_parse_primary_atom(gm_parser *parser);
gm_node *gm_parse_number(gm_parser *parser);
gm_node *gm_parse_name(gm_parser *parser, gm_context context);
gm_list gm_parse_comprehension_clauses(gm_parser *parser);
gm_node *gm_parse_generator(gm_parser *parser, gm_node *element, uint32_t start); /* from `for` to behind `)` */
bool gm_parser_at_comprehension(const gm_parser *parser);

/* parser_string.c */
gm_node *gm_parse_strings(gm_parser *parser);

/* parser_argument.c */
void gm_parse_arguments(gm_parser *parser, uint32_t start, gm_list *arguments, gm_list *keywords); /* behind `(`, to behind `)` */
gm_node *gm_parse_parameters(gm_parser *parser, gm_token_kind closer, bool annotated);
gm_list gm_parse_type_parameters(gm_parser *parser);    /* at `[` or nothing */

/* parser_statement.c, parser_compound.c, parser_pattern.c */
void gm_parse_statements(gm_parser *parser, gm_token_kind closer); /* pushes statements up to DEDENT or END */
void gm_parse_simple_line(gm_parser *parser);                      /* pushes the statements of a logical line */
gm_node *gm_parse_compound(gm_parser *parser);                     /* NULL when the token starts none */
gm_list gm_parse_block(gm_parser *parser);                         /* from `:` */
void gm_parser_end_line(gm_parser *parser);                        /* consumes NEWLINE, ends the panic */
gm_node *gm_parse_match_subject(gm_parser *parser);
gm_list gm_parse_cases(gm_parser *parser);

/* validate.c */
typedef enum gm_target_use {
    GM_TARGET_ASSIGN,
    GM_TARGET_AUGMENT,
    GM_TARGET_ANNOTATE,
    GM_TARGET_DELETE,
    GM_TARGET_FOR,
    GM_TARGET_WITH
} gm_target_use;

/* Give a parsed expression the context of its use; reports what cannot be a target. */
void gm_parser_set_target(gm_parser *parser, gm_node *node, gm_target_use use);

/* Report, for Python 3.8, a star in an expression or in a tuple without parentheses. */
void gm_parser_refuse_star(gm_parser *parser, const gm_node *node, const char *what);

/* Report, for Python 3.8, a binding of `__debug__`; later versions leave it to the compiler. Takes NULL. */
void gm_parser_refuse_debug(gm_parser *parser, const gm_name *name, uint32_t start, uint32_t end);

/* Report, for Python 3.8, the same keyword twice. */
void gm_parser_refuse_repeated(gm_parser *parser, const gm_list *keywords);

#endif
