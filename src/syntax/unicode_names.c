#include "syntax/unicode_names.h"

#include <string.h>

#include "base/search.h"
#include "syntax/unicode_names_data.h"

enum { HASH_SHIFT = 64 - 39, CODE_BITS = 21, LONGEST_NAME = 128 };

static uint64_t hash_of(const char *name, size_t length) {
    uint64_t value = 0xCBF29CE484222325U;
    for (size_t i = 0; i < length; i++) {
        value = (value ^ (unsigned char)name[i]) * 0x100000001B3U;
    }
    return value >> HASH_SHIFT;
}

static uint64_t entry_at(uint32_t index) {
    const char *digits = gm_unicode_names[index / GM_UNICODE_NAMES_PER_LINE];
    digits += (size_t)(index % GM_UNICODE_NAMES_PER_LINE) * GM_UNICODE_NAME_DIGITS;
    uint64_t entry = 0;
    for (int i = 0; i < GM_UNICODE_NAME_DIGITS; i++) {
        entry = entry << 6 | (uint64_t)(digits[i] - '0');
    }
    return entry;
}

static bool find_listed(const char *name, size_t length, uint32_t *code) {
    uint64_t hash = hash_of(name, length);
    uint32_t low = 0;
    uint32_t high = gm_unicode_name_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (entry_at(middle) >> CODE_BITS < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == gm_unicode_name_count || entry_at(low) >> CODE_BITS != hash) {
        return false;
    }
    *code = (uint32_t)(entry_at(low) & ((1U << CODE_BITS) - 1));
    return true;
}

/* CJK UNIFIED IDEOGRAPH-4E00 */

static bool is_ideograph(uint32_t code) {
    static const uint32_t ranges[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0x20000, 0x2A6DF},
                                         {0x2A700, 0x2B739}, {0x2B740, 0x2B81D}, {0x2B820, 0x2CEA1},
                                         {0x2CEB0, 0x2EBE0}, {0x2EBF0, 0x2EE5D}, {0x30000, 0x3134A},
                                         {0x31350, 0x323AF}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

static bool find_ideograph(const char *digits, size_t length, uint32_t *code) {
    if (length != 4 && length != 5) {
        return false;
    }
    *code = 0;
    for (size_t i = 0; i < length; i++) {
        bool decimal = digits[i] >= '0' && digits[i] <= '9';
        if (!decimal && (digits[i] < 'A' || digits[i] > 'F')) {
            return false;
        }
        *code = *code << 4 | (uint32_t)(decimal ? digits[i] - '0' : digits[i] - 'A' + 10);
    }
    return is_ideograph(*code);
}

/* HANGUL SYLLABLE GAGG */

static const char *const leads[] = {"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S",
                                    "SS", "", "J", "JJ", "C", "K", "T", "P", "H"};
static const char *const vowels[] = {"A",  "AE", "YA", "YAE", "EO", "E",  "YEO", "YE", "O",  "WA", "WAE",
                                     "OE", "YO", "U",  "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
static const char *const tails[] = {"",   "G",  "GG", "GS", "N", "NJ", "NH", "D",  "L",  "LG", "LM", "LB", "LS", "LT",
                                    "LP", "LH", "M",  "B",  "BS", "S", "SS", "NG", "J",  "C",  "K",  "T",  "P",  "H"};

enum { LEADS = sizeof leads / sizeof leads[0], VOWELS = sizeof vowels / sizeof vowels[0], TAILS = sizeof tails / sizeof tails[0] };

/* The longest of the jamo names that `name` starts with. */
static int longest_jamo(const char *const *jamo, int count, const char *name, size_t length, size_t *used) {
    int best = -1;
    *used = 0;
    for (int i = 0; i < count; i++) {
        size_t size = strlen(jamo[i]);
        if (size <= length && memcmp(jamo[i], name, size) == 0 && (best < 0 || size > *used)) {
            best = i;
            *used = size;
        }
    }
    return best;
}

static bool find_syllable(const char *name, size_t length, uint32_t *code) {
    size_t used = 0;
    int lead = longest_jamo(leads, LEADS, name, length, &used);
    name += used;
    length -= used;
    int vowel = longest_jamo(vowels, VOWELS, name, length, &used);
    name += used;
    length -= used;
    int tail = longest_jamo(tails, TAILS, name, length, &used);
    if (lead < 0 || vowel < 0 || tail < 0 || used != length) {
        return false;
    }
    *code = 0xAC00U + (uint32_t)((lead * VOWELS + vowel) * TAILS + tail);
    return true;
}

static size_t prefix_length(const char *name, size_t length, const char *prefix) {
    size_t size = strlen(prefix);
    return length > size && memcmp(name, prefix, size) == 0 ? size : 0;
}

bool gm_unicode_name_find(const char *name, size_t length, uint32_t *code) {
    char upper[LONGEST_NAME];
    if (length == 0 || length > sizeof upper) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        upper[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    }
    size_t skip = prefix_length(upper, length, "CJK UNIFIED IDEOGRAPH-");
    if (skip > 0) {
        return find_ideograph(upper + skip, length - skip, code);
    }
    skip = prefix_length(upper, length, "HANGUL SYLLABLE ");
    return skip > 0 ? find_syllable(upper + skip, length - skip, code) : find_listed(upper, length, code);
}

bool gm_unicode_is_printable(uint32_t code, uint16_t version) {
    if (code < 0x80) {
        return code >= 0x20 && code < 0x7F;
    }
    uint32_t low = 0;
    uint32_t high = gm_unicode_printable_count;
    while (low < high) {
        uint32_t middle = gm_middle(low, high);
        if (gm_unicode_printables[middle].last < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const gm_unicode_printable *run = &gm_unicode_printables[low];
    return low < gm_unicode_printable_count && run->first <= code && (version == 0 || version >= run->since);
}
