/* Values and keys without quotes: numbers, constants, names, several words, and the names of constructors. */
#include <string.h>

#include "meaning/tape.h"

/* Behind a number of JSON that starts at `at`; `at` itself when there is none. */
static uint32_t number_end(const char *text, uint32_t at) {
    uint32_t start = at;
    at += text[at] == '-';
    if (!gm_utf8_is_digit(text[at])) {
        return start;
    }
    if (text[at] == '0' && gm_utf8_is_digit(text[at + 1])) {
        return start;
    }
    while (gm_utf8_is_digit(text[at])) {
        at++;
    }
    if (text[at] == '.' && gm_utf8_is_digit(text[at + 1])) {
        at++;
        while (gm_utf8_is_digit(text[at])) {
            at++;
        }
    }
    if ((text[at] | 0x20) == 'e') {
        uint32_t digits = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
        if (gm_utf8_is_digit(text[digits])) {
            at = digits;
            while (gm_utf8_is_digit(text[at])) {
                at++;
            }
        }
    }
    return at;
}

static bool ends_value(char c) {
    return c == ',' || c == '}' || c == ']' || c == ')' || c == '\n' || c == '\r';
}

/* A number that nothing but blanks separates from the end of its value. */
static gm_outcome read_number(gm_tape *tape, bool *found) {
    const char *text = tape->text;
    uint32_t end = number_end(text, tape->at);
    *found = false;
    if (end == tape->at) {
        return GM_DONE;
    }
    bool goes_on = end >= tape->length || ((text[end] == '.' || (text[end] | 0x20) == 'e') && tape->length - end < 4);
    if (goes_on && !tape->final) {
        return GM_MORE;
    }
    uint32_t next = end;
    while (text[next] == ' ' || text[next] == '\t') {
        next++;
    }
    if (next >= tape->length && !tape->final) {
        return GM_MORE;
    }
    *found = next >= tape->length || ends_value(text[next]) || text[next] == '/' || text[next] == '#' || text[next] == '`' ||
             text[next] == '"' || tape->strict;
    if (*found) {
        gm_tape_push(tape, GM_TAPE_NUMBER, next >= tape->length && tape->frames.count > 0 ? GM_TAPE_OPEN : 0U, tape->at, end);
        tape->at = end;
    }
    return GM_DONE;
}

typedef struct constant {
    const char *text;
    gm_tape_kind kind;
    bool json;
} constant;

static const constant constants[] = {
    {"true", GM_TAPE_TRUE, true},    {"false", GM_TAPE_FALSE, true},     {"null", GM_TAPE_NULL, true},  {"True", GM_TAPE_TRUE, false},
    {"False", GM_TAPE_FALSE, false}, {"None", GM_TAPE_NULL, false},      {"TRUE", GM_TAPE_TRUE, false}, {"FALSE", GM_TAPE_FALSE, false},
    {"NULL", GM_TAPE_NULL, false},   {"undefined", GM_TAPE_NULL, false}, {"Null", GM_TAPE_NULL, false}, {"nil", GM_TAPE_NULL, false},
};

static const constant *find_constant(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (strlen(constants[i].text) == length && memcmp(constants[i].text, text, length) == 0) {
            return &constants[i];
        }
    }
    return NULL;
}

/* A word of JSON in strict mode, and in the other one where it is all that there is. */
static void push_word(gm_tape *tape, uint32_t start, uint32_t end, bool open) {
    const char *text = tape->text + start;
    const constant *known = find_constant(text, end - start);
    unsigned flags = open ? GM_TAPE_OPEN : 0U;
    if (known == NULL) {
        gm_tape_push(tape, number_end(tape->text, start) == end ? GM_TAPE_NUMBER : GM_TAPE_WORD, flags, start, end);
        if (tape->strict) {
            gm_tape_fail(tape, "a word that is not JSON's", start);
        }
        return;
    }
    if (!known->json) {
        gm_tape_repair(tape, GM_REPAIR_PYTHON_WORD, start);
    }
    gm_tape_push(tape, known->kind, 0, start, end);
}

/* Longer text without quotes is none that was meant as a value. */
enum { WORDS_LIMIT = 4096 };

typedef struct run {
    uint32_t start;
    uint32_t end;
    uint32_t quotes;
    uint32_t colon; /* the first one that is no part of a word; 0: none */
    bool words;     /* more than one */
    bool odd;       /* an opening bracket inside of it, or longer than the limit */
} run;

static bool comment_starts(const char *at) {
    return at[0] == ' ' && (at[1] == '#' || (at[1] == '/' && at[2] == '/'));
}

/* The end of a value without quotes, as far as it can be told: by the value's own text, as pieces of an answer tell no more. */
static gm_outcome scan_value(const gm_tape *tape, run *found) {
    const char *text = tape->text;
    uint32_t at = found->start;
    for (; at < tape->length && !ends_value(text[at]) && !comment_starts(text + at); at++) {
        char c = text[at];
        if (c == '{' || c == '[' || c == '(' || at - found->start >= WORDS_LIMIT) {
            found->odd = true;
            break;
        }
        found->quotes += c == '"' || c == '\'';
        found->words |= c == ' ' || c == '\t';
        if (c == ':' && found->colon == 0 && (gm_tape_is_blank(text[at + 1]) || text[at + 1] == '"')) {
            found->colon = at;
        }
    }
    found->end = at;
    return at + 3 >= tape->length && !tape->final ? GM_MORE : GM_DONE;
}

static gm_outcome scan_key(const gm_tape *tape, run *found) {
    const char *text = tape->text;
    uint32_t at = found->start;
    while (at < tape->length && at - found->start < WORDS_LIMIT && (text[at] == '\0' || strchr(":=,}]){[\n", text[at]) == NULL)) {
        found->quotes += text[at] == '"' || text[at] == '\'';
        at++;
    }
    found->end = at;
    return at >= tape->length && !tape->final ? GM_MORE : GM_DONE;
}

static void trim(const gm_tape *tape, run *found) {
    while (found->end > found->start && gm_tape_is_blank(tape->text[found->end - 1])) {
        found->end--;
    }
}

/* `name" : 1`, `text", ...`: the opening quote was forgotten. */
static bool strip_quote(gm_tape *tape, run *found) {
    if (found->quotes == 1 && found->end > found->start + 1 && tape->text[found->end - 1] == '"') {
        found->end--;
        char last = tape->text[found->end - 1];
        if (gm_tape_ends_in_separator(tape) || !gm_tape_is_name(tape->text[found->start]) || last == '\\') {
            gm_tape_fail(tape, "a quote missing, or one in the wrong place", found->start);
        }
        gm_tape_repair(tape, GM_REPAIR_MISSING_QUOTE, found->start);
        return true;
    }
    return false;
}

static bool has_backslash(const gm_tape *tape, const run *found) {
    return memchr(tape->text + found->start, '\\', found->end - found->start) != NULL;
}

static bool has_control(const gm_tape *tape, const run *found) {
    for (uint32_t at = found->start; at < found->end; at++) {
        if ((unsigned char)tape->text[at] < 0x20) {
            return true;
        }
    }
    return false;
}

/* What a string is without its opening quote: its escapes are escapes, and control characters have to become some. */
static void push_rest(gm_tape *tape, const run *found, unsigned flags) {
    unsigned escapes = has_backslash(tape, found) ? GM_TAPE_ESCAPES | GM_TAPE_REPAIRED : has_control(tape, found) ? GM_TAPE_REPAIRED : 0U;
    gm_tape_push(tape, GM_TAPE_STRING, flags | escapes, found->start, found->end);
}

static gm_outcome read_key(gm_tape *tape) {
    run found = {.start = tape->at};
    if (scan_key(tape, &found) == GM_MORE) {
        return GM_MORE;
    }
    tape->at = found.end;
    trim(tape, &found);
    if (strip_quote(tape, &found)) {
        push_rest(tape, &found, GM_TAPE_KEY);
        return GM_DONE;
    }
    gm_tape_repair(tape, GM_REPAIR_BARE_KEY, found.start);
    if (found.quotes > 0 || has_backslash(tape, &found)) {
        gm_tape_fail(tape, "quotes or escapes inside of a key without quotes", found.start);
    }
    gm_tape_push(tape, GM_TAPE_WORD, GM_TAPE_KEY, found.start, found.end);
    return GM_DONE;
}

/* `Name(`: a call of Python. `b'...'`: a string with a prefix. */
static gm_outcome read_name(gm_tape *tape, bool *found) {
    const char *text = tape->text;
    uint32_t end = tape->at;
    *found = false;
    while (gm_tape_is_name(text[end]) || text[end] == '.') {
        end++;
    }
    if (end >= tape->length && !tape->final) {
        return GM_MORE;
    }
    uint32_t length = end - tape->at;
    if (text[end] == '(' && length > 0 && !gm_utf8_is_digit(text[tape->at])) {
        *found = true;
        gm_tape_repair(tape, GM_REPAIR_PYTHON_TEXT, tape->at);
        gm_tape_open_frame(tape, GM_TAPE_CALL, 0, ')');
        gm_tape_push(tape, GM_TAPE_WORD, 0, tape->at, end);
        tape->at = end + 1;
        return GM_DONE;
    }
    if ((text[end] != '"' && text[end] != '\'') || length != 1 || strchr("bBrRu", text[tape->at]) == NULL) {
        return GM_DONE;
    }
    uint32_t start = tape->at;
    bool raw = (text[start] | 0x20) == 'r';
    bool bytes = (text[start] | 0x20) == 'b';
    tape->at = end;
    gm_outcome outcome = gm_tape_string(tape, false);
    if (outcome == GM_MORE) {
        tape->at = start;
        return GM_MORE;
    }
    *found = true;
    gm_tape_repair(tape, GM_REPAIR_PYTHON_TEXT, start);
    gm_tape_node *node = &tape->nodes.items[tape->nodes.count - 1];
    node->flags |= raw ? GM_TAPE_RAW | GM_TAPE_REPAIRED : bytes ? GM_TAPE_PYTHON_BYTES : 0;
    return GM_DONE;
}

/* A quote that is no apostrophe inside of a word. */
static bool has_quotes(const gm_tape *tape, const run *found) {
    for (uint32_t at = found->start; at < found->end; at++) {
        char c = tape->text[at];
        bool inside = at > found->start + 1 && at + 1 < found->end && gm_tape_is_name(tape->text[at - 1]) &&
                      gm_tape_is_name(tape->text[at + 1]);
        if (c == '"' || (c == '\'' && !inside)) {
            return true;
        }
    }
    return false;
}

static gm_outcome read_words(gm_tape *tape) {
    run found = {.start = tape->at};
    if (scan_value(tape, &found) == GM_MORE) {
        return GM_MORE;
    }
    bool open = found.end >= tape->length && tape->frames.count > 0;
    tape->at = found.end;
    trim(tape, &found);
    /* In a list, the comma in front may have been inside of the string. */
    const gm_frame *frame = tape->frames.count > 0 ? &tape->frames.items[tape->frames.count - 1] : NULL;
    bool named = frame != NULL && tape->nodes.items[frame->node].kind == GM_TAPE_OBJECT;
    if (named && strip_quote(tape, &found)) {
        push_rest(tape, &found, 0);
        return GM_DONE;
    }
    if (has_backslash(tape, &found)) {
        gm_tape_fail(tape, "an escape inside of text without quotes", found.start);
    } else if (found.quotes > 0 && has_quotes(tape, &found)) {
        gm_tape_fail(tape, "quotes inside of text without quotes", found.start);
    } else if (found.end > found.start && strchr(":;=", tape->text[found.end - 1]) != NULL) {
        gm_tape_fail(tape, "a separator at the end of text without quotes", found.start);
    } else if (found.odd || (found.words && found.colon != 0)) {
        gm_tape_fail(tape, "text without quotes that does not end where it should", found.start);
    }
    push_word(tape, found.start, found.end, open);
    return GM_DONE;
}

/* Strict mode knows no words but three. */
static gm_outcome read_strict(gm_tape *tape) {
    uint32_t end = tape->at;
    while (gm_tape_is_name(tape->text[end]) || tape->text[end] == '-' || tape->text[end] == '+' || tape->text[end] == '.') {
        end++;
    }
    if (end >= tape->length && !tape->final) {
        return GM_MORE;
    }
    end = end == tape->at ? end + 1 : end;
    push_word(tape, tape->at, end, false);
    tape->at = end;
    return GM_DONE;
}

gm_outcome gm_tape_word(gm_tape *tape, bool key) {
    bool found = false;
    if (key) {
        return read_key(tape);
    }
    gm_outcome outcome = read_number(tape, &found);
    if (outcome == GM_MORE || found) {
        return outcome;
    }
    if (tape->strict) {
        return read_strict(tape);
    }
    outcome = read_name(tape, &found);
    return outcome == GM_MORE || found ? outcome : read_words(tape);
}

void gm_tape_whole_word(gm_tape *tape, uint32_t start, uint32_t end) {
    push_word(tape, start, end, false);
    tape->at = end;
}
