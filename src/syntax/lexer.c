#include "syntax/lexer.h"

#include <limits.h>
#include <string.h>

const char *const gm_token_names[GM_TOKEN_COUNT] = {
#define GM_TOKEN(kind, text) text,
#include "syntax/tokens.def"
};

void gm_lexer_grow(gm_lexer *lexer) {
    lexer->tokens = gm_vec_grow(lexer->arena, lexer->tokens, &lexer->capacity, sizeof *lexer->tokens);
}

void gm_lexer_report(gm_lexer *lexer, const char *start, const char *end, const char *message) {
    if (lexer->diagnostics->count >= GM_DIAGNOSTICS_LIMIT) {
        return;
    }
    gm_diagnostic diagnostic = {gm_lexer_offset(lexer, start), gm_lexer_offset(lexer, end), message, false};
    gm_vec_push(lexer->arena, lexer->diagnostics, diagnostic);
}

static void emit_error(gm_lexer *lexer, const char *start, const char *end, const char *message) {
    gm_lexer_report(lexer, start, end, message);
    gm_lexer_emit(lexer, GM_TOKEN_ERROR, start, end);
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* Behind the line end at `at`. */
static const char *skip_line_end(const char *at) {
    return at[0] == '\r' && at[1] == '\n' ? at + 2 : at + 1;
}

static const char *skip_comment(const gm_lexer *lexer, const char *at) {
    if (!lexer->has_return) {
        const char *end = memchr(at, '\n', (size_t)(lexer->end - at));
        return end == NULL ? lexer->end : end;
    }
    while (!is_line_end(*at) && at < lexer->end) {
        at++;
    }
    return at;
}

/* Indentation. */

static void push_indent(gm_lexer *lexer, uint32_t column, uint32_t alternate) {
    if (lexer->indent_count + 1 >= GM_INDENT_LIMIT) {
        emit_error(lexer, lexer->at, lexer->at, "more than 100 levels of indentation, a limit of Python");
        return;
    }
    lexer->indents[lexer->indent_count] = column;
    lexer->alternates[lexer->indent_count++] = alternate;
    gm_lexer_emit(lexer, GM_TOKEN_INDENT, lexer->at, lexer->at);
}

static void pop_indents(gm_lexer *lexer, uint32_t column) {
    while (lexer->indent_count > 0 && column < lexer->indents[lexer->indent_count - 1]) {
        lexer->indent_count--;
        gm_lexer_emit(lexer, GM_TOKEN_DEDENT, lexer->at, lexer->at);
    }
}

/* CPython's rule: columns must compare alike with tabs of width 8 and of width 1. */
static void compare_indent(gm_lexer *lexer, uint32_t column, uint32_t alternate) {
    static const char inconsistent[] = "inconsistent use of tabs and spaces in indentation";
    uint32_t top = lexer->indent_count;
    uint32_t now = top == 0 ? 0 : lexer->indents[top - 1];
    uint32_t now_alternate = top == 0 ? 0 : lexer->alternates[top - 1];
    if (column == now) {
        if (alternate != now_alternate) {
            gm_lexer_report(lexer, lexer->at, lexer->at, inconsistent);
        }
        return;
    }
    if (column > now) {
        if (alternate <= now_alternate) {
            gm_lexer_report(lexer, lexer->at, lexer->at, inconsistent);
        }
        push_indent(lexer, column, alternate);
        return;
    }
    pop_indents(lexer, column);
    top = lexer->indent_count;
    now = top == 0 ? 0 : lexer->indents[top - 1];
    if (column != now) {
        gm_lexer_report(lexer, lexer->at, lexer->at, "unindent does not match any outer indentation level");
    } else if (alternate != (top == 0 ? 0 : lexer->alternates[top - 1])) {
        gm_lexer_report(lexer, lexer->at, lexer->at, inconsistent);
    }
}

/* From the start of a physical line outside brackets to the first token of the next logical line. */
static void begin_line(gm_lexer *lexer) {
    const char *at = lexer->at;
    uint32_t column = 0;
    uint32_t alternate = 0;
    uint32_t continued = 0; /* column of the first line of an indentation that backslashes split; that one counts */
    for (;;) {
        char c = *at;
        if (c == ' ') {
            column++;
            alternate++;
        } else if (c == '\t') {
            column = (column / 8 + 1) * 8;
            alternate++;
        } else if (c == '\f') {
            column = alternate = 0;
        } else if (c == '\\' && lexer->target == 309) {
            /* Python 3.9 takes such a line as indented like the one before. */
            lexer->at = at;
            return;
        } else if (c == '\\' && is_line_end(at[1]) && lexer->target != 308) {
            continued = continued != 0 ? continued : column;
            at = skip_line_end(at + 1);
            if (at == lexer->end) {
                lexer->at = at;
                emit_error(lexer, at, at, "unexpected end of file after a line continuation");
                return;
            }
            continue;
        } else if (c == '#' || is_line_end(c)) {
            at = skip_comment(lexer, at);
            if (at == lexer->end) {
                break;
            }
            at = skip_line_end(at);
            column = alternate = continued = 0;
            continue;
        } else {
            break;
        }
        at++;
    }
    lexer->at = at;
    if (at < lexer->end) {
        compare_indent(lexer, continued != 0 ? continued : column, continued != 0 ? continued : alternate);
    }
}

/* Brackets. */

bool gm_lexer_open(gm_lexer *lexer, gm_token_kind kind, bool field) {
    const char *at = lexer->at;
    if (lexer->depth == GM_BRACKET_LIMIT) {
        if (lexer->excess++ == 0) {
            gm_lexer_report(lexer, at, at + 1, "more than 200 nested parentheses, a limit of Python");
        }
        gm_lexer_emit(lexer, GM_TOKEN_ERROR, at, at + 1);
        lexer->at = at + 1;
        return false;
    }
    lexer->brackets[lexer->depth++] = (gm_bracket){gm_lexer_offset(lexer, at), *at, field};
    gm_lexer_emit(lexer, kind, at, at + 1);
    lexer->at = at + 1;
    return true;
}

static bool in_field(const gm_lexer *lexer) {
    return lexer->fstring_count > 0 && lexer->depth > 0 && lexer->excess == 0 && lexer->brackets[lexer->depth - 1].field;
}

static char closer_of(char opener) {
    return opener == '(' ? ')' : opener == '[' ? ']' : '}';
}

static const char *mismatch_message(gm_lexer *lexer, char closer) {
    if (lexer->depth == 0) {
        return closer == ')' ? "unmatched `)`" : closer == ']' ? "unmatched `]`" : "unmatched `}`";
    }
    char opener = lexer->brackets[lexer->depth - 1].opener;
    char *message = gm_arena_copy(lexer->arena, "closing `?` does not match opening `?`", 38);
    message[9] = closer;
    message[36] = opener;
    return message;
}

/* A closer that fits no bracket is skipped; one that fits an outer bracket of the same f-string closes what is inside it. */
static void close_wrong(gm_lexer *lexer) {
    const char *at = lexer->at;
    emit_error(lexer, at, at + 1, mismatch_message(lexer, *at));
    uint32_t floor = lexer->fstring_count > 0 ? lexer->fstrings[lexer->fstring_count - 1].depth : 0;
    for (uint32_t depth = lexer->depth; depth > floor; depth--) {
        const gm_bracket *bracket = &lexer->brackets[depth - 1];
        if (bracket->field) {
            break;
        }
        if (closer_of(bracket->opener) == *at) {
            lexer->depth = depth - 1;
            break;
        }
    }
    lexer->at = at + 1;
}

static void close_bracket(gm_lexer *lexer, gm_token_kind kind) {
    const char *at = lexer->at;
    if (lexer->excess > 0) {
        lexer->excess--;
        gm_lexer_emit(lexer, GM_TOKEN_ERROR, at, at + 1);
        lexer->at = at + 1;
        return;
    }
    if (lexer->depth == 0 || closer_of(lexer->brackets[lexer->depth - 1].opener) != *at) {
        close_wrong(lexer);
        return;
    }
    bool field = lexer->brackets[--lexer->depth].field;
    gm_lexer_emit(lexer, kind, at, at + 1);
    lexer->at = at + 1;
    if (field) {
        gm_lexer_fstring_text(lexer);
    }
}

/* Give up on all open brackets and f-strings. The ERROR token tells the parser that this has been reported. */
static void abandon_brackets(gm_lexer *lexer) {
    if (lexer->depth > 0) {
        const gm_bracket *bracket = &lexer->brackets[lexer->depth - 1];
        const char *message = bracket->opener == '('   ? "`(` was never closed"
                              : bracket->opener == '[' ? "`[` was never closed"
                                                       : "`{` was never closed";
        gm_lexer_report(lexer, lexer->text + bracket->start, lexer->text + bracket->start + 1, message);
    }
    const char *end = lexer->count > 0 ? lexer->text + lexer->tokens[lexer->count - 1].end : lexer->text;
    gm_lexer_emit(lexer, GM_TOKEN_ERROR, end, end);
    gm_lexer_emit(lexer, GM_TOKEN_NEWLINE, end, end);
    lexer->depth = lexer->excess = lexer->fstring_count = 0;
}

bool gm_lexer_recover(gm_lexer *lexer, const char *start) {
    const char *line = start;
    while (line > lexer->text && gm_char_is(line[-1], GM_CHAR_BLANK)) {
        line--;
    }
    if (line == lexer->text || !is_line_end(line[-1])) {
        return false;
    }
    abandon_brackets(lexer);
    lexer->at = line;
    begin_line(lexer);
    return true;
}

/* Line ends. */

static void end_line(gm_lexer *lexer) {
    const char *at = lexer->at;
    const char *next = skip_line_end(at);
    lexer->at = next;
    if (lexer->depth > 0 || lexer->excess > 0) {
        return;
    }
    /* A line of nothing but a line join comes to this: for Python 3.8 it is an empty statement. */
    if (lexer->target == 308 || (lexer->count > 0 && lexer->tokens[lexer->count - 1].kind != GM_TOKEN_NEWLINE)) {
        gm_lexer_emit(lexer, GM_TOKEN_NEWLINE, at, next);
    }
    begin_line(lexer);
}

static void continue_line(gm_lexer *lexer) {
    const char *at = lexer->at;
    if (!is_line_end(at[1]) && at + 1 < lexer->end) {
        lexer->at = at + 1;
        emit_error(lexer, at, at + 1, "unexpected character after a line continuation");
        return;
    }
    if (lexer->fstring_count > 0 && lexer->target != 0 && lexer->target < 312) {
        gm_lexer_report(lexer, at, at + 1, "f-string: a backslash in an expression needs Python 3.12");
    }
    lexer->at = at + 1 < lexer->end ? skip_line_end(at + 1) : at + 1;
    if (lexer->at == lexer->end) {
        emit_error(lexer, lexer->end, lexer->end, "unexpected end of file after a line continuation");
    }
}

static void end_file(gm_lexer *lexer) {
    if (lexer->depth > 0 || lexer->excess > 0) {
        abandon_brackets(lexer);
    }
    if (lexer->count > 0 && lexer->tokens[lexer->count - 1].kind != GM_TOKEN_NEWLINE &&
        lexer->tokens[lexer->count - 1].kind != GM_TOKEN_DEDENT) {
        gm_lexer_emit(lexer, GM_TOKEN_NEWLINE, lexer->end, lexer->end);
    }
    pop_indents(lexer, 0);
    gm_lexer_emit(lexer, GM_TOKEN_END, lexer->end, lexer->end);
}

/* Punctuation. */

static void emit_operator(gm_lexer *lexer, gm_token_kind kind, int length) {
    gm_lexer_emit(lexer, kind, lexer->at, lexer->at + length);
    lexer->at += length;
}

/* `x` by its character, and what it is with `=` behind it, written twice, and both; GM_TOKEN_END where that is no operator. */
static const struct {
    gm_token_kind one, equal, two, two_equal;
} operators[UCHAR_MAX + 1] = {
    [','] = {.one = GM_TOKEN_COMMA},
    [';'] = {.one = GM_TOKEN_SEMICOLON},
    ['~'] = {.one = GM_TOKEN_TILDE},
    [':'] = {.one = GM_TOKEN_COLON, .equal = GM_TOKEN_WALRUS},
    ['='] = {.one = GM_TOKEN_EQUAL, .equal = GM_TOKEN_EQ},
    ['+'] = {.one = GM_TOKEN_PLUS, .equal = GM_TOKEN_PLUS_EQUAL},
    ['-'] = {.one = GM_TOKEN_MINUS, .equal = GM_TOKEN_MINUS_EQUAL},
    ['%'] = {.one = GM_TOKEN_PERCENT, .equal = GM_TOKEN_PERCENT_EQUAL},
    ['@'] = {.one = GM_TOKEN_AT, .equal = GM_TOKEN_AT_EQUAL},
    ['&'] = {.one = GM_TOKEN_AMPERSAND, .equal = GM_TOKEN_AMPERSAND_EQUAL},
    ['|'] = {.one = GM_TOKEN_BAR, .equal = GM_TOKEN_BAR_EQUAL},
    ['^'] = {.one = GM_TOKEN_CARET, .equal = GM_TOKEN_CARET_EQUAL},
    ['*'] = {GM_TOKEN_STAR, GM_TOKEN_STAR_EQUAL, GM_TOKEN_POWER, GM_TOKEN_POWER_EQUAL},
    ['/'] = {GM_TOKEN_SLASH, GM_TOKEN_SLASH_EQUAL, GM_TOKEN_SLASH_SLASH, GM_TOKEN_SLASH_SLASH_EQUAL},
    ['<'] = {GM_TOKEN_LT, GM_TOKEN_LE, GM_TOKEN_SHIFT_LEFT, GM_TOKEN_SHIFT_LEFT_EQUAL},
    ['>'] = {GM_TOKEN_GT, GM_TOKEN_GE, GM_TOKEN_SHIFT_RIGHT, GM_TOKEN_SHIFT_RIGHT_EQUAL},
};

/* The operator at this place, as long as it can be; false if there is none. */
static bool read_operator(gm_lexer *lexer) {
    unsigned char sign = (unsigned char)*lexer->at;
    bool twice = operators[sign].two != GM_TOKEN_END && lexer->at[1] == lexer->at[0];
    gm_token_kind kind = twice ? operators[sign].two : operators[sign].one;
    gm_token_kind equal = twice ? operators[sign].two_equal : operators[sign].equal;
    int length = twice ? 2 : 1;
    if (kind == GM_TOKEN_END) {
        return false;
    }
    if (equal != GM_TOKEN_END && lexer->at[length] == '=') {
        kind = equal;
        length++;
    }
    emit_operator(lexer, kind, length);
    return true;
}

static void colon(gm_lexer *lexer) {
    if (in_field(lexer)) {
        emit_operator(lexer, GM_TOKEN_COLON, 1);
        gm_lexer_fstring_text(lexer);
    } else {
        read_operator(lexer);
    }
}

static void minus(gm_lexer *lexer) {
    if (lexer->at[1] == '>') {
        emit_operator(lexer, GM_TOKEN_ARROW, 2);
    } else {
        read_operator(lexer);
    }
}

static void dot(gm_lexer *lexer) {
    if (gm_char_is(lexer->at[1], GM_CHAR_DIGIT)) {
        gm_lexer_number(lexer);
    } else if (lexer->at[1] == '.' && lexer->at[2] == '.') {
        emit_operator(lexer, GM_TOKEN_ELLIPSIS, 3);
    } else {
        emit_operator(lexer, GM_TOKEN_DOT, 1);
    }
}

static void exclamation(gm_lexer *lexer) {
    if (lexer->at[1] == '=') {
        emit_operator(lexer, GM_TOKEN_NE, 2);
    } else if (lexer->fstring_count > 0) {
        emit_operator(lexer, GM_TOKEN_EXCLAMATION, 1);
    } else {
        lexer->at++;
        emit_error(lexer, lexer->at - 1, lexer->at, "invalid syntax");
    }
}

static void comment(gm_lexer *lexer) {
    if (lexer->fstring_count > 0 && lexer->target != 0 && lexer->target < 312) {
        gm_lexer_report(lexer, lexer->at, lexer->at + 1, "f-string: a comment in an expression needs Python 3.12");
    }
    lexer->at = skip_comment(lexer, lexer->at);
}

/* One token, or white space, at `at`. Returns false at the end of the text. */
static bool read_token(gm_lexer *lexer) {
    switch (*lexer->at) {
    case ' ':
    case '\t':
    case '\f': do { lexer->at++;
        } while (gm_char_is(*lexer->at, GM_CHAR_BLANK));
        return true;
    case '\n':
    case '\r': end_line(lexer); return true;
    case '#': comment(lexer); return true;
    case '\\': continue_line(lexer); return true;
    case '(': gm_lexer_open(lexer, GM_TOKEN_LPAR, false); return true;
    case '[': gm_lexer_open(lexer, GM_TOKEN_LSQB, false); return true;
    case '{': gm_lexer_open(lexer, GM_TOKEN_LBRACE, false); return true;
    case ')': close_bracket(lexer, GM_TOKEN_RPAR); return true;
    case ']': close_bracket(lexer, GM_TOKEN_RSQB); return true;
    case '}': close_bracket(lexer, GM_TOKEN_RBRACE); return true;
    case '"':
    case '\'': gm_lexer_string(lexer, lexer->at); return true;
    case ':': colon(lexer); return true;
    case '.': dot(lexer); return true;
    case '!': exclamation(lexer); return true;
    case '-': minus(lexer); return true;
    case '\0':
        if (lexer->at == lexer->end) {
            return false;
        }
        lexer->at++;
        gm_lexer_emit(lexer, GM_TOKEN_ERROR, lexer->at - 1, lexer->at);
        return true;
    default: break;
    }
    if (gm_char_is(*lexer->at, GM_CHAR_NAME_START)) {
        gm_lexer_name(lexer);
    } else if (gm_char_is(*lexer->at, GM_CHAR_DIGIT)) {
        gm_lexer_number(lexer);
    } else if (!read_operator(lexer)) {
        lexer->at++;
        emit_error(lexer, lexer->at - 1, lexer->at, "invalid character");
    }
    return true;
}

/* Python refuses a text with a null byte, inside of strings and comments, too. */
static void refuse_null_bytes(gm_lexer *lexer, const gm_source *source) {
    const char *found = source->length > 0 ? memchr(source->text, '\0', source->length) : NULL;
    if (found != NULL) {
        gm_lexer_report(lexer, found, found + 1, "source text cannot contain null bytes");
    }
}

/* Real code has a token for every five bytes or more. */
static uint32_t likely_tokens(const gm_source *source) {
    return source->length / 5 + 16;
}

uint32_t gm_lexer_run(gm_arena *arena, const gm_source *source, gm_version target, gm_token **tokens, gm_diagnostics *diagnostics) {
    gm_lexer *lexer = GM_NEW(arena, gm_lexer);
    lexer->arena = arena;
    lexer->text = lexer->at = source->text;
    lexer->end = source->text + source->length;
    lexer->diagnostics = diagnostics;
    lexer->target = target;
    lexer->has_return = source->has_return;
    lexer->capacity = likely_tokens(source);
    lexer->tokens = gm_arena_alloc(arena, lexer->capacity * sizeof *lexer->tokens);
    refuse_null_bytes(lexer, source);
    begin_line(lexer);
    while (read_token(lexer)) {
    }
    end_file(lexer);
    *tokens = lexer->tokens;
    return lexer->count;
}
