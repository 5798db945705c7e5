#include "meaning/tape.h"

#include <string.h>

const gm_repair_info gm_repairs[GM_REPAIR_COUNT] = {
#define GM_REPAIR(name, cost, words) {#name, cost, words},
#include "meaning/repairs.def"
};

/* What a frame waits for. */
enum { NEIGHBOURS = 1 };
enum { KEY_FIRST, KEY, COLON, VALUE, ITEM_FIRST, ITEM, COMMA };

void gm_tape_fail(gm_tape *tape, const char *message, uint32_t at) {
    tape->current.broken = true;
    if (tape->trouble.message == NULL) {
        tape->trouble = (gm_trouble){message, at};
    }
}

/* What holds values together was repaired. */
static bool is_structural(gm_repair_kind kind) {
    return kind == GM_REPAIR_EXTRA_COMMA ||
           (kind >= GM_REPAIR_MISSING_COMMA && kind <= GM_REPAIR_INNER_QUOTE && kind != GM_REPAIR_OTHER_QUOTES);
}

/* Two different faults with nothing between them that is as it should be: there is more than one way to put that right. */
static void check_neighbours(gm_tape *tape, gm_repair_kind kind, uint32_t at) {
    if (!is_structural(kind)) {
        return;
    }
    const gm_repair *before = tape->faults > 0 ? &tape->repairs.items[tape->faults - 1] : NULL;
    if (before != NULL && before->kind != kind && before->node + NEIGHBOURS >= tape->nodes.count) {
        gm_tape_fail(tape, "several faults at one place", at);
    }
    tape->faults = tape->repairs.count + 1;
}

void gm_tape_repair(gm_tape *tape, gm_repair_kind kind, uint32_t at) {
    if (tape->strict) {
        gm_tape_fail(tape, gm_repairs[kind].words, at);
        return;
    }
    check_neighbours(tape, kind, at);
    gm_vec_push(tape->arena, &tape->repairs, ((gm_repair){kind, at, tape->nodes.count}));
}

uint32_t gm_tape_push(gm_tape *tape, gm_tape_kind kind, unsigned flags, uint32_t start, uint32_t end) {
    uint32_t index = tape->nodes.count;
    gm_vec_push(tape->arena, &tape->nodes, ((gm_tape_node){(uint8_t)kind, (uint8_t)flags, start, end, index + 1}));
    return index;
}

static uint32_t *open_count(gm_tape *tape, char closer) {
    return closer == '}' ? &tape->open_braces : closer == ']' ? &tape->open_brackets : &tape->open_parentheses;
}

void gm_tape_open_frame(gm_tape *tape, gm_tape_kind kind, unsigned flags, char closer) {
    if (tape->frames.count == GM_TAPE_DEPTH) {
        gm_tape_fail(tape, "nested too deep", tape->at);
    }
    uint8_t state = kind == GM_TAPE_OBJECT ? KEY_FIRST : ITEM_FIRST;
    uint32_t node = gm_tape_push(tape, kind, flags, tape->at, tape->at);
    gm_vec_push(tape->arena, &tape->frames, ((gm_frame){node, state, closer, false}));
    ++*open_count(tape, closer);
}

static gm_frame *top(gm_tape *tape) {
    return &tape->frames.items[tape->frames.count - 1];
}

static void value_done(gm_tape *tape) {
    if (tape->frames.count == 0) {
        gm_tape_end_candidate(tape);
    } else {
        top(tape)->state = COMMA;
    }
}

static void pop_frame(gm_tape *tape, unsigned flags) {
    gm_frame *frame = top(tape);
    gm_tape_node *node = &tape->nodes.items[frame->node];
    node->flags |= (uint8_t)flags;
    node->end = tape->at;
    node->next = tape->nodes.count;
    --*open_count(tape, frame->closer);
    tape->frames.count--;
    value_done(tape);
}

/* A key without a value ends its object: there is no value that could be guessed. */
static void end_entry(gm_tape *tape, unsigned flags) {
    uint8_t state = top(tape)->state;
    if (state == COLON || state == VALUE) {
        gm_tape_push(tape, GM_TAPE_BROKEN, flags, tape->at, tape->at);
        if (flags == 0) {
            gm_tape_fail(tape, "a key without a value", tape->at);
        }
    }
}

/* A closing bracket: that of the innermost frame, of one around it, or of none. */
static void close_bracket(gm_tape *tape, char closer) {
    if (*open_count(tape, closer) == 0) {
        if (top(tape)->state == VALUE || top(tape)->state == COLON) {
            gm_tape_fail(tape, "a closing bracket where a value should be", tape->at);
        }
        if (tape->nodes.items[tape->nodes.count - 1].kind == GM_TAPE_WORD && tape->nodes.items[tape->nodes.count - 1].end == tape->at) {
            gm_tape_fail(tape, "a closing bracket that may belong to the text in front of it", tape->at);
        }
        gm_tape_repair(tape, GM_REPAIR_EXTRA_CLOSER, tape->at++);
        return;
    }
    while (top(tape)->closer != closer) {
        gm_tape_repair(tape, GM_REPAIR_MISSING_CLOSER, tape->at);
        end_entry(tape, 0);
        pop_frame(tape, 0);
    }
    uint8_t state = top(tape)->state;
    if (state == KEY || state == ITEM) {
        gm_tape_repair(tape, GM_REPAIR_TRAILING_COMMA, tape->at);
    }
    end_entry(tape, 0);
    tape->at++;
    pop_frame(tape, 0);
}

/* A value that is open where the text or its fence ends: nobody knows what is missing. */
static void leave_open(gm_tape *tape) {
    tape->current.open |= tape->frames.count > 0;
    while (tape->frames.count > 0) {
        end_entry(tape, GM_TAPE_OPEN);
        pop_frame(tape, GM_TAPE_OPEN);
    }
}

/* A comment with half a string or half a list in it may be no comment. */
static bool is_odd_comment(const gm_tape *tape, uint32_t stop) {
    uint32_t quotes = 0;
    int64_t open = 0;
    for (uint32_t at = tape->at; at < stop; at++) {
        char c = tape->text[at];
        quotes += c == '"';
        open += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    char before = tape->at > 0 ? tape->text[tape->at - 1] : ' ';
    bool touches = !gm_tape_is_blank(before) && strchr(",{[(:", before) == NULL && !gm_tape_is_name(before) && before != '"';
    return quotes % 2 != 0 || open != 0 || touches;
}

static gm_outcome skip_to_line_end(gm_tape *tape) {
    uint32_t from = tape->resume > tape->at ? tape->resume : tape->at;
    const char *end = from < tape->length ? memchr(tape->text + from, '\n', tape->length - from) : NULL;
    if (end == NULL && !tape->final) {
        tape->resume = tape->length;
        return GM_MORE;
    }
    uint32_t stop = end == NULL ? tape->length : (uint32_t)(end - tape->text);
    if (is_odd_comment(tape, stop)) {
        gm_tape_fail(tape, "a comment, or the rest of a string", tape->at);
    }
    gm_tape_repair(tape, GM_REPAIR_COMMENT, tape->at);
    tape->at = stop;
    tape->resume = 0;
    return GM_DONE;
}

static gm_outcome skip_block(gm_tape *tape) {
    uint32_t from = tape->resume > tape->at ? tape->resume : tape->at + 2;
    while (from + 1 < tape->length && (tape->text[from] != '*' || tape->text[from + 1] != '/')) {
        from++;
    }
    if (from + 1 >= tape->length) {
        tape->resume = from;
        if (!tape->final) {
            return GM_MORE;
        }
        gm_tape_fail(tape, "a comment without an end", tape->at);
        from = tape->length - 2;
    }
    gm_tape_repair(tape, GM_REPAIR_COMMENT, tape->at);
    tape->at = from + 2;
    tape->resume = 0;
    return GM_DONE;
}

/* Behind blanks and comments; GM_MORE at the end of what there is. */
static gm_outcome skip_blank(gm_tape *tape) {
    for (;;) {
        while (gm_tape_is_blank(tape->text[tape->at])) {
            tape->at++;
        }
        if (tape->at >= tape->length) {
            return GM_MORE;
        }
        char c = tape->text[tape->at];
        if (c != '/' && c != '#') {
            return GM_DONE;
        }
        if (c == '/' && tape->at + 1 >= tape->length && !tape->final) {
            return GM_MORE;
        }
        char second = c == '/' ? tape->text[tape->at + 1] : '/';
        if (tape->strict || (second != '/' && second != '*')) {
            return GM_DONE;
        }
        if ((second == '*' ? skip_block(tape) : skip_to_line_end(tape)) == GM_MORE) {
            return GM_MORE;
        }
    }
}

static gm_outcome stray(gm_tape *tape) {
    gm_tape_fail(tape, "a character that does not belong there", tape->at);
    tape->at++;
    return GM_DONE;
}

static bool is_quote(const gm_tape *tape, uint32_t at) {
    char c = tape->text[at];
    return c == '"' || c == '\'' || c == '`' || ((unsigned char)c == 0xE2 && memcmp(tape->text + at, "\xE2\x80\x9C", 3) == 0);
}

static bool starts_word(char c) {
    return gm_tape_is_name(c) || c == '-' || c == '+' || c == '.' || c == '$' || c == '<';
}

static gm_outcome read_value(gm_tape *tape) {
    char c = tape->text[tape->at];
    gm_outcome outcome = GM_DONE;
    switch (c) {
    case '{':
        gm_tape_open_frame(tape, GM_TAPE_OBJECT, 0, '}');
        tape->at++;
        return GM_DONE;
    case '[':
        gm_tape_open_frame(tape, GM_TAPE_LIST, 0, ']');
        tape->at++;
        return GM_DONE;
    case '(':
        gm_tape_repair(tape, GM_REPAIR_PYTHON_TEXT, tape->at);
        gm_tape_open_frame(tape, GM_TAPE_LIST, GM_TAPE_TUPLE, ')');
        tape->at++;
        return GM_DONE;
    default: break;
    }
    uint32_t frames = tape->frames.count;
    if (is_quote(tape, tape->at)) {
        outcome = gm_tape_string(tape, false);
    } else if (starts_word(c)) {
        outcome = gm_tape_word(tape, false);
    } else {
        return stray(tape);
    }
    if (outcome == GM_DONE && tape->frames.count == frames) {
        value_done(tape);
    }
    return outcome;
}

/* `1,000` as the value of a key: three digits that no colon follows belong to the number in front of the comma. */
static bool continues_number(gm_tape *tape, gm_outcome *outcome) {
    const char *text = tape->text;
    uint32_t at = tape->at;
    if (tape->strict || !gm_utf8_is_digit(text[at]) || text[at - 1] != ',' || !gm_utf8_is_digit(text[at - 2])) {
        return false;
    }
    gm_tape_node *before = &tape->nodes.items[tape->nodes.count - 1];
    if ((before->kind != GM_TAPE_NUMBER && before->kind != GM_TAPE_WORD) || before->end != at - 1) {
        return false;
    }
    uint32_t end = at;
    while (end < tape->length && strchr(",}\n", text[end]) == NULL && text[end] != ':') {
        end++;
    }
    if (end >= tape->length && !tape->final) {
        *outcome = GM_MORE;
        return true;
    }
    if (text[end] == ':' || end - at < 3 || memchr(text + at, '"', end - at) != NULL) {
        return false;
    }
    while (gm_tape_is_blank(text[end - 1])) {
        end--;
    }
    before->kind = GM_TAPE_WORD;
    before->end = tape->at = end;
    top(tape)->state = COMMA;
    return true;
}

/* What stands where an entry may begin and is none: the bracket that closes, or a comma too many. */
static bool read_end(gm_tape *tape, char c) {
    if (c == '}' || c == ']' || c == ')') {
        close_bracket(tape, c);
        return true;
    }
    if (c == ',') {
        bool keyed = tape->nodes.items[top(tape)->node].kind == GM_TAPE_OBJECT;
        if (!keyed && tape->text[tape->at - 1] != ',') {
            gm_tape_fail(tape, "nothing where an item should be", tape->at);
        }
        gm_tape_repair(tape, GM_REPAIR_EXTRA_COMMA, tape->at++);
        return true;
    }
    return false;
}

static gm_outcome read_key(gm_tape *tape, uint8_t state) {
    char c = tape->text[tape->at];
    gm_outcome outcome = GM_DONE;
    if (read_end(tape, c)) {
        return GM_DONE;
    }
    if (state == KEY && continues_number(tape, &outcome)) {
        return outcome;
    }
    if (is_quote(tape, tape->at)) {
        outcome = gm_tape_string(tape, true);
    } else if (starts_word(c)) {
        outcome = gm_tape_word(tape, true);
    } else {
        return stray(tape);
    }
    if (outcome == GM_DONE) {
        top(tape)->state = COLON;
    }
    return outcome;
}

/* `{1, 2}`: Python's set, known by its first item. */
static bool becomes_set(gm_tape *tape) {
    gm_frame *frame = top(tape);
    gm_tape_node *node = &tape->nodes.items[frame->node];
    if (tape->strict || frame->keyed || frame->node + 2 != tape->nodes.count) {
        return false;
    }
    node->kind = GM_TAPE_LIST;
    tape->nodes.items[frame->node + 1].flags &= (uint8_t)~GM_TAPE_KEY;
    gm_tape_repair(tape, GM_REPAIR_PYTHON_TEXT, node->start);
    frame->state = COMMA;
    return true;
}

/* A separator is missing in front of `tape->at`, and it may be inside of a string beside it. */
static bool is_doubtful(const gm_tape *tape) {
    const gm_tape_node *last = &tape->nodes.items[tape->nodes.count - 1];
    bool touches = is_quote(tape, tape->at) && last->kind < GM_TAPE_STRING && last->end == tape->at;
    return touches || gm_tape_ends_in_separator(tape) ||
           (is_quote(tape, tape->at) && strchr(" \t\r\n,:;}]", tape->text[tape->at + 1]) != NULL);
}

/* What is_doubtful looks at has not come yet. */
static bool awaits_doubt(const gm_tape *tape) {
    return is_quote(tape, tape->at) && tape->length - tape->at < 4 && !tape->final;
}

/* Quotes that touch: what belongs to which string nobody knows. */
static bool touches_quote(const gm_tape *tape) {
    return tape->at > 0 && is_quote(tape, tape->at) && is_quote(tape, tape->at - 1);
}

static gm_outcome read_colon(gm_tape *tape) {
    const char *at = tape->text + tape->at;
    bool arrow = (at[0] == '=' || at[0] == '-') && at[1] == '>';
    if ((at[0] == '=' || at[0] == '-') && tape->at + 1 >= tape->length && !tape->final) {
        return GM_MORE;
    }
    if (at[0] == ':' || at[0] == '=' || arrow) {
        if (at[0] != ':') {
            gm_tape_repair(tape, GM_REPAIR_OTHER_COLON, tape->at);
        }
        tape->at += arrow ? 2 : 1;
        top(tape)->state = VALUE;
        top(tape)->keyed = true;
        return GM_DONE;
    }
    if ((at[0] == ',' || at[0] == '}') && becomes_set(tape)) {
        return GM_DONE;
    }
    if (at[0] == '}' || at[0] == ']' || at[0] == ')') {
        close_bracket(tape, at[0]);
        return GM_DONE;
    }
    if (awaits_doubt(tape)) {
        return GM_MORE;
    }
    if (touches_quote(tape) || is_doubtful(tape)) {
        gm_tape_fail(tape, "two values without a colon between them", tape->at);
    }
    bool number = gm_utf8_is_digit(at[at[0] == '-']);
    if (at[0] == '"' || at[0] == '{' || at[0] == '[' || number) {
        gm_tape_repair(tape, GM_REPAIR_MISSING_COLON, tape->at);
        top(tape)->state = VALUE;
        top(tape)->keyed = true;
        return GM_DONE;
    }
    return stray(tape);
}

/* `name=` of a constructor. */
static gm_outcome read_keyword(gm_tape *tape, bool *found) {
    uint32_t end = tape->at;
    while (end < tape->length && gm_tape_is_name(tape->text[end])) {
        end++;
    }
    uint32_t sign = end;
    while (sign < tape->length && gm_tape_is_blank(tape->text[sign])) {
        sign++;
    }
    if (sign + 1 >= tape->length && !tape->final) {
        return GM_MORE;
    }
    *found = end > tape->at && !gm_utf8_is_digit(tape->text[tape->at]) && tape->text[sign] == '=' && tape->text[sign + 1] != '=';
    if (*found) {
        gm_tape_push(tape, GM_TAPE_WORD, GM_TAPE_KEY, tape->at, end);
        tape->at = sign + 1;
        top(tape)->state = VALUE;
    }
    return GM_DONE;
}

static gm_outcome read_item(gm_tape *tape) {
    char c = tape->text[tape->at];
    if (read_end(tape, c)) {
        return GM_DONE;
    }
    if (tape->nodes.items[top(tape)->node].kind == GM_TAPE_CALL) {
        bool found = false;
        if (read_keyword(tape, &found) == GM_MORE) {
            return GM_MORE;
        }
        if (found) {
            return GM_DONE;
        }
    }
    return read_value(tape);
}

static gm_outcome read_named_value(gm_tape *tape) {
    char c = tape->text[tape->at];
    if (c == '}' || c == ']' || c == ')') {
        close_bracket(tape, c);
        return GM_DONE;
    }
    if (c == ',') {
        end_entry(tape, 0);
        top(tape)->state = COMMA;
        return GM_DONE;
    }
    if (c == ':' && tape->text[tape->at - 1] == ':' && !tape->strict) {
        if (gm_tape_ends_in_separator(tape)) {
            gm_tape_fail(tape, "a colon too many, or a quote in the wrong place", tape->at);
        }
        gm_tape_repair(tape, GM_REPAIR_EXTRA_COLON, tape->at++);
        return GM_DONE;
    }
    return read_value(tape);
}

static bool is_string(const gm_tape_node *node) {
    return node->kind == GM_TAPE_STRING;
}

/* Two strings side by side: in JSON a comma is missing, in Python they would be one string. */
static void note_missing_comma(gm_tape *tape) {
    const gm_tape_node *before = &tape->nodes.items[tape->nodes.count - 1];
    bool keyed = tape->nodes.items[top(tape)->node].kind == GM_TAPE_OBJECT;
    bool strings = is_string(before) && is_quote(tape, tape->at);
    bool python = !keyed && (top(tape)->closer == ')' || tape->text[tape->at] == '\'');
    if ((strings && (python || touches_quote(tape))) || is_doubtful(tape)) {
        gm_tape_fail(tape, "two values without a comma between them", tape->at);
    }
    gm_tape_repair(tape, GM_REPAIR_MISSING_COMMA, tape->at);
}

static gm_outcome read_comma(gm_tape *tape) {
    char c = tape->text[tape->at];
    uint8_t next = tape->nodes.items[top(tape)->node].kind == GM_TAPE_OBJECT ? KEY : ITEM;
    if (c == '}' || c == ']' || c == ')') {
        close_bracket(tape, c);
    } else if (c == ',') {
        tape->at++;
        top(tape)->state = next;
    } else if (c == ';' && next == KEY) {
        gm_tape_repair(tape, GM_REPAIR_MISSING_COMMA, tape->at++);
        top(tape)->state = next;
    } else if (awaits_doubt(tape)) {
        return GM_MORE;
    } else if (is_quote(tape, tape->at) || starts_word(c) || (next == ITEM && (c == '{' || c == '['))) {
        note_missing_comma(tape);
        top(tape)->state = next == KEY ? KEY_FIRST : ITEM_FIRST;
    } else {
        return stray(tape);
    }
    return GM_DONE;
}

/* A fence inside of a value: GM_DONE when it has ended everything, else `*found` is false. */
static gm_outcome read_fence(gm_tape *tape, bool *found) {
    *found = false;
    if (tape->strict || !tape->fence || tape->text[tape->at] != '`') {
        return GM_DONE;
    }
    if (tape->length - tape->at < 3 && !tape->final) {
        return GM_MORE;
    }
    if (memcmp(tape->text + tape->at, "```", 3) == 0) {
        leave_open(tape);
        *found = true;
    }
    return GM_DONE;
}

/* A typographic quote is known by its last byte. */
static bool awaits_quote(const gm_tape *tape) {
    return (unsigned char)tape->text[tape->at] == 0xE2 && tape->length - tape->at < 3 && !tape->final;
}

static gm_outcome step(gm_tape *tape) {
    if (tape->frames.count == 0) {
        return gm_tape_outside(tape);
    }
    bool fenced = false;
    if (skip_blank(tape) == GM_MORE || awaits_quote(tape) || read_fence(tape, &fenced) == GM_MORE) {
        return GM_MORE;
    }
    if (fenced) {
        return GM_DONE;
    }
    switch (top(tape)->state) {
    case KEY_FIRST:
    case KEY: return read_key(tape, top(tape)->state);
    case COLON: return read_colon(tape);
    case VALUE: return read_named_value(tape);
    case COMMA: return read_comma(tape);
    default: return read_item(tape);
    }
}

/* What strict mode refuses once, it need not read on. So it is with values that nest too deep: frames are not added for ever. */
static bool is_over(const gm_tape *tape) {
    return tape->trouble.message != NULL && (tape->strict || tape->frames.count > GM_TAPE_DEPTH);
}

enum { STANDING = 4, NODES_PER_BYTE = 3, NODES_BESIDE = 16 };

/* A step that neither moves forward nor closes a frame only changes what its frame waits for, which three of them in a row may do: a fourth
 * would be the first of a loop. A byte makes few nodes. Both hold by the design of the steps; where one of them does not, the text ends here. */
static bool has_moved(gm_tape *tape, uint32_t at, uint32_t frames, uint32_t *standing) {
    *standing = tape->at > at || tape->frames.count < frames ? 0 : *standing + 1;
    if (*standing < STANDING && tape->nodes.count <= (uint64_t)tape->length * NODES_PER_BYTE + NODES_BESIDE) {
        return true;
    }
    gm_tape_fail(tape, "cannot be read", tape->at);
    tape->at = tape->length;
    return false;
}

/* The one place that takes steps: all of them, or those that end the frames that are open. */
static gm_outcome take_steps(gm_tape *tape, bool value_only) {
    uint32_t standing = 0;
    bool moves = true;
    while (moves && !is_over(tape) && !(value_only && tape->frames.count == 0)) {
        uint32_t at = tape->at;
        uint32_t frames = tape->frames.count;
        if (step(tape) == GM_MORE) {
            return GM_MORE;
        }
        moves = has_moved(tape, at, frames, &standing);
    }
    return GM_DONE;
}

enum { PATIENCE = 256 };

/* An unfinished token is looked at from its start again. A long one waits until it is half as long again, so that all the looks together
 * are linear, however small the pieces of the text are. */
static void run(gm_tape *tape) {
    if (tape->length < tape->awaited && !tape->final) {
        return;
    }
    tape->awaited = 0;
    if (take_steps(tape, false) == GM_MORE && !tape->final) {
        uint32_t from = tape->resume > tape->at ? tape->resume : tape->at;
        uint32_t looked = tape->length > from ? tape->length - from : 0;
        tape->awaited = looked < PATIENCE || looked / 2 > UINT32_MAX - tape->length ? 0 : tape->length + looked / 2;
    }
}

void gm_tape_init(gm_tape *tape, gm_arena *arena, bool strict) {
    *tape = (gm_tape){.arena = arena, .strict = strict};
}

static void append(gm_tape *tape, const char *bytes, size_t size) {
    size_t needed = (size_t)tape->length + size + GM_TAPE_PADDING;
    if (needed > tape->capacity) {
        size_t capacity = tape->capacity == 0 ? needed : needed + needed / 2;
        capacity = capacity > UINT32_MAX ? UINT32_MAX : capacity;
        tape->text = gm_arena_grow(tape->arena, tape->text, tape->capacity, capacity);
        tape->capacity = (uint32_t)capacity;
    }
    if (size > 0) {
        memcpy(tape->text + tape->length, bytes, size);
    }
    tape->length += (uint32_t)size;
    memset(tape->text + tape->length, 0, GM_TAPE_PADDING);
}

/* Room for the nodes that a large piece is likely to have, so that they are not copied while there are ever more of them. */
static void reserve(gm_tape *tape, size_t size) {
    enum { LARGE = 1 << 16, BYTES_PER_NODE = 12 };
    size_t wanted = tape->nodes.count + size / BYTES_PER_NODE;
    if (size >= LARGE && wanted > tape->nodes.capacity) {
        size_t node = sizeof *tape->nodes.items;
        tape->nodes.items = gm_arena_grow(tape->arena, tape->nodes.items, tape->nodes.capacity * node, wanted * node);
        tape->nodes.capacity = (uint32_t)wanted;
    }
}

void gm_tape_feed(gm_tape *tape, const char *bytes, size_t size) {
    append(tape, bytes, size);
    reserve(tape, size);
    run(tape);
}

void gm_tape_finish(gm_tape *tape) {
    tape->final = true;
    if (tape->text == NULL) {
        append(tape, "", 0);
    }
    run(tape);
    leave_open(tape);
}

static uint32_t trimmed_end(const gm_tape *tape) {
    uint32_t end = tape->length;
    while (end > tape->at && gm_tape_is_blank(tape->text[end - 1])) {
        end--;
    }
    return end;
}

void gm_tape_read_value(gm_tape *tape, const char *bytes, size_t size) {
    append(tape, bytes, size);
    tape->final = true;
    if (skip_blank(tape) == GM_DONE) {
        char c = tape->text[tape->at];
        gm_tape_start_candidate(tape);
        if (c == '{' || c == '[' || c == '(' || is_quote(tape, tape->at)) {
            read_value(tape);
        } else {
            gm_tape_whole_word(tape, tape->at, trimmed_end(tape));
            gm_tape_end_candidate(tape);
        }
        take_steps(tape, true);
        tape->at = tape->frames.count > 0 ? tape->length : tape->at;
    }
    uint32_t behind = tape->at;
    tape->at = tape->length;
    gm_tape_finish(tape);
    tape->at = behind;
}

/* The string that the text ends in, when it is a value and has been looked at. */
static void show_string(gm_tape *tape) {
    uint8_t state = top(tape)->state;
    bool triple = memcmp(tape->text + tape->at, "\"\"\"", 3) == 0;
    bool value = !triple && (state == VALUE || state == ITEM || state == ITEM_FIRST);
    if (value && tape->at < tape->length && tape->text[tape->at] == '"' && tape->resume > tape->at) {
        gm_tape_push(tape, GM_TAPE_STRING, GM_TAPE_OPEN | (tape->resume_state & 0xFF), tape->at + 1, tape->resume);
    }
}

gm_tape_view gm_tape_show(gm_tape *tape) {
    if (tape->awaited > 0) {
        tape->awaited = 0;
        run(tape);
    }
    gm_tape_view view = {tape->nodes.count, tape->repairs.count, tape->candidates.count};
    if (tape->frames.count == 0) {
        return view;
    }
    show_string(tape);
    for (uint32_t i = 0; i < tape->frames.count; i++) {
        gm_tape_node *node = &tape->nodes.items[tape->frames.items[i].node];
        node->flags |= GM_TAPE_OPEN;
        node->next = tape->nodes.count;
        node->end = tape->at;
    }
    gm_candidate open = tape->current;
    open.end = tape->length;
    open.repairs_end = tape->repairs.count;
    open.open = true;
    gm_vec_push(tape->arena, &tape->candidates, open);
    return view;
}

void gm_tape_hide(gm_tape *tape, gm_tape_view view) {
    for (uint32_t i = 0; i < tape->frames.count; i++) {
        tape->nodes.items[tape->frames.items[i].node].flags &= (uint8_t)~GM_TAPE_OPEN;
    }
    tape->nodes.count = view.nodes;
    tape->repairs.count = view.repairs;
    tape->candidates.count = view.candidates;
}
