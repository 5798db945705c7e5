#include "meaning/numbers.h"

#include <string.h>

#include "base/utf8.h"

enum { DIGIT_LIMIT = 4300 }; /* Python's for a conversion from text to int */

static char at(gm_text text, uint32_t index) {
    return index < text.length ? text.bytes[index] : '\0';
}

static uint32_t skip_digits(gm_text text, uint32_t index) {
    while (gm_utf8_is_digit(at(text, index))) {
        index++;
    }
    return index;
}

/* Behind the exponent at `index`; `index` itself when there is none. */
static uint32_t skip_exponent(gm_text text, uint32_t index) {
    if ((at(text, index) | 0x20) != 'e') {
        return index;
    }
    uint32_t digits = index + 1 + (at(text, index + 1) == '+' || at(text, index + 1) == '-');
    uint32_t end = skip_digits(text, digits);
    return end > digits ? end : index;
}

bool gm_number_is_json(gm_text text) {
    uint32_t start = at(text, 0) == '-';
    uint32_t index = skip_digits(text, start);
    if (index == start || (at(text, start) == '0' && index > start + 1)) {
        return false;
    }
    if (at(text, index) == '.') {
        uint32_t fraction = index + 1;
        index = skip_digits(text, fraction);
        if (index == fraction) {
            return false;
        }
    }
    return skip_exponent(text, index) == text.length;
}

/* An exponent beyond any use stays beyond any use. */
static int64_t read_exponent(gm_text text, uint32_t index) {
    if (index >= text.length) {
        return 0;
    }
    bool negative = at(text, index + 1) == '-';
    int64_t value = 0;
    for (index += 1U + (negative || at(text, index + 1) == '+'); index < text.length; index++) {
        value = value * 10 + (text.bytes[index] - '0');
        value = value > INT32_MAX ? INT32_MAX : value;
    }
    return negative ? -value : value;
}

gm_number gm_number_of(gm_arena *arena, gm_text text) {
    gm_number number = {.negative = at(text, 0) == '-'};
    char *digits = gm_arena_alloc(arena, text.length + 1);
    uint32_t count = 0;
    int64_t point = -1;
    uint32_t index = number.negative;
    for (; gm_utf8_is_digit(at(text, index)) || at(text, index) == '.'; index++) {
        if (text.bytes[index] == '.') {
            point = count;
        } else {
            digits[count++] = text.bytes[index];
        }
    }
    number.exponent = (point < 0 ? (int64_t)count : point) + read_exponent(text, index);
    uint32_t zeros = 0;
    while (zeros < count && digits[zeros] == '0') {
        zeros++;
    }
    while (count > zeros && digits[count - 1] == '0') {
        count--;
    }
    number.digits = digits + zeros;
    number.count = count - zeros;
    number.exponent = number.count == 0 ? 0 : number.exponent - zeros;
    number.negative = number.negative && number.count > 0;
    return number;
}

static int compare_digits(const gm_number *a, const gm_number *b) {
    uint32_t shared = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digits, b->digits, shared);
    return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
}

int gm_number_compare(const gm_number *a, const gm_number *b) {
    if (a->negative != b->negative) {
        return a->negative ? -1 : 1;
    }
    int order = 0;
    if (a->count == 0 || b->count == 0) {
        order = (a->count > 0) - (b->count > 0);
    } else if (a->exponent != b->exponent) {
        order = a->exponent > b->exponent ? 1 : -1;
    } else {
        order = compare_digits(a, b);
    }
    return a->negative ? -order : order;
}

bool gm_number_add_integer(const gm_number *number, gm_buffer *out) {
    if (number->count == 0) {
        gm_buffer_add_char(out, '0');
        return true;
    }
    if (number->exponent < (int64_t)number->count || number->exponent > DIGIT_LIMIT) {
        return false;
    }
    if (number->negative) {
        gm_buffer_add_char(out, '-');
    }
    gm_buffer_add(out, number->digits, number->count);
    for (int64_t i = number->count; i < number->exponent; i++) {
        gm_buffer_add_char(out, '0');
    }
    return true;
}

bool gm_number_is_finite(const gm_number *number) {
    /* Half way between the largest double and what would be the next one: from there on numbers round to infinity. */
    static const char limit[] = "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633"
                                "02866416692887910946555475519284940319";
    gm_number largest = {.digits = limit, .count = 19, .exponent = 309};
    gm_number size = *number;
    size.negative = false;
    return gm_number_compare(&size, &largest) < 0;
}

/* Behind the number at `index`: digits with groups, fraction, exponent. 0 when there is none. */
static uint32_t read_digits(gm_text text, uint32_t index, gm_buffer *out, gm_written_number *number) {
    uint32_t start = index;
    uint32_t first = 0; /* digits in front of the first separator */
    for (;;) {
        uint32_t end = skip_digits(text, index);
        gm_buffer_add(out, text.bytes + index, end - index);
        char separator = at(text, end);
        bool comma = separator == ',' && end - index <= 3;
        if (first != 0 && number->thousands && end - index != 3) {
            return 0;
        }
        if (end == index || !gm_utf8_is_digit(at(text, end + 1)) || !(comma || (separator == '_' && !number->thousands))) {
            index = end;
            break;
        }
        first = first == 0 ? end - start : first;
        number->thousands |= comma;
        number->odd |= !comma;
        index = end + 1;
    }
    if (number->thousands && first > 3) {
        return 0;
    }
    uint32_t digits = index - start;
    if (at(text, index) == '.') {
        uint32_t end = skip_digits(text, index + 1);
        number->odd |= digits == 0 || end == index + 1;
        if (digits == 0) {
            gm_buffer_add_char(out, '0');
        }
        if (end > index + 1) {
            gm_buffer_add(out, text.bytes + index, end - index);
        }
        digits += end - index - 1;
        index = end;
    }
    uint32_t end = skip_exponent(text, index);
    gm_buffer_add(out, text.bytes + index, end - index);
    return digits == 0 ? 0 : end;
}

/* Signs and codes of currencies in front of or behind a number. Returns how many bytes it has. */
static uint32_t currency_length(gm_text text, uint32_t index) {
    static const char *const signs[] = {"$",   "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", "\xE2\x82\xB9", "USD", "EUR",
                                        "GBP", "CHF",          "JPY",      "INR",      "CAD",          "AUD", "CNY"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i]);
        if (text.length - index >= length && memcmp(text.bytes + index, signs[i], length) == 0) {
            return (uint32_t)length;
        }
    }
    return 0;
}

static uint32_t skip_blanks(gm_text text, uint32_t index) {
    while (at(text, index) == ' ' || at(text, index) == '\t') {
        index++;
    }
    return index;
}

/* A word of small letters: with the bit that makes letters small, no other byte is one. */
static bool same_word(gm_text text, const char *word) {
    size_t length = strlen(word);
    if (text.length != length && !(text.length == length + 1 && (text.bytes[length] | 0x20) == 's')) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((text.bytes[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return true;
}

/* Words that change what the number in front of them is, and words that join it to another one. */
static bool changes_number(gm_text unit) {
    static const char *const words[] = {"k",       "b",       "bn",       "mn",       "mm",      "mio",     "mrd",      "mil",
                                        "million", "billion", "trillion", "thousand", "hundred", "dozen",   "lakh",     "crore",
                                        "grand",   "percent", "pct",      "half",     "third",   "quarter", "permille", "bp",
                                        "score",   "gross",   "tn",       "or",       "to",      "and",     "plus",     "minus",
                                        "times",   "x",       "e",        "pair",     "couple",  "mille",   "tsd",      "myriad"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (same_word(unit, words[i])) {
            return true;
        }
    }
    return unit.length == 1 && (unit.bytes[0] == 'M' || unit.bytes[0] == 'T' || unit.bytes[0] == 'G' || unit.bytes[0] == 'P');
}

/* Letters that touch a number and may be badly written digits of it, as in `4O`. */
static bool may_be_digits(gm_text text, uint32_t index) {
    for (; index < text.length; index++) {
        if (strchr("OoIlSB", text.bytes[index]) == NULL || text.bytes[index] == '\0') {
            return false;
        }
    }
    return true;
}

enum { UNIT_LIMIT = 16 };

/* One word of letters, degrees and slashes from `index` to the end. */
static bool is_unit(gm_text text, uint32_t index) {
    gm_text unit = {text.bytes + index, text.length - index};
    if (unit.length == 0 || unit.length > UNIT_LIMIT || changes_number(unit)) {
        return false;
    }
    bool letter = false;
    for (uint32_t i = 0; i < unit.length; i++) {
        char c = unit.bytes[i];
        bool alphabetic = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool degree = i + 1 < unit.length && memcmp(unit.bytes + i, "\xC2\xB0", 2) == 0;
        letter |= alphabetic;
        i += degree;
        if (!alphabetic && !degree && (c != '/' || i == 0)) {
            return false;
        }
    }
    return letter;
}

static bool read_special(gm_text text, gm_written_number *number) {
    static const struct {
        const char *word;
        const char *value;
    } specials[] = {{"nan", "NaN"},        {"inf", "Infinity"},        {"infinity", "Infinity"}, {"+inf", "Infinity"},
                    {"-inf", "-Infinity"}, {"-infinity", "-Infinity"}, {"+infinity", "Infinity"}};
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        if (text.length == strlen(specials[i].word) && same_word(text, specials[i].word)) {
            *number = (gm_written_number){
                .text = {specials[i].value, (uint32_t)strlen(specials[i].value)}, .is_special = true, .odd = true};
            return true;
        }
    }
    return false;
}

/* What stands behind the digits: nothing, a currency, or a unit where no currency has been seen. */
static bool read_tail(gm_text text, uint32_t index, gm_written_number *number) {
    uint32_t tail = skip_blanks(text, index);
    uint32_t currency = currency_length(text, tail);
    if (tail == text.length) {
        return tail == index;
    }
    if (currency > 0 && tail + currency == text.length && !number->currency) {
        return number->currency = true;
    }
    number->unit = !number->currency && is_unit(text, tail) && (tail > index || !may_be_digits(text, tail));
    return number->unit;
}

bool gm_number_read(gm_arena *arena, gm_text text, gm_written_number *number) {
    *number = (gm_written_number){0};
    if (text.length == 0) {
        return false;
    }
    if (gm_number_is_json(text)) {
        number->text = text;
        return true;
    }
    if (read_special(text, number)) {
        return true;
    }
    gm_buffer digits;
    gm_buffer_init(&digits, arena);
    uint32_t index = 0;
    bool sign = at(text, 0) == '-' || at(text, 0) == '+';
    bool negative = at(text, 0) == '-';
    index += sign;
    uint32_t currency = currency_length(text, index);
    number->currency = currency > 0;
    index = currency > 0 ? skip_blanks(text, index + currency) : index;
    if (currency > 0 && !sign && at(text, index) == '-') {
        negative = true;
        index++;
    }
    number->odd = sign && !negative;
    gm_buffer_add_text(&digits, negative ? "-" : "");
    uint32_t end = read_digits(text, index, &digits, number);
    if (end == 0 || !read_tail(text, end, number)) {
        return false;
    }
    number->text = (gm_text){digits.bytes, (uint32_t)digits.length};
    return gm_number_is_json(number->text);
}
