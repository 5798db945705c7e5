#include "syntax/lexer.h"

static bool digit_of(char c, unsigned base) {
    switch (base) {
    case 2: return c == '0' || c == '1';
    case 8: return c >= '0' && c <= '7';
    case 16: return gm_char_is(c, GM_CHAR_HEX);
    default: return gm_char_is(c, GM_CHAR_DIGIT);
    }
}

/* Digits with single underscores between them; NULL when there is none or an underscore has no digit behind it. */
static const char *digits(const char *at, unsigned base) {
    for (;;) {
        if (!digit_of(*at, base)) {
            return NULL;
        }
        while (digit_of(*at, base)) {
            at++;
        }
        if (*at != '_') {
            return at;
        }
        at++;
    }
}

static bool starts_with(const char *at, const char *word) {
    while (*word != '\0') {
        if (*at++ != *word++) {
            return false;
        }
    }
    return true;
}

/* Keywords that CPython still takes directly behind a number. */
static bool keyword_follows(const char *at) {
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "or", "not"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (starts_with(at, words[i])) {
            return true;
        }
    }
    return false;
}

static void invalid(gm_lexer *lexer, const char *start, const char *at, const char *message) {
    while (gm_char_is(*at, GM_CHAR_NAME)) {
        at++;
    }
    gm_lexer_report(lexer, start, at, message);
    gm_lexer_emit(lexer, GM_TOKEN_ERROR, start, at);
    lexer->at = at;
}

static void finish(gm_lexer *lexer, gm_token_kind kind, const char *start, const char *end) {
    bool strict = lexer->target >= 310;
    if (strict && gm_char_is(*end, GM_CHAR_NAME) && !keyword_follows(end)) {
        invalid(lexer, start, end, "invalid number literal");
        return;
    }
    gm_lexer_emit(lexer, kind, start, end);
    lexer->at = end;
}

static void radix(gm_lexer *lexer, const char *start, unsigned base) {
    const char *at = start + 2;
    const char *end = digits(*at == '_' ? at + 1 : at, base);
    if (end == NULL) {
        invalid(lexer, start, at, "invalid digits in a number with a base");
        return;
    }
    if (gm_char_is(*end, GM_CHAR_DIGIT)) {
        invalid(lexer, start, end, base == 2 ? "invalid digit in a binary number" : "invalid digit in an octal number");
        return;
    }
    finish(lexer, GM_TOKEN_INT, start, end);
}

/* The exponent at `at`, if it is one; otherwise `at`. NULL when its digits are wrong. */
static const char *exponent(const char *at) {
    if (*at != 'e' && *at != 'E') {
        return at;
    }
    const char *first = at[1] == '+' || at[1] == '-' ? at + 2 : at + 1;
    return gm_char_is(*first, GM_CHAR_DIGIT) ? digits(first, 10) : at;
}

static bool only_zeros(const char *at, const char *end) {
    while (at < end && (*at == '0' || *at == '_')) {
        at++;
    }
    return at == end;
}

/* CPython's limit on converting decimal text to int. */
static bool too_long(const char *at, const char *end) {
    enum { DIGIT_LIMIT = 4300 };
    if (end - at <= DIGIT_LIMIT) {
        return false;
    }
    size_t count = 0;
    for (; at < end; at++) {
        count += *at != '_';
    }
    return count > DIGIT_LIMIT;
}

void gm_lexer_number(gm_lexer *lexer) {
    const char *start = lexer->at;
    char mark = start[0] == '0' ? (char)(start[1] | 0x20) : '\0';
    if (mark == 'x' || mark == 'o' || mark == 'b') {
        radix(lexer, start, mark == 'x' ? 16 : mark == 'o' ? 8 : 2);
        return;
    }
    gm_token_kind kind = GM_TOKEN_INT;
    const char *at = start;
    if (*at != '.') {
        at = digits(at, 10);
        if (at == NULL) {
            invalid(lexer, start, start, "invalid decimal number");
            return;
        }
    }
    const char *whole_end = at;
    if (*at == '.') {
        kind = GM_TOKEN_FLOAT;
        at++;
        if (gm_char_is(*at, GM_CHAR_DIGIT)) {
            at = digits(at, 10);
        }
    }
    const char *mantissa_end = at;
    at = at == NULL ? NULL : exponent(at);
    if (at == NULL) {
        invalid(lexer, start, whole_end + 1, "invalid decimal number");
        return;
    }
    if (at != mantissa_end) {
        kind = GM_TOKEN_FLOAT;
    }
    if (*at == 'j' || *at == 'J') {
        kind = GM_TOKEN_IMAGINARY;
        at++;
    }
    if (kind == GM_TOKEN_INT && *start == '0' && !only_zeros(start, at)) {
        invalid(lexer, start, at, "leading zeros in a decimal number; an octal number starts with `0o`");
        return;
    }
    if (kind == GM_TOKEN_INT && too_long(start, at)) {
        invalid(lexer, start, at, "more than 4300 digits in a decimal number, a limit of Python that can be set");
        gm_diagnostic *last = &lexer->diagnostics->items[lexer->diagnostics->count - 1];
        last->limit = last->start == gm_lexer_offset(lexer, start);
        return;
    }
    finish(lexer, kind, start, at);
}
