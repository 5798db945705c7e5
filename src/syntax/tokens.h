/* Tokens: what the lexer gives and the parser takes. */
#ifndef GM_SYNTAX_TOKENS_H
#define GM_SYNTAX_TOKENS_H

#include <stdint.h>

/* Python version, as 3 * 100 + minor: 308 to 314. */
typedef uint16_t gm_version;
enum { GM_VERSION_OLDEST = 308, GM_VERSION_NEWEST = 314 };

typedef enum gm_token_kind {
#define GM_TOKEN(kind, text) GM_TOKEN_##kind,
#include "syntax/tokens.def"
    GM_TOKEN_COUNT
} gm_token_kind;

/* Flags of a NAME. */
enum {
    GM_NAME_MATCH = 1,
    GM_NAME_CASE = 2,
    GM_NAME_TYPE = 3,
    GM_NAME_WILDCARD = 4, /* `_` */
    GM_NAME_SOFT = 7,     /* mask of the soft keyword */
    GM_NAME_UNICODE = 8   /* not ASCII: to be normalised before it is interned */
};

/* Flags of STRING, FSTRING_START and FSTRING_MIDDLE. */
enum {
    GM_STRING_RAW = 1,
    GM_STRING_BYTES = 2,
    GM_STRING_UNICODE = 4, /* prefix `u` in lower case */
    GM_STRING_TEMPLATE = 8,
    GM_STRING_TRIPLE = 16,
    GM_STRING_ESCAPES = 32, /* the text has a backslash */
    GM_STRING_SPEC = 64,    /* FSTRING_MIDDLE inside a format spec */
    GM_STRING_PREFIX = 128  /* STRING: has prefix characters */
};

/* What messages call a token of this kind. */
extern const char *const gm_token_names[GM_TOKEN_COUNT];

/* A token: the text between two tokens is white space, comments and line joins ("trivia"). */
typedef struct gm_token {
    uint32_t start;
    uint32_t end;
    uint8_t kind; /* gm_token_kind, tokens.def */
    uint8_t flags;
} gm_token;

#endif
