#include <string.h>

#include "syntax/literal.h"
#include "syntax/parser.h"

/* Adjacent string literals become one expression, as in CPython: runs of constant text are merged, empty text between
 * fields is dropped, and the range of merged text goes from the first literal to the last. */

static unsigned part_flags(const gm_token *token) {
    unsigned flags = 0;
    if ((token->flags & GM_STRING_RAW) != 0) {
        flags |= GM_PART_RAW;
    }
    if (token->kind == GM_TOKEN_FSTRING_MIDDLE) {
        flags |= GM_PART_FORMAT;
        return (token->flags & GM_STRING_SPEC) != 0 ? flags | GM_PART_SPEC : flags;
    }
    if ((token->flags & GM_STRING_BYTES) != 0) {
        flags |= GM_PART_BYTES;
    }
    if ((token->flags & GM_STRING_UNICODE) != 0) {
        flags |= GM_PART_UNICODE;
    }
    return flags;
}

/* The text of a STRING between its quotes. */
static gm_part string_part(const gm_parser *parser, const gm_token *token) {
    uint32_t start = token->start;
    if ((token->flags & GM_STRING_PREFIX) != 0) {
        while (parser->text[start] != '"' && parser->text[start] != '\'') {
            start++;
        }
    }
    uint32_t quotes = (token->flags & GM_STRING_TRIPLE) != 0 ? 3 : 1;
    return (gm_part){start + quotes, token->end - quotes, part_flags(token)};
}

static void check_escapes(gm_parser *parser, const gm_part *part) {
    size_t length = part->end - part->start;
    if ((part->flags & GM_PART_RAW) == 0 && memchr(parser->text + part->start, '\\', length) != NULL) {
        gm_literal_error error = gm_literal_decode_part(parser->tree->source, part, NULL);
        if (error.message != NULL) {
            gm_parser_report(parser, error.start, error.end, error.message);
        }
    }
}

static gm_node *constant(gm_parser *parser, gm_part part, uint32_t start, uint32_t end) {
    check_escapes(parser, &part);
    gm_Constant *node = GM_MAKE(parser, Constant, start);
    node->base.end = end;
    node->value.literal = (part.flags & GM_PART_BYTES) != 0 ? GM_LITERAL_bytes : GM_LITERAL_str;
    node->value.part_count = 1;
    node->value.parts = gm_arena_alloc(parser->arena, sizeof part);
    node->value.parts[0] = part;
    return &node->base;
}

static void check_bytes(gm_parser *parser, gm_part part) {
    for (uint32_t i = part.start; i < part.end; i++) {
        if ((unsigned char)parser->text[i] >= 0x80) {
            gm_parser_report(parser, i, i + 1, "bytes can only contain ASCII literal characters");
            return;
        }
    }
}

static gm_node *string_constant(gm_parser *parser) {
    const gm_token *token = parser->at;
    gm_part part = string_part(parser, token);
    gm_parser_advance(parser);
    if ((part.flags & GM_PART_BYTES) != 0) {
        check_bytes(parser, part);
    }
    return constant(parser, part, token->start, token->end);
}

/* Whether the decoded text is empty: nothing, or joined lines alone. */
static bool is_empty(const gm_parser *parser, const gm_part *part) {
    if ((part->flags & (GM_PART_RAW | GM_PART_DEBUG)) != 0) {
        return part->start == part->end;
    }
    const char *text = parser->text;
    for (uint32_t i = part->start; i < part->end;) {
        if (text[i] != '\\' || (text[i + 1] != '\n' && text[i + 1] != '\r')) {
            return false;
        }
        i += text[i + 1] == '\r' && text[i + 2] == '\n' ? 3 : 2;
    }
    return true;
}

/* Merging. */

/* One constant from the run [first, last] on the stack of nodes. */
static gm_node *merge_run(gm_parser *parser, uint32_t first, uint32_t last) {
    gm_node *head = parser->nodes.items[first];
    if (first == last) {
        return head;
    }
    uint32_t count = 0;
    for (uint32_t i = first; i <= last; i++) {
        count += gm_as_Constant(parser->nodes.items[i])->value.part_count;
    }
    gm_part *parts = gm_arena_alloc(parser->arena, count * sizeof *parts);
    gm_part *end = parts;
    for (uint32_t i = first; i <= last; i++) {
        const gm_constant *value = &gm_as_Constant(parser->nodes.items[i])->value;
        memcpy(end, value->parts, value->part_count * sizeof *parts);
        end += value->part_count;
    }
    gm_edit_Constant(head)->value.parts = parts;
    gm_edit_Constant(head)->value.part_count = count;
    head->end = parser->nodes.items[last]->end;
    return head;
}

static bool all_empty(const gm_parser *parser, const gm_node *node) {
    const gm_constant *value = &gm_as_Constant(node)->value;
    for (uint32_t i = 0; i < value->part_count; i++) {
        if (!is_empty(parser, &value->parts[i])) {
            return false;
        }
    }
    return true;
}

/* Merge the runs of constants pushed since `mark`; with `drop_empty`, runs without text vanish. */
static void merge(gm_parser *parser, uint32_t mark, bool drop_empty) {
    uint32_t kept = mark;
    for (uint32_t i = mark; i < parser->nodes.count; i++) {
        uint32_t last = i;
        gm_node *node = parser->nodes.items[i];
        if (node->kind == GM_KIND_Constant) {
            while (last + 1 < parser->nodes.count && parser->nodes.items[last + 1]->kind == GM_KIND_Constant) {
                last++;
            }
            node = merge_run(parser, i, last);
            if (drop_empty && all_empty(parser, node)) {
                i = last;
                continue;
            }
        }
        parser->nodes.items[kept++] = node;
        i = last;
    }
    parser->nodes.count = kept;
}

/* Fields. */

static gm_node *joined(gm_parser *parser, uint32_t start, uint32_t mark) {
    gm_JoinedStr *node = GM_MAKE(parser, JoinedStr, start);
    node->values = gm_parser_list(parser, mark);
    return &node->base;
}

static void field(gm_parser *parser, bool is_template);

/* CPython 3.12 has the empty runs of text in a format spec as constants: in front of `{{` and of the closing `}`. */
static bool keeps_empty_text(const gm_parser *parser, bool in_spec) {
    return in_spec && parser->shape == 312;
}

static void push_empty_text(gm_parser *parser) {
    const gm_token *token = parser->at;
    if (token[-1].kind != GM_TOKEN_FSTRING_MIDDLE) {
        gm_part part = {token->start, token->start, GM_PART_FORMAT | GM_PART_SPEC};
        gm_parser_push(parser, constant(parser, part, token->start, token->start));
    }
}

/* Text and fields up to END or `}`, pushed. */
static void contents(gm_parser *parser, bool is_template, bool in_spec) {
    bool keep = keeps_empty_text(parser, in_spec);
    for (;;) {
        const gm_token *token = parser->at;
        if (token->kind == GM_TOKEN_FSTRING_MIDDLE) {
            gm_part part = {token->start, token->end, part_flags(token)};
            gm_parser_advance(parser);
            if (keep || !is_empty(parser, &part)) {
                gm_parser_push(parser, constant(parser, part, token->start, token->end));
            }
        } else if (token->kind == GM_TOKEN_LBRACE) {
            if (keep && parser->text[token->start + 1] == '{') {
                push_empty_text(parser);
            }
            field(parser, is_template);
        } else {
            if (keep && token->kind == GM_TOKEN_RBRACE) {
                push_empty_text(parser);
            }
            return;
        }
    }
}

static gm_node *format_spec(gm_parser *parser) {
    uint32_t start = parser->at->start;
    if (!gm_parser_accept(parser, GM_TOKEN_COLON)) {
        return NULL;
    }
    uint32_t mark = parser->nodes.count;
    contents(parser, false, true);
    if (!keeps_empty_text(parser, true)) {
        merge(parser, mark, true);
    } else if (parser->nodes.count == mark + 1 && parser->nodes.items[mark]->kind == GM_KIND_Constant &&
               all_empty(parser, parser->nodes.items[mark])) {
        parser->nodes.count = mark;
    }
    return joined(parser, start, mark);
}

static int32_t conversion(gm_parser *parser) {
    const gm_token *mark = parser->at;
    if (!gm_parser_accept(parser, GM_TOKEN_EXCLAMATION)) {
        return -1;
    }
    const gm_token *name = parser->at;
    char letter = parser->text[name->start];
    bool known = name->kind == GM_TOKEN_NAME && name->end == name->start + 1 && (letter == 's' || letter == 'r' || letter == 'a');
    if (!known || name->start != mark->end) {
        gm_parser_fail(parser, mark->start, name->end, "f-string: the conversion must be `!s`, `!r` or `!a`");
        return -1;
    }
    gm_parser_advance(parser);
    if (gm_parser_before(parser, 312) && parser->at->start != name->end) {
        gm_parser_fail(parser, name->end, parser->at->start, "f-string: expecting `}`");
    }
    return letter;
}

/* Before 3.12 the expression was read as if it stood in parentheses. */
static gm_node *field_value(gm_parser *parser) {
    bool old = parser->target < 312; /* as without a target, which is 0 */
    uint32_t start = parser->at->start;
    gm_node *value = gm_parse_yield_or_star(parser);
    if (old && gm_parser_at_comprehension(parser)) {
        gm_GeneratorExp *node = GM_MAKE(parser, GeneratorExp, start);
        node->elt = value;
        node->generators = gm_parse_comprehension_clauses(parser);
        return gm_parser_finish(parser, &node->base);
    }
    if (parser->target >= 309 && old && value->kind == GM_KIND_Starred) {
        gm_parser_report(parser, value->start, value->end, "f-string: cannot use starred expression here");
    }
    return value;
}

/* The next comment in [at, end), else `end`. As in CPython a `#` between quotes of one kind is none, however deep the quotes nest. */
static uint32_t find_comment(const char *text, uint32_t at, uint32_t end) {
    char quote = '\0';
    for (; at < end; at++) {
        char c = text[at];
        if (c == '\\') {
            at++;
        } else if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            return at;
        }
    }
    return end;
}

/* The source of an expression without its comments, which 3.12 allows: one part more than there are comments. */
static gm_constant source_text(gm_parser *parser, uint32_t start, uint32_t end) {
    GM_VEC(gm_part) parts = {0};
    for (uint32_t at = start;;) {
        uint32_t stop = gm_parser_before(parser, 312) ? end : find_comment(parser->text, at, end);
        gm_vec_push(parser->arena, &parts, ((gm_part){at, stop, GM_PART_RAW | GM_PART_DEBUG}));
        if (stop == end) {
            return (gm_constant){GM_LITERAL_str, parts.count, parts.items};
        }
        for (at = stop; at < end && parser->text[at] != '\n' && parser->text[at] != '\r';) {
            at++;
        }
    }
}

/* Without the blanks, line ends and `=` behind the expression. */
static gm_constant stripped(const gm_parser *parser, gm_constant text) {
    for (;;) {
        gm_part *last = &text.parts[text.part_count - 1];
        while (last->end > last->start && strchr(" \t\f\r\n=", parser->text[last->end - 1]) != NULL) {
            last->end--;
        }
        if (last->end > last->start || text.part_count == 1) {
            return text;
        }
        text.part_count--;
    }
}

typedef struct replacement {
    gm_node *value;
    gm_node *spec;
    int32_t conversion;
} replacement;

static gm_node *replacement_node(gm_parser *parser, const replacement *parts, uint32_t start, uint32_t value_end, bool is_template) {
    if (is_template) {
        gm_Interpolation *node = GM_MAKE(parser, Interpolation, start);
        node->value = parts->value;
        node->str = stripped(parser, source_text(parser, start + 1, value_end));
        node->conversion = parts->conversion;
        node->format_spec = parts->spec;
        return &node->base;
    }
    gm_FormattedValue *node = GM_MAKE(parser, FormattedValue, start);
    node->value = parts->value;
    node->conversion = parts->conversion;
    node->format_spec = parts->spec;
    return &node->base;
}

/* `{value=!r:spec}`; pushes the text of `=`, if any, and the replacement. */
static void field(gm_parser *parser, bool is_template) {
    uint32_t start = parser->at->start;
    gm_parser_advance(parser);
    replacement parts = {.value = field_value(parser)};
    bool debug = gm_parser_accept(parser, GM_TOKEN_EQUAL);
    uint32_t value_end = parser->at->start;
    parts.conversion = conversion(parser);
    parts.spec = format_spec(parser);
    if (debug && parts.conversion == -1 && parts.spec == NULL) {
        parts.conversion = 'r';
    }
    gm_parser_expect(parser, GM_TOKEN_RBRACE);
    if (debug && !parser->panic) {
        gm_Constant *text = GM_MAKE(parser, Constant, start + 1);
        text->base.end = value_end;
        text->value = source_text(parser, start + 1, value_end);
        gm_parser_push(parser, &text->base);
    }
    gm_parser_push(parser, replacement_node(parser, &parts, start, value_end, is_template));
}

static void fstring(gm_parser *parser) {
    bool is_template = (parser->at->flags & GM_STRING_TEMPLATE) != 0;
    if (is_template) {
        gm_parser_need(parser, 314, parser->at->start, "a t-string");
    }
    gm_parser_advance(parser);
    contents(parser, is_template, false);
    gm_parser_expect(parser, GM_TOKEN_FSTRING_END);
}

static bool at_string(const gm_parser *parser) {
    return gm_parser_is(parser, GM_TOKEN_STRING) || gm_parser_is(parser, GM_TOKEN_FSTRING_START);
}

typedef struct mixture {
    bool format;
    bool template;
    bool bytes;
    bool text;
} mixture;

static void check_mixture(gm_parser *parser, const mixture *seen, uint32_t start) {
    if (seen->bytes && (seen->text || seen->format || seen->template)) {
        gm_parser_report(parser, start, parser->last_end, "cannot mix bytes and nonbytes literals");
    } else if (seen->template && (seen->text || seen->format)) {
        gm_parser_report(parser, start, parser->last_end, "cannot mix t-string literals with string literals");
    }
}

/* Before 3.12 the prefix of the first literal decided for all text of an f-string but what ends a format spec. */
static void set_unicode(gm_node *const *nodes, uint32_t count, bool unicode, bool in_spec) {
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i]->kind == GM_KIND_Constant) {
            gm_part *first = gm_as_Constant(nodes[i])->value.parts;
            bool marked = unicode && !(in_spec && i + 1 == count);
            first->flags = marked ? first->flags | GM_PART_UNICODE : first->flags & ~(uint32_t)GM_PART_UNICODE;
        } else if (nodes[i]->kind == GM_KIND_FormattedValue && gm_as_FormattedValue(nodes[i])->format_spec != NULL) {
            const gm_list *spec = &gm_as_JoinedStr(gm_as_FormattedValue(nodes[i])->format_spec)->values;
            set_unicode(spec->items, spec->count, unicode, true);
        }
    }
}

/* Several literals, or one f-string. */
static gm_node *concatenation(gm_parser *parser) {
    uint32_t start = parser->at->start;
    uint32_t mark = parser->nodes.count;
    mixture seen = {false, false, false, false};
    bool unicode = (parser->at->flags & GM_STRING_UNICODE) != 0;
    while (at_string(parser)) {
        if (gm_parser_is(parser, GM_TOKEN_FSTRING_START)) {
            bool is_template = (parser->at->flags & GM_STRING_TEMPLATE) != 0;
            seen.template |= is_template;
            seen.format |= !is_template;
            fstring(parser);
        } else {
            bool is_bytes = (parser->at->flags & GM_STRING_BYTES) != 0;
            seen.bytes |= is_bytes;
            seen.text |= !is_bytes;
            gm_parser_push(parser, string_constant(parser));
        }
    }
    check_mixture(parser, &seen, start);
    merge(parser, mark, seen.format || seen.template);
    if (seen.template) {
        gm_TemplateStr *node = GM_MAKE(parser, TemplateStr, start);
        node->values = gm_parser_list(parser, mark);
        return &node->base;
    }
    if (!seen.format) {
        gm_node *only = parser->nodes.items[mark];
        parser->nodes.count = mark;
        return only;
    }
    if (gm_parser_before(parser, 312)) {
        set_unicode(parser->nodes.items + mark, parser->nodes.count - mark, unicode, false);
    }
    return joined(parser, start, mark);
}

gm_node *gm_parse_strings(gm_parser *parser) {
    gm_token_kind next = parser->at[1].kind;
    if (gm_parser_is(parser, GM_TOKEN_STRING) && next != GM_TOKEN_STRING && next != GM_TOKEN_FSTRING_START) {
        return string_constant(parser);
    }
    return concatenation(parser);
}
