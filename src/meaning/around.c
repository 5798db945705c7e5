#include "meaning/around.h"

#include <string.h>

static bool is_fence(const gm_tape *tape, uint32_t at) {
    return memcmp(tape->text + at, "```", 3) == 0;
}

/* The end of what belongs to a value's surroundings behind it. */
static uint32_t limit_behind(const gm_tape *tape, uint32_t end) {
    for (uint32_t at = end; at < tape->length; at++) {
        if (tape->text[at] == '`' && is_fence(tape, at)) {
            return at;
        }
    }
    return tape->length;
}

static uint32_t limit_before(const gm_tape *tape, uint32_t start) {
    for (uint32_t at = start; at > tape->thought_end; at--) {
        if (tape->text[at - 1] == '`' && is_fence(tape, at - 1)) {
            return at + 2;
        }
    }
    return tape->thought_end;
}

/* What a value may begin or end with, letters excepted: those are prose. */
static bool is_edge(char c) {
    return c == '"' || c == '{' || c == '}' || c == '[' || c == ']' || gm_utf8_is_digit(c);
}

static bool is_separator(char c) {
    return c == ',' || c == ':' || c == ';' || c == '=';
}

static uint32_t skip_blanks(const gm_tape *tape, uint32_t at, uint32_t limit) {
    while (at < limit && gm_tape_is_blank(tape->text[at])) {
        at++;
    }
    return at;
}

static uint32_t skip_blanks_back(const gm_tape *tape, uint32_t at, uint32_t limit) {
    while (at > limit && gm_tape_is_blank(tape->text[at - 1])) {
        at--;
    }
    return at;
}

static bool is_sound(const gm_candidate *candidate) {
    return !candidate->broken && !candidate->open;
}

/* The first sound candidate in brackets that starts at or behind `at`, from `number` on. */
static uint32_t next_candidate(const gm_tape *tape, uint32_t number, uint32_t at) {
    for (; number < tape->candidates.count; number++) {
        const gm_candidate *one = &tape->candidates.items[number];
        if (one->start >= at && is_sound(one) && tape->text[one->start] != '"') {
            break;
        }
    }
    return number;
}

static bool is_letter(char c) {
    return gm_tape_is_name(c) && !gm_utf8_is_digit(c);
}

/* `"name": 1` is a piece of a value; `"name": what it is called` is prose. */
static bool is_key_end(const gm_tape *tape, uint32_t quote, uint32_t end) {
    uint32_t colon = skip_blanks(tape, quote + 1, end);
    uint32_t value = colon < end && tape->text[colon] == ':' ? skip_blanks(tape, colon + 1, end) : end;
    if (value >= end || !is_letter(tape->text[value])) {
        return colon < end && tape->text[colon] == ':';
    }
    const char *word = tape->text + value;
    return strncmp(word, "true", 4) == 0 || strncmp(word, "false", 5) == 0 || strncmp(word, "null", 4) == 0;
}

/* `27" wide`: no quote. */
static bool is_inch(const gm_tape *tape, uint32_t at, uint32_t start) {
    return at > start && gm_utf8_is_digit(tape->text[at - 1]) && tape->text[at + 1] == ' ' && gm_tape_is_name(tape->text[at + 2]);
}

typedef struct balance {
    uint32_t quotes;
    int64_t braces;
    int64_t brackets;
} balance;

/* Counts a character; false when it cannot be one of prose. */
static bool count(const gm_tape *tape, balance *of, uint32_t at, uint32_t start, uint32_t end) {
    char c = tape->text[at];
    of->quotes += c == '"' && !is_inch(tape, at, start);
    of->braces += (c == '{') - (c == '}');
    of->brackets += (c == '[') - (c == ']');
    return of->braces >= 0 && of->brackets >= 0 && !(c == '"' && of->quotes % 2 == 0 && is_key_end(tape, at, end));
}

/* Quotes and brackets of a stretch of text that have no partner in it, and keys. Other values in it are what they are. */
static bool is_odd(const gm_tape *tape, uint32_t start, uint32_t end, uint32_t *at) {
    balance of = {0, 0, 0};
    uint32_t number = next_candidate(tape, 0, start);
    for (uint32_t i = start; i < end; i++) {
        const gm_candidate *next = number < tape->candidates.count ? &tape->candidates.items[number] : NULL;
        if (next != NULL && next->start == i && next->end <= end) {
            i = next->end - 1;
            number = next_candidate(tape, number + 1, i);
        } else if (!count(tape, &of, i, start, end)) {
            *at = i;
            return true;
        }
    }
    return of.quotes % 2 != 0 || of.braces > 0 || of.brackets > 0;
}

/* A number that is no part of prose: nothing but digits and signs up to the end of the line, or of all. */
static bool is_number_behind(const gm_tape *tape, uint32_t end, uint32_t next, uint32_t limit) {
    uint32_t at = next;
    while (at < limit && !is_letter(tape->text[at])) {
        at++;
    }
    bool line = memchr(tape->text + end, '\n', next - end) == NULL;
    bool digit = gm_utf8_is_digit(tape->text[next]) || (tape->text[next] == '-' && gm_utf8_is_digit(tape->text[next + 1]));
    return digit && (line || at == limit);
}

static bool is_number_before(const gm_tape *tape, uint32_t start, uint32_t before, uint32_t limit) {
    uint32_t at = before;
    while (at > limit && !is_letter(tape->text[at - 1])) {
        at--;
    }
    bool line = memchr(tape->text + before, '\n', start - before) == NULL;
    return gm_utf8_is_digit(tape->text[before - 1]) && (line || at == limit);
}

static bool goes_on_behind(const gm_tape *tape, uint32_t end, bool loose, uint32_t *at) {
    uint32_t limit = limit_behind(tape, end);
    uint32_t next = skip_blanks(tape, end, limit);
    bool closers = false;
    while (next < limit && (tape->text[next] == '}' || tape->text[next] == ']')) {
        next = skip_blanks(tape, next + 1, limit);
        closers = true;
    }
    *at = next;
    if (next >= limit || (closers && loose)) {
        return closers && loose;
    }
    char c = tape->text[next];
    uint32_t other = next;
    while (other < limit && is_separator(tape->text[other])) {
        other = skip_blanks(tape, other + 1, limit);
    }
    bool minus = tape->text[other] == '-' && gm_utf8_is_digit(tape->text[other + 1]);
    bool edge = other < limit && (is_edge(tape->text[other]) || minus) && (c == '"' || closers || other > next || next == end);
    bool tag = c == '<' && (tape->text[next + 1] == '/' || is_letter(tape->text[next + 1]));
    bool ends = (unsigned char)c >= 0x80 || tag || strchr(loose ? ".`*;" : ".,;:!?)*`_~'", c) != NULL;
    bool touches = next == end && !ends;
    return edge || touches || is_number_behind(tape, end, next, limit) || is_odd(tape, next, limit, at);
}

/* `Step 2:`, `as in [1]:`: a number or a bracket with a word in front of it on its line. */
static bool ends_sentence(const gm_tape *tape, uint32_t end, uint32_t limit) {
    char last = end > limit ? tape->text[end - 1] : '"';
    bool letter = false;
    for (uint32_t at = end; at > limit && tape->text[at - 1] != '\n'; at--) {
        if (tape->text[at - 1] == '"') {
            return false;
        }
        letter |= is_letter(tape->text[at - 1]);
    }
    return letter && (gm_utf8_is_digit(last) || last == ']');
}

static bool goes_on_before(const gm_tape *tape, uint32_t from, uint32_t start, bool loose, uint32_t *at) {
    uint32_t limit = limit_before(tape, start);
    limit = from > limit ? from : limit;
    uint32_t before = skip_blanks_back(tape, start, limit);
    *at = before;
    if (before == limit) {
        return false;
    }
    char c = tape->text[before - 1];
    uint32_t other = before;
    while (other > limit && is_separator(tape->text[other - 1])) {
        other = skip_blanks_back(tape, other - 1, limit);
    }
    bool prose = (c == ':' || c == '=') && ends_sentence(tape, other, limit);
    bool edge = other > limit && is_edge(tape->text[other - 1]) && (c == '"' || other < before) && !prose;
    bool touches = before == start && (unsigned char)c < 0x80 && (loose || strchr(":=(>*`'\"", c) == NULL) &&
                   !gm_tape_is_name(tape->text[start]);
    return edge || touches || ((is_number_before(tape, start, before, limit) || is_odd(tape, limit, before, at)));
}

bool gm_around_is_apart(const gm_tape *tape, uint32_t start, uint32_t end) {
    uint32_t words = 0;
    for (uint32_t at = start; at < end; at++) {
        if (is_edge(tape->text[at])) {
            return false;
        }
        words += is_letter(tape->text[at]) && (at == start || gm_tape_is_blank(tape->text[at - 1]));
    }
    return words > 1;
}

bool gm_around_goes_on(const gm_tape *tape, uint32_t from, uint32_t start, uint32_t end, bool loose, uint32_t *at) {
    return goes_on_behind(tape, end, loose, at) || goes_on_before(tape, from, start, loose, at);
}
