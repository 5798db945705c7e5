/* From text to tape: the syntax half of the reader of models' answers. It knows JSON and what models write instead of it; of types it
 * knows only the names that constructors may have.
 *
 * The text comes in pieces of any size and is looked at once. Every value that could be the answer is a *candidate*; its nodes lie on the
 * tape in the order of the text, parents first. What is not JSON is either a repair, noted with its place, or makes a node BROKEN: nothing
 * is guessed. Strict mode accepts exactly the texts of RFC 8259.
 *
 * Everything lives in the arena of the tape. Running out of memory leaves through the arena's error exit, after which the tape can only be
 * dropped. */
#ifndef GM_MEANING_TAPE_H
#define GM_MEANING_TAPE_H

#include "base/utf8.h"
#include "base/buffer.h"
#include "base/vec.h"

typedef enum gm_repair_kind {
#define GM_REPAIR(name, cost, words) GM_REPAIR_##name,
#include "meaning/repairs.def"
    GM_REPAIR_COUNT
} gm_repair_kind;

typedef struct gm_repair_info {
    const char *name; /* in capitals; reports give it in lower case */
    uint32_t cost;
    const char *words;
} gm_repair_info;

extern const gm_repair_info gm_repairs[GM_REPAIR_COUNT];

typedef enum gm_tape_kind {
    GM_TAPE_NULL,
    GM_TAPE_TRUE,
    GM_TAPE_FALSE,
    GM_TAPE_NUMBER, /* as JSON writes numbers */
    GM_TAPE_STRING, /* the range is without the quotes */
    GM_TAPE_WORD,   /* text without quotes: a name, a number that is not JSON's, several words */
    GM_TAPE_LIST,
    GM_TAPE_OBJECT, /* a key node and a value node for every entry */
    GM_TAPE_CALL,   /* Python's constructor: a WORD with the name, then values, each with a key node in front if it is named */
    GM_TAPE_BROKEN  /* cannot be read */
} gm_tape_kind;

/* Flags of a node. */
enum {
    GM_TAPE_KEY = 1,
    GM_TAPE_ESCAPES = 2,     /* a string with backslashes */
    GM_TAPE_REPAIRED = 4,    /* a string whose range is no valid content of a JSON string */
    GM_TAPE_OPEN = 8,        /* the text ends inside of it */
    GM_TAPE_TUPLE = 16,      /* a LIST in parentheses */
    GM_TAPE_RAW = 64,        /* a string in which backslashes are themselves */
    GM_TAPE_PYTHON_BYTES = 128
};

typedef struct gm_tape_node {
    uint8_t kind;  /* gm_tape_kind */
    uint8_t flags;
    uint32_t start; /* byte offsets into the text */
    uint32_t end;
    uint32_t next; /* index behind the node and all that it holds */
} gm_tape_node;

typedef struct gm_repair {
    uint32_t kind; /* gm_repair_kind */
    uint32_t at;   /* byte offset */
    uint32_t node; /* number of nodes when it was noted: repairs of a node are those in (node, next] */
} gm_repair;

typedef struct gm_candidate {
    uint32_t node;
    uint32_t start;
    uint32_t end;
    uint32_t repairs;     /* the first of its repairs */
    uint32_t repairs_end;
    bool fenced;
    bool broken; /* what is wrong is in `tape.trouble` */
    bool open;   /* the text ends inside of it */
} gm_candidate;

typedef struct gm_frame {
    uint32_t node;
    uint8_t state;
    char closer;
    bool keyed; /* an object in which a colon has been seen */
} gm_frame;

typedef struct gm_trouble {
    const char *message; /* NULL: none */
    uint32_t at;
} gm_trouble;

typedef struct gm_tape {
    gm_arena *arena;
    char *text; /* with padding behind it */
    uint32_t length;
    uint32_t capacity;
    bool strict;
    bool final; /* nothing more will come */
    bool (*is_constructor)(const void *context, const char *name, size_t length); /* for calls outside of values */
    const void *context;
    GM_VEC(gm_tape_node) nodes;
    GM_VEC(gm_repair) repairs;
    GM_VEC(gm_candidate) candidates;
    GM_VEC(gm_frame) frames;
    uint32_t open_braces; /* frames by closer, so that a stray closer is known at once */
    uint32_t open_brackets;
    uint32_t open_parentheses;
    gm_candidate current;
    uint32_t at;         /* the next byte */
    uint32_t resume;     /* in an unfinished token: where to go on looking; 0: at its start */
    uint32_t resume_state;
    uint32_t awaited;    /* the length that the text must have before an unfinished token is looked at again; 0: any */
    uint32_t faults;      /* behind the last repair of the structure of the candidate; 0: none */
    uint32_t thought_end; /* behind the last thinking section */
    uint32_t retries;    /* strings whose closing quote was looked for in vain */
    bool thinking;       /* inside of a thinking section */
    bool fence;          /* inside of a code fence */
    bool seen_text;      /* something that is no candidate and no blank has been seen outside of fences */
    gm_trouble trouble;  /* the first thing that cannot be read */
} gm_tape;

/* Limits: texts are shorter than 4 GiB - 64; values nest less deep than this. */
enum { GM_TAPE_PADDING = 16, GM_TAPE_DEPTH = 500 };
#define GM_TAPE_LIMIT (UINT32_MAX - 64U)

void gm_tape_init(gm_tape *tape, gm_arena *arena, bool strict);

/* Take `size` more bytes (copied) and read as far as they decide. The caller keeps the sum under GM_TAPE_LIMIT. */
void gm_tape_feed(gm_tape *tape, const char *bytes, size_t size);

/* No more bytes will come: finishes what is open. */
void gm_tape_finish(gm_tape *tape);

/* Make a tape that still grows look finished, so that what has been read can be looked at: what is open is closed with GM_TAPE_OPEN, and an
 * unfinished string of a value is there as far as it goes. Nothing may be fed until gm_tape_hide has taken that back. */
typedef struct gm_tape_view {
    uint32_t nodes;
    uint32_t repairs;
    uint32_t candidates;
} gm_tape_view;
gm_tape_view gm_tape_show(gm_tape *tape);
void gm_tape_hide(gm_tape *tape, gm_tape_view view);

/* Read one value from the whole of a text, which without brackets or quotes at its start is one word; a candidate comes of it unless it is
 * blank. What follows a value in brackets or quotes is left at `at`. Instead of feed and finish. */
void gm_tape_read_value(gm_tape *tape, const char *bytes, size_t size);

/* Append the content of a STRING or WORD node as the content of a JSON string (without quotes). */
void gm_tape_add_json(const gm_tape *tape, const gm_tape_node *node, gm_buffer *out);

/* Append the text that a STRING or WORD node stands for: UTF-8, lone surrogates as three bytes. */
void gm_tape_add_text(const gm_tape *tape, const gm_tape_node *node, gm_buffer *out);

/* Shared among tape*.c. */
typedef enum gm_outcome { GM_DONE, GM_MORE /* the next bytes decide; nothing was consumed */ } gm_outcome;

void gm_tape_repair(gm_tape *tape, gm_repair_kind kind, uint32_t at);
void gm_tape_fail(gm_tape *tape, const char *message, uint32_t at);
uint32_t gm_tape_push(gm_tape *tape, gm_tape_kind kind, unsigned flags, uint32_t start, uint32_t end);

/* A string whose first quote is at `tape->at`; `key` for one that a colon follows. */
gm_outcome gm_tape_string(gm_tape *tape, bool key);

/* The length of a valid JSON escape at `at`, 0 when it is none; the text is padded. */
uint32_t gm_tape_escape_length(const char *at);

/* A number, constant, name or several words at `tape->at`. May open a frame for a call. */
gm_outcome gm_tape_word(gm_tape *tape, bool key);

/* Text that is one value from `start` to `end` whatever it holds. */
void gm_tape_whole_word(gm_tape *tape, uint32_t start, uint32_t end);
void gm_tape_open_frame(gm_tape *tape, gm_tape_kind kind, unsigned flags, char closer);

/* Whether the last node is a string whose content ends in what separates values: its closing quote may stand in the wrong place. */
bool gm_tape_ends_in_separator(const gm_tape *tape);

/* The text between values: looks for the next candidate. */
gm_outcome gm_tape_outside(gm_tape *tape);
void gm_tape_start_candidate(gm_tape *tape);
void gm_tape_end_candidate(gm_tape *tape);

static inline bool gm_tape_is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
static inline bool gm_tape_is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}
static inline bool gm_tape_is_hex(char c) {
    return gm_utf8_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

#endif
