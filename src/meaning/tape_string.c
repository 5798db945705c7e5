/* Strings: JSON's, and what models write instead of them. */
#include <string.h>

#include "meaning/tape.h"

typedef struct scan {
    char quote;
    bool key;
    bool curly;    /* typographic quotes */
    uint32_t from; /* the first byte of the content */
    uint32_t at;
    uint32_t inner; /* quotes that do not end the string */
    unsigned flags;
} scan;

/* Flags of a scan beyond those of nodes. */
enum { MISPLACED = 256 /* an inner quote that looks like the end or the start of a string of its own */, INNER_SHIFT = 9 };

bool gm_tape_ends_in_separator(const gm_tape *tape) {
    const gm_tape_node *last = &tape->nodes.items[tape->nodes.count - 1];
    uint32_t end = last->end;
    while (end > last->start && gm_tape_is_blank(tape->text[end - 1])) {
        end--;
    }
    return last->kind == GM_TAPE_STRING && end > last->start && strchr(",:;{}[]'\"", tape->text[end - 1]) != NULL;
}

static uint64_t has_byte(uint64_t word, uint64_t repeated) {
    uint64_t difference = word ^ repeated;
    return (difference - 0x0101010101010101U) & ~difference & 0x8080808080808080U;
}

/* The next byte that is a quote, a backslash or a control character, eight at a time; the padding of the text ends it. */
static uint32_t skip_plain(const char *text, uint32_t at, char quote) {
    const uint64_t quotes = 0x0101010101010101U * (unsigned char)quote;
    const uint64_t slashes = 0x0101010101010101U * '\\';
    for (;; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, sizeof word);
        uint64_t control = (word - 0x2020202020202020U) & ~word & 0x8080808080808080U;
        if ((has_byte(word, quotes) | has_byte(word, slashes) | control) != 0) {
            break;
        }
    }
    while (text[at] != quote && text[at] != '\\' && (unsigned char)text[at] >= 0x20) {
        at++;
    }
    return at;
}

/* Behind an escape; GM_MORE when it may go on. */
static gm_outcome skip_escape(gm_tape *tape, scan *in) {
    const char *at = tape->text + in->at;
    in->flags |= GM_TAPE_ESCAPES;
    if (tape->length - in->at < 6 && !tape->final && (tape->length - in->at < 2 || at[1] == 'u')) {
        return GM_MORE;
    }
    uint32_t length = (in->flags & GM_TAPE_RAW) != 0 ? 0 : gm_tape_escape_length(at);
    if (length == 0) {
        in->flags |= GM_TAPE_REPAIRED;
        gm_tape_repair(tape, GM_REPAIR_ESCAPE, in->at);
        length = in->at + 1 < tape->length ? 2 : 1;
    }
    in->at += length;
    return GM_DONE;
}

/* Whether a quote at `at` ends the string: the next character tells. */
static gm_outcome ends_here(const gm_tape *tape, const scan *in, bool *ends) {
    if (tape->strict || in->key) {
        *ends = true;
        return GM_DONE;
    }
    uint32_t next = in->at + 1;
    bool line = false;
    for (; gm_tape_is_blank(tape->text[next]); next++) {
        line |= tape->text[next] == '\n';
    }
    if (next >= tape->length) {
        *ends = true;
        return tape->final || tape->frames.count == 0 ? GM_DONE : GM_MORE;
    }
    bool comment = (tape->text[next] == '/' || tape->text[next] == '#') && next > in->at + 1;
    *ends = line || comment || strchr(",]});`\"", tape->text[next]) != NULL || tape->text[next] == in->quote || tape->frames.count == 0;
    return GM_DONE;
}

/* The apostrophe of `it's`. */
static bool is_apostrophe(const gm_tape *tape, const scan *in) {
    return in->quote == '\'' && in->at > in->from && gm_tape_is_name(tape->text[in->at - 1]) && gm_tape_is_name(tape->text[in->at + 1]);
}

/* `: never`, which is no value of JSON. */
static bool introduces_words(const gm_tape *tape, uint32_t at) {
    const char *text = tape->text + at;
    bool letter = text[0] == ':' && text[1] == ' ' && gm_tape_is_name(text[2]) && !gm_utf8_is_digit(text[2]);
    return letter && strncmp(text + 2, "true", 4) != 0 && strncmp(text + 2, "false", 5) != 0 && strncmp(text + 2, "null", 4) != 0;
}

/* Quoted words inside of a string: a quote that opens has a blank or a bracket in front of it, one that closes has one behind it. Where it is
 * the other way round, they are the end of one string and the start of another. */
static bool is_in_place(const gm_tape *tape, const scan *in) {
    char before = in->at > in->from ? tape->text[in->at - 1] : ' ';
    char behind = tape->text[in->at + 1];
    if (in->inner % 2 == 0) {
        return (gm_tape_is_blank(before) || strchr("([/-=", before) != NULL) && !gm_tape_is_blank(behind) &&
               strchr(",:;{}[]", behind) == NULL;
    }
    return !gm_tape_is_blank(before) &&
           (gm_tape_is_blank(behind) || strchr(".!?/-'>", behind) != NULL || introduces_words(tape, in->at + 1));
}

static gm_outcome skip_inner(gm_tape *tape, scan *in, bool *ends) {
    if (ends_here(tape, in, ends) == GM_MORE) {
        return GM_MORE;
    }
    if (!*ends && tape->text[in->at + 1] == ':' && tape->length - in->at < 9 && !tape->final) {
        return GM_MORE; /* introduces_words looks at what follows */
    }
    if (!*ends) {
        in->flags |= GM_TAPE_REPAIRED;
        if (!is_apostrophe(tape, in)) {
            in->flags |= is_in_place(tape, in) ? 0 : MISPLACED;
            in->inner++;
        }
        in->at++;
    }
    return GM_DONE;
}

/* A line that ends in a separator, in a list: two items that have lost the quotes between them. */
static bool splits_items(const gm_tape *tape, const scan *in) {
    const gm_frame *frame = tape->frames.count > 0 ? &tape->frames.items[tape->frames.count - 1] : NULL;
    bool list = frame != NULL && tape->nodes.items[frame->node].kind == GM_TAPE_LIST;
    return list && tape->text[in->at] == '\n' && in->at > in->from && strchr(",{}[]", tape->text[in->at - 1]) != NULL;
}

static gm_outcome keep(gm_tape *tape, const scan *in) {
    tape->resume = in->at;
    tape->resume_state = in->flags | in->inner << INNER_SHIFT;
    return GM_MORE;
}

/* Looks for the closing quote; `*closed` is false at the end of a text without one. */
static gm_outcome find_end(gm_tape *tape, scan *in, bool *closed) {
    *closed = false;
    for (;;) {
        in->at = skip_plain(tape->text, in->at, in->quote);
        if (in->at >= tape->length) {
            in->at = tape->length;
            return tape->final ? GM_DONE : keep(tape, in);
        }
        char c = tape->text[in->at];
        if (c == in->quote) {
            if (skip_inner(tape, in, closed) == GM_MORE) {
                return keep(tape, in);
            }
            if (*closed) {
                return GM_DONE;
            }
        } else if (c == '\\') {
            uint32_t repairs = tape->repairs.count;
            if (skip_escape(tape, in) == GM_MORE) {
                tape->repairs.count = repairs;
                return keep(tape, in);
            }
        } else {
            if ((in->key && (c == '\n' || c == '\r')) || splits_items(tape, in)) {
                gm_tape_fail(tape, "a line end inside of a string, or two quotes missing", in->at);
            }
            if ((in->flags & GM_TAPE_REPAIRED) == 0 || tape->strict) {
                gm_tape_repair(tape, GM_REPAIR_CONTROL, in->at);
            }
            in->flags |= GM_TAPE_REPAIRED;
            in->at++;
        }
    }
}

/* Where `"key":` follows `at` (blanks allowed). */
static bool key_follows(const gm_tape *tape, uint32_t at, char quote) {
    const char *text = tape->text;
    while (gm_tape_is_blank(text[at])) {
        at++;
    }
    if (text[at] != quote) {
        return false;
    }
    uint32_t name = ++at;
    while (gm_tape_is_name(text[at]) || text[at] == '-' || text[at] == ' ') {
        at++;
    }
    if (at == name || text[at] != quote) {
        return false;
    }
    at++;
    while (gm_tape_is_blank(text[at])) {
        at++;
    }
    return text[at] == ':';
}

/* `*blank` is behind the blanks that were looked at: none of their line ends is looked at again. */
static bool closer_follows_line(const gm_tape *tape, uint32_t at, uint32_t *blank) {
    const char *text = tape->text;
    if (text[at] != '\n' || at < *blank) {
        return false;
    }
    while (gm_tape_is_blank(text[at])) {
        at++;
    }
    *blank = at;
    return text[at] == '}' || text[at] == ']';
}

static bool line_ends(const gm_tape *tape, uint32_t at) {
    while (tape->text[at] == ' ' || tape->text[at] == '\t' || tape->text[at] == '\r') {
        at++;
    }
    return tape->text[at] == '\n';
}

enum { RETRIES = 16 };

/* A string that no quote ends, or that has quotes inside: perhaps its own one was forgotten, in front of `, "key":` or of a line that starts
 * with a closing bracket. A quote before that place would say that it was not. */
static bool find_forgotten_end(gm_tape *tape, scan *in) {
    if (tape->strict || in->key || tape->frames.count == 0 || tape->retries == RETRIES) {
        return false;
    }
    tape->retries++;
    uint32_t blank = 0;
    for (uint32_t at = in->from; at < tape->length && tape->text[at] != in->quote; at++) {
        char c = tape->text[at];
        if (at > in->from && ((c == ',' && key_follows(tape, at + 1, in->quote)) || closer_follows_line(tape, at, &blank))) {
            uint32_t last = at - 1;
            while (last > in->from && gm_tape_is_blank(tape->text[last])) {
                last--;
            }
            char before = tape->text[last];
            if (strchr("\"'`,:;={}[]()\\", before) != NULL) {
                return false; /* a quote of another kind, a separator, a bracket: the end may be in front of it as well */
            }
            if (in->quote != '"' && memchr(tape->text + in->from, '"', at - in->from) != NULL) {
                return false; /* perhaps it did not even start here */
            }
            in->at = at;
            gm_tape_repair(tape, GM_REPAIR_MISSING_QUOTE, at);
            return true;
        }
        if (c == ',' && line_ends(tape, at + 1)) {
            return false; /* more than one line may be missing its quotes */
        }
    }
    return false;
}

/* Opening quote, or none of JSON's. Returns its size. */
static uint32_t open_quote(gm_tape *tape, scan *in) {
    const char *text = tape->text + tape->at;
    in->quote = text[0];
    if ((unsigned char)text[0] == 0xE2) {
        in->curly = true;
        return 3;
    }
    return 1;
}

static void push_string(gm_tape *tape, const scan *in, unsigned flags, uint32_t end) {
    if (in->inner % 2 != 0 || (in->flags & MISPLACED) != 0) {
        gm_tape_fail(tape, "a quote inside of a string, or a string without its end", in->from);
    }
    if (in->inner > 0) {
        gm_tape_repair(tape, GM_REPAIR_INNER_QUOTE, in->from);
    }
    if (in->quote != '"') {
        gm_tape_repair(tape, GM_REPAIR_OTHER_QUOTES, in->from - 1);
        flags |= GM_TAPE_REPAIRED;
    }
    flags |= in->flags | (in->key ? GM_TAPE_KEY : 0U);
    gm_tape_push(tape, GM_TAPE_STRING, flags & 0xFF, in->from, end);
    tape->resume = 0;
}

/* A string between two marks of three bytes, without escapes: typographic quotes, Python's triple quotes. */
static gm_outcome read_marked(gm_tape *tape, scan *in, const char *closer) {
    uint32_t at = tape->resume > in->from ? tape->resume : in->from;
    while (at + 3 <= tape->length && memcmp(tape->text + at, closer, 3) != 0) {
        at++;
    }
    if (at + 3 > tape->length) {
        if (!tape->final) {
            tape->resume = at;
            return GM_MORE;
        }
        gm_tape_repair(tape, GM_REPAIR_OTHER_QUOTES, tape->at);
        tape->current.open = true;
        push_string(tape, in, GM_TAPE_REPAIRED | GM_TAPE_RAW | GM_TAPE_OPEN, tape->length);
        tape->at = tape->length;
        return GM_DONE;
    }
    gm_tape_repair(tape, GM_REPAIR_OTHER_QUOTES, tape->at);
    if (!in->curly && memchr(tape->text + in->from, '\\', at - in->from) != NULL) {
        gm_tape_fail(tape, "an escape in a string in triple quotes", in->from);
    }
    push_string(tape, in, GM_TAPE_REPAIRED | GM_TAPE_RAW, at);
    tape->at = at + 3;
    return GM_DONE;
}

static bool is_triple(const gm_tape *tape) {
    const char *text = tape->text + tape->at;
    return !tape->strict && (text[0] == '"' || text[0] == '\'') && text[1] == text[0] && text[2] == text[0];
}

static gm_outcome read_plain(gm_tape *tape, scan *in) {
    if (tape->resume >= in->from) {
        in->at = tape->resume;
        in->flags = tape->resume_state & ((1U << INNER_SHIFT) - 1);
        in->inner = tape->resume_state >> INNER_SHIFT;
    }
    bool closed = false;
    if (find_end(tape, in, &closed) == GM_MORE) {
        return GM_MORE;
    }
    bool open = !closed;
    if ((open || in->inner > 0) && find_forgotten_end(tape, in)) {
        in->inner = 0;
        in->flags = (in->flags | GM_TAPE_REPAIRED) & ~(unsigned)MISPLACED;
        open = closed = false;
    }
    uint32_t end = in->at;
    if (open) {
        tape->current.open = true;
        in->inner = 0;
        in->flags &= ~(unsigned)MISPLACED;
        if (tape->strict) {
            gm_tape_fail(tape, "a string without its end", in->from);
        }
    }
    if (closed && end > in->from + 1 && tape->text[end - 1] == '\n' && strchr(",:{}[]", tape->text[end - 2]) != NULL) {
        gm_tape_fail(tape, "a quote in the wrong line", end);
    }
    push_string(tape, in, open ? GM_TAPE_OPEN : 0U, end);
    tape->at = closed ? end + 1 : end;
    return GM_DONE;
}

/* What nearly every string is: nothing to repair, no escapes, and the character behind it leaves no doubt that it ends there. */
static bool read_simple(gm_tape *tape, bool key) {
    const char *text = tape->text;
    uint32_t from = tape->at + 1;
    if (text[tape->at] != '"' || tape->resume >= from) {
        return false;
    }
    uint32_t end = skip_plain(text, from, '"');
    char next = text[end + 1];
    if (text[end] != '"' || (key ? next != ':' : next != ',' && next != '}' && next != ']')) {
        return false;
    }
    gm_tape_push(tape, GM_TAPE_STRING, key ? GM_TAPE_KEY : 0U, from, end);
    tape->at = end + 1;
    return true;
}

gm_outcome gm_tape_string(gm_tape *tape, bool key) {
    scan in = {.key = key};
    if (read_simple(tape, key)) {
        return GM_DONE;
    }
    if (!tape->strict && tape->length - tape->at < 3 && !tape->final) {
        return GM_MORE;
    }
    if (is_triple(tape)) {
        static const char *const closers[] = {"\"\"\"", "'''"};
        const char *closer = closers[tape->text[tape->at] == '\''];
        in.from = tape->at + 3;
        in.quote = '"';
        return read_marked(tape, &in, closer);
    }
    in.from = in.at = tape->at + open_quote(tape, &in);
    if (in.curly) {
        in.quote = '"';
        return read_marked(tape, &in, "\xE2\x80\x9D");
    }
    return read_plain(tape, &in);
}
