#include <string.h>

#include "base/utf8.h"
#include "syntax/lexer.h"
#include "syntax/unicode.h"

#define START (GM_CHAR_NAME_START | GM_CHAR_NAME)
#define HEXLETTER (START | GM_CHAR_HEX)
#define DIGIT (GM_CHAR_NAME | GM_CHAR_DIGIT | GM_CHAR_HEX)
#define EIGHT(class) class, class, class, class, class, class, class, class
#define HIGH EIGHT(START), EIGHT(START), EIGHT(START), EIGHT(START)

/* clang-format off */
const uint8_t gm_char_classes[256] = {
    [' '] = GM_CHAR_BLANK, ['\t'] = GM_CHAR_BLANK, ['\f'] = GM_CHAR_BLANK,
    ['\0'] = GM_CHAR_QUOTED, ['\n'] = GM_CHAR_QUOTED, ['\r'] = GM_CHAR_QUOTED,
    ['\\'] = GM_CHAR_QUOTED, ['"'] = GM_CHAR_QUOTED, ['\''] = GM_CHAR_QUOTED,
    ['0'] = DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT,
    ['A'] = HEXLETTER, HEXLETTER, HEXLETTER, HEXLETTER, HEXLETTER, HEXLETTER, START, START, START, START, START, START, START,
    START, START, START, START, START, START, START, START, START, START, START, START, START,
    ['_'] = START,
    ['a'] = HEXLETTER, HEXLETTER, HEXLETTER, HEXLETTER, HEXLETTER, HEXLETTER, START, START, START, START, START, START, START,
    START, START, START, START, START, START, START, START, START, START, START, START, START,
    [128] = HIGH, HIGH, HIGH, HIGH,
};
/* clang-format on */

/* Keywords. */

enum { WORD_SIZE = 8, WORD_SLOTS = 128 };

typedef struct word {
    char text[WORD_SIZE]; /* padded with NUL */
    uint8_t kind;
    uint8_t flags;
} word;

/* A perfect hash of the words by first, second and last character and length. */
#define SLOT(first, second, last, length) (((first) + 7U * (second) + 16U * (last) + (length)) & (WORD_SLOTS - 1))
#define KEYWORD(first, second, last, length, kind) [SLOT(first, second, last, length)] = {#kind, GM_TOKEN_##kind, 0}
#define SOFT(first, second, last, length, text, flag) [SLOT(first, second, last, length)] = {text, GM_TOKEN_NAME, flag}

static const word words[WORD_SLOTS] = {
    KEYWORD('F', 'a', 'e', 5, False),
    KEYWORD('N', 'o', 'e', 4, None),
    KEYWORD('T', 'r', 'e', 4, True),
    KEYWORD('a', 'n', 'd', 3, and),
    KEYWORD('a', 's', 's', 2, as),
    KEYWORD('a', 's', 't', 6, assert),
    KEYWORD('a', 's', 'c', 5, async),
    KEYWORD('a', 'w', 't', 5, await),
    KEYWORD('b', 'r', 'k', 5, break),
    KEYWORD('c', 'l', 's', 5, class),
    KEYWORD('c', 'o', 'e', 8, continue),
    KEYWORD('d', 'e', 'f', 3, def),
    KEYWORD('d', 'e', 'l', 3, del),
    KEYWORD('e', 'l', 'f', 4, elif),
    KEYWORD('e', 'l', 'e', 4, else),
    KEYWORD('e', 'x', 't', 6, except),
    KEYWORD('f', 'i', 'y', 7, finally),
    KEYWORD('f', 'o', 'r', 3, for),
    KEYWORD('f', 'r', 'm', 4, from),
    KEYWORD('g', 'l', 'l', 6, global),
    KEYWORD('i', 'f', 'f', 2, if),
    KEYWORD('i', 'm', 't', 6, import),
    KEYWORD('i', 'n', 'n', 2, in),
    KEYWORD('i', 's', 's', 2, is),
    KEYWORD('l', 'a', 'a', 6, lambda),
    KEYWORD('n', 'o', 'l', 8, nonlocal),
    KEYWORD('n', 'o', 't', 3, not),
    KEYWORD('o', 'r', 'r', 2, or),
    KEYWORD('p', 'a', 's', 4, pass),
    KEYWORD('r', 'a', 'e', 5, raise),
    KEYWORD('r', 'e', 'n', 6, return),
    KEYWORD('t', 'r', 'y', 3, try),
    KEYWORD('w', 'h', 'e', 5, while),
    KEYWORD('w', 'i', 'h', 4, with),
    KEYWORD('y', 'i', 'd', 5, yield),
    SOFT('m', 'a', 'h', 5, "match", GM_NAME_MATCH),
    SOFT('c', 'a', 'e', 4, "case", GM_NAME_CASE),
    SOFT('t', 'y', 'e', 4, "type", GM_NAME_TYPE),
};

/* How much of eight bytes belongs to a word of this length. */
static const unsigned char masks[WORD_SIZE + 1][WORD_SIZE] = {
    {0},
    {0xFF},
    {0xFF, 0xFF},
    {0xFF, 0xFF, 0xFF},
    {0xFF, 0xFF, 0xFF, 0xFF},
    {0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
    {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
    {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
    {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
};

static const word *find_word(const char *text, size_t length) {
    if (length < 2 || length > WORD_SIZE) {
        return NULL;
    }
    uint64_t mask;
    uint64_t have;
    uint64_t want;
    unsigned first = (unsigned char)text[0];
    unsigned second = (unsigned char)text[1];
    unsigned last = (unsigned char)text[length - 1];
    const word *candidate = &words[SLOT(first, second, last, (unsigned)length)];
    memcpy(&mask, masks[length], WORD_SIZE);
    memcpy(&have, text, WORD_SIZE); /* may read padding behind the text */
    memcpy(&want, candidate->text, WORD_SIZE);
    return (have & mask) == want && want != 0 ? candidate : NULL;
}

/* Keywords that no bracket can hold. */
static bool starts_statement(uint8_t kind) {
    switch (kind) {
    case GM_TOKEN_assert:
    case GM_TOKEN_break:
    case GM_TOKEN_class:
    case GM_TOKEN_continue:
    case GM_TOKEN_def:
    case GM_TOKEN_del:
    case GM_TOKEN_except:
    case GM_TOKEN_finally:
    case GM_TOKEN_global:
    case GM_TOKEN_import:
    case GM_TOKEN_nonlocal:
    case GM_TOKEN_pass:
    case GM_TOKEN_raise:
    case GM_TOKEN_return:
    case GM_TOKEN_try:
    case GM_TOKEN_while:
    case GM_TOKEN_with: return true;
    default: return false;
    }
}

/* Letters `rbuft` in one of the orders that CPython knows. */
static bool is_string_prefix(const char *start, size_t length) {
    char first = (char)(start[0] | 0x20);
    if (length == 1) {
        return first == 'r' || first == 'b' || first == 'u' || first == 'f' || first == 't';
    }
    char second = (char)(start[1] | 0x20);
    bool raw_first = first == 'r' && (second == 'b' || second == 'f' || second == 't');
    bool raw_second = second == 'r' && (first == 'b' || first == 'f' || first == 't');
    return length == 2 && (raw_first || raw_second);
}

/* Checks the characters of a name beyond ASCII; returns its end. */
static const char *check_unicode(gm_lexer *lexer, const char *start, const char *end) {
    const char *at = start;
    while (at < end) {
        uint32_t code = 0;
        size_t size = gm_utf8_decode(at, (size_t)(end - at), &code);
        bool valid = size > 0 && (at == start ? gm_unicode_is_start(code) : gm_unicode_is_continue(code));
        if (!valid) {
            gm_lexer_report(lexer, at, at + (size > 0 ? size : 1), "invalid character in a name");
            return NULL;
        }
        at += size;
    }
    return end;
}

void gm_lexer_name(gm_lexer *lexer) {
    const char *start = lexer->at;
    const char *at = start + 1;
    unsigned char high = (unsigned char)*start;
    while (gm_char_is(*at, GM_CHAR_NAME)) {
        high |= (unsigned char)*at;
        at++;
    }
    lexer->at = at;
    size_t length = (size_t)(at - start);
    if ((*at == '"' || *at == '\'') && length <= 2 && is_string_prefix(start, length)) {
        gm_lexer_string(lexer, start);
        return;
    }
    if ((high & 0x80U) != 0) {
        bool valid = check_unicode(lexer, start, at) != NULL;
        gm_lexer_emit_flags(lexer, valid ? GM_TOKEN_NAME : GM_TOKEN_ERROR, start, at, GM_NAME_UNICODE);
        return;
    }
    const word *found = find_word(start, length);
    if (found == NULL) {
        gm_lexer_emit_flags(lexer, GM_TOKEN_NAME, start, at, length == 1 && *start == '_' ? GM_NAME_WILDCARD : 0);
        return;
    }
    if (lexer->depth > 0 && starts_statement(found->kind) && gm_lexer_recover(lexer, start)) {
        return;
    }
    gm_lexer_emit_flags(lexer, found->kind, start, at, found->flags);
}
