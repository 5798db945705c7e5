/* The text between values: fences, thinking sections, and where a value may start. */
#include <string.h>

#include "meaning/tape.h"

void gm_tape_start_candidate(gm_tape *tape) {
    tape->faults = 0;
    tape->current = (gm_candidate){
        .node = tape->nodes.count,
        .start = tape->at,
        .repairs = tape->repairs.count,
        .fenced = tape->fence,
    };
}

void gm_tape_end_candidate(gm_tape *tape) {
    tape->current.end = tape->at;
    tape->current.repairs_end = tape->repairs.count;
    gm_vec_push(tape->arena, &tape->candidates, tape->current);
    tape->current = (gm_candidate){0};
}

static const char *const thinking_names[] = {"think", "thinking", "thought", "reasoning", NULL};

/* The length of `<think>` or `</think>` and their like at `at`, 0 when there is none. `*closes` for the second. */
static uint32_t thinking_tag(const gm_tape *tape, uint32_t at, bool *closes) {
    const char *text = tape->text + at;
    *closes = text[1] == '/';
    const char *name = text + (*closes ? 2 : 1);
    for (size_t i = 0; thinking_names[i] != NULL; i++) {
        size_t length = strlen(thinking_names[i]);
        if (strncmp(name, thinking_names[i], length) == 0 && name[length] == '>') {
            return (uint32_t)(name + length + 1 - text);
        }
    }
    return 0;
}

enum { LONGEST_TAG = 12 };

/* What was written while thinking is no answer: candidates go, and their nodes with them. */
static void forget_thoughts(gm_tape *tape) {
    tape->candidates.count = 0;
    tape->repairs.count = 0;
    tape->nodes.count = 0;
    tape->trouble = (gm_trouble){NULL, 0};
    tape->thinking = tape->fence = tape->seen_text = false;
    tape->thought_end = tape->at;
    gm_tape_repair(tape, GM_REPAIR_THINKING, tape->at);
}

static gm_outcome read_tag(gm_tape *tape) {
    if (tape->length - tape->at < LONGEST_TAG && !tape->final && memchr(tape->text + tape->at, '>', tape->length - tape->at) == NULL) {
        return GM_MORE;
    }
    bool closes = false;
    uint32_t size = thinking_tag(tape, tape->at, &closes);
    tape->at += size == 0 ? 1 : size;
    if (size == 0) {
        tape->seen_text = true;
    } else if (closes) {
        forget_thoughts(tape);
    } else {
        tape->thinking = true;
    }
    return GM_DONE;
}

/* Inside of a thinking section only its end counts. */
static gm_outcome read_thoughts(gm_tape *tape) {
    const char *next = memchr(tape->text + tape->at, '<', tape->length - tape->at);
    if (next == NULL) {
        tape->at = tape->length;
        return GM_MORE;
    }
    tape->at = (uint32_t)(next - tape->text);
    return read_tag(tape);
}

static gm_outcome read_fence(gm_tape *tape) {
    if (tape->length - tape->at < 3 && !tape->final) {
        return GM_MORE;
    }
    if (memcmp(tape->text + tape->at, "```", 3) != 0) {
        tape->at++;
        tape->seen_text = true;
        return GM_DONE;
    }
    uint32_t end = tape->at + 3;
    while (end < tape->length && gm_tape_is_name(tape->text[end])) {
        end++; /* the language */
    }
    if (end == tape->length && !tape->final) {
        return GM_MORE;
    }
    gm_tape_repair(tape, GM_REPAIR_FENCE, tape->at);
    tape->fence = !tape->fence;
    tape->at = tape->fence ? end : tape->at + 3;
    return GM_DONE;
}

/* `Person(` in the text: the word in front of a parenthesis names a type. */
static bool read_constructor(gm_tape *tape) {
    uint32_t start = tape->at;
    while (start > tape->thought_end && (gm_tape_is_name(tape->text[start - 1]) || tape->text[start - 1] == '.')) {
        start--;
    }
    if (tape->is_constructor == NULL || !tape->is_constructor(tape->context, tape->text + start, tape->at - start)) {
        return false;
    }
    uint32_t parenthesis = tape->at;
    tape->at = start;
    gm_tape_start_candidate(tape);
    gm_tape_repair(tape, GM_REPAIR_PYTHON_TEXT, start);
    gm_tape_open_frame(tape, GM_TAPE_CALL, 0, ')');
    gm_tape_push(tape, GM_TAPE_WORD, 0, start, parenthesis);
    tape->at = parenthesis + 1;
    return true;
}

static void open_candidate(gm_tape *tape, gm_tape_kind kind, char closer) {
    gm_tape_start_candidate(tape);
    gm_tape_open_frame(tape, kind, 0, closer);
    tape->at++;
}

/* A string is a value of its own only at the start: anything else in quotes is prose. */
static gm_outcome read_quoted(gm_tape *tape) {
    bool first = tape->strict || (!tape->seen_text && tape->candidates.count == 0);
    if (!first) {
        tape->at++;
        tape->seen_text = true;
        return GM_DONE;
    }
    if (tape->resume <= tape->at) {
        gm_tape_start_candidate(tape); /* else it goes on */
    }
    gm_outcome outcome = gm_tape_string(tape, false);
    if (outcome == GM_DONE) {
        gm_tape_end_candidate(tape);
    }
    return outcome;
}

/* Strict mode: one value, blanks around it. */
static gm_outcome read_strict(gm_tape *tape) {
    char c = tape->text[tape->at];
    if (gm_tape_is_blank(c)) {
        tape->at++;
        return GM_DONE;
    }
    if (tape->candidates.count > 0) {
        gm_tape_fail(tape, "text behind the value", tape->at);
        tape->candidates.items[0].broken = true;
        return GM_DONE;
    }
    if (c == '{' || c == '[') {
        open_candidate(tape, c == '{' ? GM_TAPE_OBJECT : GM_TAPE_LIST, c == '{' ? '}' : ']');
        return GM_DONE;
    }
    if (c == '"') {
        return read_quoted(tape);
    }
    if (!gm_tape_is_name(c) && c != '-') {
        gm_tape_fail(tape, "a character that does not belong there", tape->at);
        return GM_DONE;
    }
    gm_tape_start_candidate(tape);
    gm_outcome outcome = gm_tape_word(tape, false);
    if (outcome == GM_DONE) {
        gm_tape_end_candidate(tape);
    }
    return outcome;
}

/* Bytes that may start something; a NUL may be the end of the text. */
static bool is_plain(char c) {
    return c != '{' && c != '[' && c != '(' && c != '<' && c != '`' && c != '"' && c != '\0';
}

static void skip_plain(gm_tape *tape) {
    const char *at = tape->text + tape->at;
    bool text = false;
    for (; is_plain(*at); at++) {
        text |= !gm_tape_is_blank(*at);
    }
    tape->at = (uint32_t)(at - tape->text);
    tape->seen_text |= text && !tape->fence;
}

gm_outcome gm_tape_outside(gm_tape *tape) {
    if (!tape->strict && !tape->thinking) {
        skip_plain(tape);
    }
    if (tape->at >= tape->length) {
        return GM_MORE;
    }
    if (tape->strict) {
        return read_strict(tape);
    }
    if (tape->thinking) {
        return read_thoughts(tape);
    }
    switch (tape->text[tape->at]) {
    case '{': open_candidate(tape, GM_TAPE_OBJECT, '}'); return GM_DONE;
    case '[': open_candidate(tape, GM_TAPE_LIST, ']'); return GM_DONE;
    case '<': return read_tag(tape);
    case '`': return read_fence(tape);
    case '"': return read_quoted(tape);
    case '(':
        if (read_constructor(tape)) {
            return GM_DONE;
        }
        break;
    default: break;
    }
    tape->at++;
    tape->seen_text = true;
    return GM_DONE;
}
