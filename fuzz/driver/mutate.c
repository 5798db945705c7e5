#include "mutate.h"

#include <string.h>

typedef struct input {
    uint64_t *state;
    unsigned char *bytes;
    size_t size;
    size_t capacity;
    const unsigned char *other;
    size_t other_size;
} input;

/* What bytes that are changed one by one seldom become. */
/* clang-format off */
static const char *const words[] = {"{", "}", "[", "]", "(", ")", "\"", "'", "`", "```", "```json\n", "```\n", ",", ":", ";", "\n", "\n\n",
    "\r\n", "\t", "\f", "    ", "\\", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\\x41", "//", "/*", "*/", "#", "...", "null", "None", "true",
    "True", "false", "NaN", "Infinity", "-0", "1e999", "1e-999", "0x1F", "1_000", "1,234.5", "$12", "2025-01-31", "2025-01-31T10:00:00Z",
    "P1DT30M", "<think>", "</think>", "<", ">", "=", "\"\"\"", "'''", "\xef\xbb\xbf", "\xc3\xa9", "\xe2\x80\x9c", "\xe2\x80\x9d",
    "\xf0\x9f\x98\x80", "\xff", "{}", "[]", "{\"", "\":", "\",", "\"}", "},", "],", "return", "if x:\n", "else:\n", "for i in x:\n", "def f():\n",
    "class A:\n", "lambda: ", "match x:\n", "case ", "with a as b:\n", "async ", "await ", "yield ", "torch.", ".item()", "print(", "f\"", "{x!r}", "@", "**", ":=", "->"};
/* clang-format on */

size_t random_below(uint64_t *state, size_t end) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (size_t)(*state * UINT64_C(2685821657736338717) >> 16) % end;
}

static size_t below(input *in, size_t end) {
    return random_below(in->state, end);
}

/* Lengths are mostly short. */
static size_t length_up_to(input *in, size_t most) {
    size_t end = below(in, 4) != 0 && most > 8 ? 8 : most;
    return end == 0 ? 0 : 1 + below(in, end);
}

static void insert(input *in, const unsigned char *piece, size_t length) {
    if (length <= in->capacity - in->size) {
        size_t at = below(in, in->size + 1);
        memmove(in->bytes + at + length, in->bytes + at, in->size - at);
        memcpy(in->bytes + at, piece, length);
        in->size += length;
    }
}

static void overwrite(input *in, const unsigned char *piece, size_t length) {
    if (length <= in->size) {
        memcpy(in->bytes + below(in, in->size - length + 1), piece, length);
    }
}

static void put(input *in, const unsigned char *piece, size_t length) {
    if (below(in, 3) == 0) {
        overwrite(in, piece, length);
    } else {
        insert(in, piece, length);
    }
}

static void change_byte(input *in) {
    if (in->size > 0) {
        size_t at = below(in, in->size);
        size_t byte = below(in, 2) == 0 ? below(in, 256) : in->bytes[at] ^ (size_t)1 << below(in, 8);
        in->bytes[at] = (unsigned char)byte;
    }
}

static void take_away(input *in) {
    size_t length = length_up_to(in, in->size);
    size_t at = below(in, in->size - length + 1);
    memmove(in->bytes + at, in->bytes + at + length, in->size - at - length);
    in->size -= length;
}

static void repeat_part(input *in) {
    unsigned char part[256];
    size_t length = length_up_to(in, in->size < sizeof part ? in->size : sizeof part);
    if (length > 0) {
        memcpy(part, in->bytes + below(in, in->size - length + 1), length);
        for (size_t times = length_up_to(in, 64); times > 0; times--) {
            put(in, part, length);
        }
    }
}

static void take_part_of_other(input *in) {
    size_t length = length_up_to(in, in->other_size);
    if (length > 0) {
        put(in, in->other + below(in, in->other_size - length + 1), length);
    }
}

static void put_word(input *in) {
    const char *word = words[below(in, sizeof words / sizeof *words)];
    put(in, (const unsigned char *)word, strlen(word));
}

size_t mutate(uint64_t *state, unsigned char *bytes, size_t size, size_t capacity, const unsigned char *other, size_t other_size) {
    static void (*const ways[])(input *) = {change_byte, change_byte,        take_away, take_away,
                                            repeat_part, take_part_of_other, put_word,  put_word};
    input in = {state, bytes, size, capacity, other, other_size};
    for (size_t times = length_up_to(&in, 16); times > 0; times--) {
        ways[below(&in, sizeof ways / sizeof *ways)](&in);
    }
    return in.size;
}
