#include <string.h>

#include "syntax/lexer.h"

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static unsigned prefix_flags(const char *at, const char *quote) {
    unsigned flags = at < quote ? GM_STRING_PREFIX : 0;
    if (*at == 'u') {
        flags |= GM_STRING_UNICODE;
    }
    for (; at < quote; at++) {
        switch (*at | 0x20) {
        case 'r': flags |= GM_STRING_RAW; break;
        case 'b': flags |= GM_STRING_BYTES; break;
        case 't': flags |= GM_STRING_TEMPLATE; break;
        default: break;
        }
    }
    return flags;
}

static bool is_format(const char *at, const char *quote) {
    for (; at < quote; at++) {
        char letter = (char)(*at | 0x20);
        if (letter == 'f' || letter == 't') {
            return true;
        }
    }
    return false;
}

/* Behind a backslash and what it escapes. */
static const char *skip_escape(const gm_lexer *lexer, const char *at) {
    at++;
    if (at == lexer->end) {
        return at;
    }
    return at[0] == '\r' && at[1] == '\n' ? at + 2 : at + 1;
}

static const char *single_end(const gm_lexer *lexer, const char *at, char quote, unsigned *flags) {
    for (;;) {
        while (!gm_char_is(*at, GM_CHAR_QUOTED)) {
            at++;
        }
        if (*at == quote) {
            return at + 1;
        }
        if (*at == '\\') {
            *flags |= GM_STRING_ESCAPES;
            at = skip_escape(lexer, at);
        } else if (at == lexer->end || is_line_end(*at)) {
            return NULL;
        } else {
            at++;
        }
    }
}

/* Most of these are long texts with few quotes and backslashes in them. */
static const char *triple_end(const gm_lexer *lexer, const char *at, char quote, unsigned *flags) {
    const char *closing = NULL; /* the first quote from `at` on */
    for (;;) {
        if (closing == NULL || closing < at) {
            closing = memchr(at, quote, (size_t)(lexer->end - at));
        }
        if (closing == NULL) {
            return NULL;
        }
        const char *escape = memchr(at, '\\', (size_t)(closing - at));
        if (escape != NULL) {
            *flags |= GM_STRING_ESCAPES;
            at = skip_escape(lexer, escape);
        } else if (closing[1] == quote && closing[2] == quote) {
            return closing + 3;
        } else {
            at = closing + 1;
        }
    }
}

/* From behind the opening quotes to behind the closing ones; NULL when they are missing. */
static const char *plain_end(const gm_lexer *lexer, const char *at, char quote, bool triple, unsigned *flags) {
    return triple ? triple_end(lexer, at, quote, flags) : single_end(lexer, at, quote, flags);
}

/* The rest of the line, or of the file, is no token. */
static void unterminated(gm_lexer *lexer, const char *start, bool triple) {
    const char *at = lexer->at;
    while (at < lexer->end && (triple || !is_line_end(*at))) {
        at++;
    }
    gm_lexer_report(lexer, start, at, triple ? "unterminated triple-quoted string" : "unterminated string");
    gm_lexer_emit(lexer, GM_TOKEN_ERROR, start, at);
    lexer->at = at;
}

static bool before_312(const gm_lexer *lexer) {
    return lexer->target != 0 && lexer->target < 312;
}

static void begin_fstring(gm_lexer *lexer, const char *start, char quote, unsigned flags) {
    bool triple = (flags & GM_STRING_TRIPLE) != 0;
    if (lexer->fstring_count == GM_FSTRING_LIMIT) {
        gm_lexer_report(lexer, start, lexer->at, "more than 150 nested f-strings, a limit of Python");
        gm_lexer_emit(lexer, GM_TOKEN_ERROR, start, lexer->at);
        return;
    }
    gm_fstring *fstring = &lexer->fstrings[lexer->fstring_count++];
    *fstring = (gm_fstring){gm_lexer_offset(lexer, start), 0, lexer->depth, quote, (uint8_t)flags};
    if (before_312(lexer)) {
        unsigned ignored = 0;
        const char *end = plain_end(lexer, lexer->at, quote, triple, &ignored);
        fstring->plain_end = end == NULL ? UINT32_MAX : gm_lexer_offset(lexer, end);
    }
    gm_lexer_emit_flags(lexer, GM_TOKEN_FSTRING_START, start, lexer->at, flags);
    gm_lexer_fstring_text(lexer);
}

void gm_lexer_string(gm_lexer *lexer, const char *start) {
    const char *at = lexer->at;
    char quote = *at;
    unsigned flags = prefix_flags(start, at);
    bool triple = at[1] == quote && at[2] == quote;
    bool format = is_format(start, at);
    if (triple) {
        flags |= GM_STRING_TRIPLE;
    }
    at += triple ? 3 : 1;
    lexer->at = at;
    if (format) {
        begin_fstring(lexer, start, quote, flags);
        return;
    }
    const char *end = plain_end(lexer, at, quote, triple, &flags);
    if (end == NULL) {
        unterminated(lexer, start, triple);
        return;
    }
    if (lexer->fstring_count > 0 && (flags & GM_STRING_ESCAPES) != 0 && before_312(lexer)) {
        gm_lexer_report(lexer, start, end, "f-string: a backslash in an expression needs Python 3.12");
    }
    gm_lexer_emit_flags(lexer, GM_TOKEN_STRING, start, end, flags);
    lexer->at = end;
}

/* Text of f-strings. */

static bool in_spec(const gm_lexer *lexer) {
    return lexer->depth > lexer->fstrings[lexer->fstring_count - 1].depth;
}

static void emit_text(gm_lexer *lexer, const char *start, const char *end, unsigned flags) {
    if (start < end) {
        const gm_fstring *fstring = &lexer->fstrings[lexer->fstring_count - 1];
        unsigned kept = fstring->flags & (GM_STRING_RAW | GM_STRING_TEMPLATE);
        unsigned spec = in_spec(lexer) ? GM_STRING_SPEC : 0;
        gm_lexer_emit_flags(lexer, GM_TOKEN_FSTRING_MIDDLE, start, end, flags | kept | spec);
    }
}

static void end_fstring(gm_lexer *lexer, const char *at) {
    const gm_fstring *fstring = &lexer->fstrings[--lexer->fstring_count];
    const char *end = at + ((fstring->flags & GM_STRING_TRIPLE) != 0 ? 3 : 1);
    lexer->depth = fstring->depth;
    gm_lexer_emit(lexer, GM_TOKEN_FSTRING_END, at, end);
    lexer->at = end;
    if (fstring->plain_end != 0 && fstring->plain_end != gm_lexer_offset(lexer, end)) {
        gm_lexer_report(lexer, lexer->text + fstring->start, end, "f-string: nested quotes of the same kind need Python 3.12");
    }
}

/* The f-string does not end on its line, or in the file. */
static void unterminated_fstring(gm_lexer *lexer, const char *at) {
    const gm_fstring *fstring = &lexer->fstrings[--lexer->fstring_count];
    lexer->depth = fstring->depth;
    gm_lexer_report(lexer, lexer->text + fstring->start, at,
                    (fstring->flags & GM_STRING_TRIPLE) != 0 ? "unterminated triple-quoted f-string" : "unterminated f-string");
    gm_lexer_emit(lexer, GM_TOKEN_ERROR, at, at);
    lexer->at = at;
}

/* `{` of a field. Returns false when it could not be opened. */
static bool begin_field(gm_lexer *lexer, const char *at) {
    const gm_fstring *fstring = &lexer->fstrings[lexer->fstring_count - 1];
    uint32_t level = lexer->depth - fstring->depth;
    if (level >= (before_312(lexer) ? 2 : 3)) {
        gm_lexer_report(lexer, at, at + 1, "f-string: expressions nested too deeply");
    }
    lexer->at = at;
    return gm_lexer_open(lexer, GM_TOKEN_LBRACE, true);
}

/* Behind a backslash in the text and what it escapes; braces are not escaped, `\N{...}` is one escape. */
static const char *skip_text_escape(gm_lexer *lexer, const char *at, bool raw) {
    if (lexer->fstring_count > 1 && before_312(lexer)) {
        gm_lexer_report(lexer, at, at + 1, "f-string: a backslash in an expression needs Python 3.12");
    }
    if (at[1] == '{' || at[1] == '}') {
        return at + 1;
    }
    if (!raw && at[1] == 'N' && at[2] == '{') {
        const char *name = at + 3;
        while (gm_char_is(*name, GM_CHAR_NAME | GM_CHAR_BLANK) || *name == '-') {
            name++;
        }
        return *name == '}' ? name + 1 : at + 2;
    }
    return skip_escape(lexer, at);
}

/* Python 3.12 and 3.13 end the text of a format spec at a line end and go on as in the field. */
static bool newline_in_spec(const gm_lexer *lexer) {
    return in_spec(lexer) && (lexer->target == 0 || lexer->target == 312 || lexer->target == 313);
}

void gm_lexer_fstring_text(gm_lexer *lexer) {
    const gm_fstring *fstring = &lexer->fstrings[lexer->fstring_count - 1];
    bool triple = (fstring->flags & GM_STRING_TRIPLE) != 0;
    bool raw = (fstring->flags & GM_STRING_RAW) != 0;
    char quote = fstring->quote;
    const char *start = lexer->at;
    const char *at = start;
    unsigned flags = 0;
    for (;;) {
        char c = *at;
        if (c == quote && (!triple || (at[1] == quote && at[2] == quote))) {
            emit_text(lexer, start, at, flags);
            if (in_spec(lexer)) {
                gm_lexer_report(lexer, at, at + 1, "f-string: expecting `}`");
                gm_lexer_emit(lexer, GM_TOKEN_ERROR, at, at);
            }
            end_fstring(lexer, at);
            return;
        }
        if (c == '\\') {
            flags |= GM_STRING_ESCAPES;
            at = skip_text_escape(lexer, at, raw);
        } else if (c == '{') {
            if (at[1] == '{' && !in_spec(lexer)) {
                at += 2;
                continue;
            }
            emit_text(lexer, start, at, flags);
            if (begin_field(lexer, at)) {
                return;
            }
            start = at = lexer->at;
        } else if (c == '}' && in_spec(lexer)) {
            emit_text(lexer, start, at, flags);
            gm_lexer_emit(lexer, GM_TOKEN_RBRACE, at, at + 1);
            lexer->depth--;
            start = ++at;
            flags = 0;
        } else if (c == '}') {
            if (at[1] != '}') {
                gm_lexer_report(lexer, at, at + 1, "f-string: single `}` is not allowed");
            }
            at += at[1] == '}' ? 2 : 1;
        } else if (is_line_end(c) && !triple && newline_in_spec(lexer)) {
            emit_text(lexer, start, at, flags);
            lexer->at = at;
            return;
        } else if (at == lexer->end || (!triple && is_line_end(c))) {
            emit_text(lexer, start, at, flags);
            unterminated_fstring(lexer, at);
            return;
        } else {
            at++;
        }
    }
}
