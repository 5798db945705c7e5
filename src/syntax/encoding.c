#include "syntax/encoding.h"

#include <string.h>

#include "base/search.h"

enum { LONGEST_NAME = 40, DIGITS = 3, DIGIT_BITS = 6 };

/* A name as the registry compares it. */
typedef struct key {
    char text[LONGEST_NAME];
    bool dots; /* a `_` of `text` was written as `.` */
} key;

static bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Lower case, with one `_` for each dot and each run of other characters. The beginning is enough of a name that is longer than any known one. */
static void normalize(const char *name, size_t length, key *out) {
    size_t used = 0;
    bool gap = false;
    for (size_t i = 0; i < length && used + 2 < LONGEST_NAME; i++) {
        char c = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
        if (!is_alphanumeric(c) && c != '.') {
            gap = used > 0;
            continue;
        }
        if (gap) {
            out->text[used++] = '_';
        }
        gap = false;
        out->dots = out->dots || c == '.';
        out->text[used++] = c == '.' ? '_' : c;
    }
    out->text[used] = '\0';
}

static const gm_encoding_alias *find_alias(const char *name) {
    uint32_t low = 0;
    uint32_t high = gm_encoding_alias_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        int order = strcmp(gm_encoding_aliases[middle].name, name);
        if (order == 0) {
            return &gm_encoding_aliases[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const gm_encoding *gm_encoding_find(const char *name, size_t length) {
    key normal = {.dots = false};
    normalize(name, length, &normal);
    const gm_encoding_alias *found = find_alias(normal.text);
    return found != NULL && (found->dots || !normal.dots) ? &gm_encodings[found->encoding] : NULL;
}

uint32_t gm_encoding_character(const gm_encoding *encoding, unsigned char byte) {
    const char *digits = encoding->upper + (size_t)(byte - 128U) * DIGITS;
    uint32_t code = 0;
    for (int i = 0; i < DIGITS; i++) {
        code = code << DIGIT_BITS | (uint32_t)(digits[i] - '0');
    }
    return code;
}
