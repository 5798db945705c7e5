/* Shared among match*.c and read.c: one attempt to read a node as a type. */
#ifndef GM_MEANING_MATCH_H
#define GM_MEANING_MATCH_H

#include <assert.h>

#include "meaning/reading.h"

/* What a fit costs: repairs weigh more than any number of steps away from the most specific type. */
typedef uint64_t gm_cost;
#define GM_NO_FIT UINT64_MAX
#define GM_COST(repairs) ((gm_cost)(repairs) << 32)

typedef struct gm_match_step {
    const struct gm_match_step *above;
    gm_text name; /* of a field or key; NULL: an item */
    uint32_t index;
} gm_match_step;

typedef struct gm_bound_link {
    const struct gm_bound_link *next;
    const gm_meaning_type *type;
} gm_bound_link;

/* The records that a value is in. */
typedef struct gm_record_link {
    const struct gm_record_link *above;
    const gm_meaning_type *type;
    uint32_t base; /* in the scratch: the node of each field's value, 0 for none */
} gm_record_link;

/* What was found out about a node as a type (or, under GM_MEMO_INNER, about the JSON inside of it). */
typedef struct gm_match_memo {
    uint32_t tape;
    uint32_t node;
    uint32_t type;
    bool used;
    bool known;
    bool tie;
    bool ambiguous; /* a branch did not fit because it could be two things */
    uint32_t branch;
    uint32_t other; /* the branch that costs the same */
    gm_cost cost;
} gm_match_memo;

#define GM_MEMO_INNER UINT32_MAX
#define GM_MEMO_SKIP 0x40000000U /* and the type: whether gm_match_skips leaves the node out */

/* A tape inside of a string: JSON in JSON. */
typedef struct gm_inner_tape {
    const gm_tape *outer;
    uint32_t outer_number; /* 0: the text's own */
    uint32_t depth;
    uint32_t node;
    const gm_tape *tape; /* NULL: no JSON */
} gm_inner_tape;

typedef struct gm_match {
    gm_arena *arena;
    const gm_meaning *meaning;
    const gm_tape *tape;
    uint32_t tape_number; /* 0: the text's own */
    gm_read_options options;
    const uint8_t *plain; /* by type */
    gm_buffer *out;       /* NULL: only the cost is asked for */
    gm_reading *reading;  /* repairs go there while `out` is there */
    bool explain;         /* say why something does not fit */
    uint32_t explained;   /* unions whose branches are being explained */
    uint32_t ambiguities; /* how often something could be two things */
    const gm_match_step *path;
    const gm_bound_link *bounds;
    const gm_record_link *records;
    gm_match_memo *memos;
    uint32_t memo_count;
    uint32_t memo_capacity;
    GM_VEC(gm_inner_tape) inner;
    GM_VEC(uint32_t) scratch;
} gm_match;

/* Read a node as a type. Appends to `out` when there is one; what it appended to before it failed is of no use. */
gm_cost gm_match_type(gm_match *in, uint32_t type, uint32_t node);

/* The memo of a node of the tape at hand as a type, made when new; it moves when another one is made. */
gm_match_memo *gm_match_remembered(gm_match *in, uint32_t type, uint32_t node);

/* In a partial reading: whether a value that the text ends in is left out, because it is not decided yet or does not fit as far as it goes. */
bool gm_match_skips(gm_match *in, uint32_t type, uint32_t node);

/* Whether two nodes are written the same. */
bool gm_match_same_source(const gm_match *in, uint32_t a, uint32_t b);

static inline const gm_tape_node *gm_match_node(const gm_match *in, uint32_t node) {
    assert(node < in->tape->nodes.count);
    return &in->tape->nodes.items[node];
}

/* The text of a string or word. */
gm_text gm_match_text(gm_match *in, uint32_t node);

/* Note a repair; gives its cost, or GM_NO_FIT in strict mode. */
gm_cost gm_match_repair(gm_match *in, gm_repair_kind kind, uint32_t node);

static inline gm_cost gm_match_add(gm_cost a, gm_cost b) {
    return a == GM_NO_FIT || b == GM_NO_FIT ? GM_NO_FIT : a + b;
}

/* Say why a node does not fit, printf-style; gives GM_NO_FIT. Only the first reason is kept. */
gm_cost gm_match_refuse(gm_match *in, uint32_t node, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* The same for what could be two things. */
gm_cost gm_match_refuse_two(gm_match *in, uint32_t node, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* "expected TYPE, got ..." */
gm_cost gm_match_unexpected(gm_match *in, const gm_meaning_type *type, uint32_t node);

/* A type in words: `Person`, `int`, `list`. In the arena. */
const char *gm_match_name(gm_match *in, const gm_meaning_type *type);

/* The readers of the forms, in forms.def's order of names. */
typedef gm_cost gm_matcher(gm_match *in, const gm_meaning_type *type, uint32_t node);
gm_matcher gm_match_any, gm_match_none, gm_match_bool, gm_match_int, gm_match_float, gm_match_str, gm_match_bytes, gm_match_decimal,
    gm_match_datetime, gm_match_date, gm_match_time, gm_match_timedelta, gm_match_uuid, gm_match_path, gm_match_literal, gm_match_enum,
    gm_match_flag, gm_match_list, gm_match_set, gm_match_frozenset, gm_match_tuple, gm_match_tuple_of, gm_match_dict, gm_match_record,
    gm_match_union, gm_match_annotated, gm_match_alias;

/* Run `match` on the tape inside of a stringified value; GM_NO_FIT when there is none. */
gm_cost gm_match_inside(gm_match *in, const gm_meaning_type *type, uint32_t node, gm_matcher *match);

/* The bounds that annotations around the type have put on this value; looked at once. */
const gm_bound_link *gm_match_take_bounds(gm_match *in);
bool gm_match_number_fits(gm_match *in, const gm_bound_link *bounds, gm_text number);
bool gm_match_size_fits(const gm_bound_link *bounds, uint64_t size);

static inline void gm_match_put(gm_match *in, const char *bytes, size_t size) {
    if (in->out != NULL) {
        gm_buffer_add(in->out, bytes, size);
    }
}
static inline void gm_match_put_char(gm_match *in, char c) {
    if (in->out != NULL) {
        gm_buffer_add_char(in->out, c);
    }
}
static inline void gm_match_put_number(gm_match *in, uint32_t number) {
    if (in->out != NULL) {
        gm_buffer_add_unsigned(in->out, number);
    }
}
/* How many bytes of a text a message shows: 40 at most, and whole characters. */
int gm_match_shown(gm_text text);

/* A text as a JSON string. */
void gm_match_put_text(gm_match *in, gm_text text);

#endif
