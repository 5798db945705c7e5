/* From text to tokens.
 *
 * The lexer follows CPython's tokenizer: INDENT, DEDENT and NEWLINE are tokens, line ends inside brackets are not. f-strings
 * and t-strings come as START, MIDDLE, `{`, tokens, `}` and END whatever the target; what an older target refuses is a diagnostic.
 * It never fails: text that is no token becomes an ERROR token with a diagnostic. Brackets deeper than CPython's limit become
 * ERROR tokens, so that the nesting of all other tokens is bounded. */
#ifndef GM_SYNTAX_LEXER_H
#define GM_SYNTAX_LEXER_H

#include "base/diagnostic.h"
#include "base/source.h"
#include "syntax/tokens.h"

/* CPython's limits. */
enum { GM_BRACKET_LIMIT = 200, GM_INDENT_LIMIT = 100, GM_FSTRING_LIMIT = 150 };

typedef struct gm_bracket {
    uint32_t start;
    char opener;
    bool field; /* the `{` of a replacement field */
} gm_bracket;

/* An f-string whose END has not come yet. */
typedef struct gm_fstring {
    uint32_t start;
    uint32_t plain_end; /* old targets: where the string token ends if read without regard to fields; 0 for others;
                           UINT32_MAX: nowhere */
    uint32_t depth;     /* brackets open before it */
    char quote;
    uint8_t flags;
} gm_fstring;

/* State of the lexer; the files lexer*.c share it. */
typedef struct gm_lexer {
    gm_arena *arena;
    const char *text; /* with at least GM_TEXT_PADDING NUL bytes behind it */
    const char *end;
    const char *at;
    gm_token *tokens;
    uint32_t count;
    uint32_t capacity;
    gm_diagnostics *diagnostics;
    gm_version target;
    bool has_return; /* a line may end with `\r` */
    uint32_t depth;  /* open brackets */
    uint32_t excess; /* brackets opened beyond the limit */
    uint32_t indent_count;
    uint32_t fstring_count;
    gm_bracket brackets[GM_BRACKET_LIMIT];
    uint32_t indents[GM_INDENT_LIMIT];
    uint32_t alternates[GM_INDENT_LIMIT]; /* the same with tabs of width 1, for the consistency rule */
    gm_fstring fstrings[GM_FSTRING_LIMIT];
} gm_lexer;

enum { GM_TEXT_PADDING = 16 };

/* Tokens of a source whose `text` is padded; the last one is END. Returns their number. */
uint32_t gm_lexer_run(gm_arena *arena, const gm_source *source, gm_version target, gm_token **tokens, gm_diagnostics *diagnostics);

/* Shared among lexer*.c. Character classes, bits; GM_CHAR_QUOTED: a string may end here, or it is more than text. */
enum { GM_CHAR_NAME_START = 1, GM_CHAR_NAME = 2, GM_CHAR_DIGIT = 4, GM_CHAR_HEX = 8, GM_CHAR_BLANK = 16, GM_CHAR_QUOTED = 32 };
extern const uint8_t gm_char_classes[256];

static inline bool gm_char_is(char c, unsigned classes) {
    return (gm_char_classes[(unsigned char)c] & classes) != 0;
}

static inline uint32_t gm_lexer_offset(const gm_lexer *lexer, const char *at) {
    return (uint32_t)(at - lexer->text);
}

void gm_lexer_grow(gm_lexer *lexer);

/* Append a token that ends at `end`; of strings and names flags say more. */
static inline void gm_lexer_emit_flags(gm_lexer *lexer, gm_token_kind kind, const char *start, const char *end, unsigned flags) {
    if (lexer->count == lexer->capacity) {
        gm_lexer_grow(lexer);
    }
    lexer->tokens[lexer->count++] = (gm_token){gm_lexer_offset(lexer, start), gm_lexer_offset(lexer, end), (uint8_t)kind, (uint8_t)flags};
}

static inline void gm_lexer_emit(gm_lexer *lexer, gm_token_kind kind, const char *start, const char *end) {
    gm_lexer_emit_flags(lexer, kind, start, end, 0);
}

void gm_lexer_report(gm_lexer *lexer, const char *start, const char *end, const char *message);

/* Each reads one token at `lexer->at` and moves behind it. */
void gm_lexer_number(gm_lexer *lexer);
void gm_lexer_name(gm_lexer *lexer);

/* A string whose prefix is [start, at); an f-string's first run of text too. */
void gm_lexer_string(gm_lexer *lexer, const char *start);

/* The text of the innermost f-string at `at`: up to the next replacement field or behind the closing quote. */
void gm_lexer_fstring_text(gm_lexer *lexer);

/* Called at a keyword that cannot stand in brackets while brackets are open. When it is the first word of its line, closes all brackets,
 * ends the line before and goes back to the start of the line; otherwise returns false. */
bool gm_lexer_recover(gm_lexer *lexer, const char *start);

/* Open a bracket; false beyond the limit, where an ERROR token is made instead. */
bool gm_lexer_open(gm_lexer *lexer, gm_token_kind kind, bool field);

#endif
