/* Numbers, text, and what is written as text. */
#include <string.h>

#include "base/utf8.h"
#include "meaning/match.h"
#include "meaning/numbers.h"
#include "meaning/times.h"

static bool is_key(const gm_match *in, uint32_t node) {
    return (gm_match_node(in, node)->flags & GM_TAPE_KEY) != 0;
}

static bool is_textual(const gm_match *in, uint32_t node) {
    const gm_tape_node *found = gm_match_node(in, node);
    return (found->kind == GM_TAPE_STRING && (found->flags & GM_TAPE_PYTHON_BYTES) == 0) || found->kind == GM_TAPE_WORD;
}

static bool same_letters(gm_text text, const char *word) {
    size_t length = strlen(word);
    bool same = text.length == length;
    for (size_t i = 0; same && i < length; i++) {
        char c = text.bytes[i];
        same = (c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c) == word[i];
    }
    return same;
}

static bool one_of(gm_text text, const char *const *words) {
    for (; *words != NULL; words++) {
        if (same_letters(text, *words)) {
            return true;
        }
    }
    return false;
}

/* Python's constructor around one value: `Decimal('1.5')`. The value, or `node` itself. */
static uint32_t inside_call(gm_match *in, uint32_t node, const char *const *names) {
    const gm_tape_node *call = gm_match_node(in, node);
    if (call->kind != GM_TAPE_CALL || node + 3 != call->next) {
        return node;
    }
    gm_text name = gm_match_text(in, node + 1);
    const char *dot = NULL;
    for (uint32_t i = 0; i < name.length; i++) {
        dot = name.bytes[i] == '.' ? name.bytes + i + 1 : dot;
    }
    gm_text last = dot == NULL ? name : (gm_text){dot, (uint32_t)(name.bytes + name.length - dot)};
    return one_of(last, names) && !is_key(in, node + 2) ? node + 2 : node;
}

gm_cost gm_match_none(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const words[] = {"null", "none", "n/a", NULL};
    (void)gm_match_take_bounds(in);
    gm_cost cost = 0;
    if (gm_match_node(in, node)->kind != GM_TAPE_NULL) {
        if (!is_textual(in, node) || !one_of(gm_match_text(in, node), words)) {
            return gm_match_unexpected(in, type, node);
        }
        cost = gm_match_repair(in, GM_REPAIR_VALUE_SPELLING, node);
    }
    gm_match_put(in, "null", 4);
    return cost;
}

gm_cost gm_match_bool(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const yes[] = {"true", "yes", "1", NULL};
    static const char *const no[] = {"false", "no", "0", NULL};
    (void)gm_match_take_bounds(in);
    uint8_t kind = gm_match_node(in, node)->kind;
    gm_cost cost = 0;
    bool value = kind == GM_TAPE_TRUE;
    if (kind != GM_TAPE_TRUE && kind != GM_TAPE_FALSE) {
        gm_text text = gm_match_text(in, node);
        bool can = is_textual(in, node) || kind == GM_TAPE_NUMBER;
        value = can && one_of(text, yes);
        if (!can || (!value && !one_of(text, no))) {
            return gm_match_unexpected(in, type, node);
        }
        bool exact = is_key(in, node) && (gm_text_is(text, "true") || gm_text_is(text, "false"));
        cost = exact ? 0 : gm_match_repair(in, GM_REPAIR_VALUE_SPELLING, node);
    }
    gm_match_put(in, value ? "true" : "false", value ? 4 : 5);
    return cost;
}

/* The number that a node says, as JSON writes it. */
static gm_cost read_number(gm_match *in, const gm_meaning_type *type, uint32_t node, gm_written_number *number) {
    const gm_tape_node *found = gm_match_node(in, node);
    gm_text text = gm_match_text(in, node);
    *number = (gm_written_number){.text = text};
    if (found->kind == GM_TAPE_NUMBER) {
        return 0;
    }
    if (!is_textual(in, node) || (in->options.strict && !(is_key(in, node) && gm_number_is_json(text)))) {
        return gm_match_unexpected(in, type, node);
    }
    if (!gm_number_read(in->arena, text, number)) {
        return gm_match_unexpected(in, type, node);
    }
    gm_cost cost = found->kind == GM_TAPE_STRING && !is_key(in, node) ? gm_match_repair(in, GM_REPAIR_NUMBER_TEXT, node) : 0;
    cost = number->odd ? gm_match_add(cost, gm_match_repair(in, GM_REPAIR_NUMBER, node)) : cost;
    cost = number->thousands ? gm_match_add(cost, gm_match_repair(in, GM_REPAIR_THOUSANDS, node)) : cost;
    cost = number->currency ? gm_match_add(cost, gm_match_repair(in, GM_REPAIR_CURRENCY, node)) : cost;
    return number->unit ? gm_match_add(cost, gm_match_repair(in, GM_REPAIR_UNIT, node)) : cost;
}

static bool is_whole(gm_text text) {
    for (uint32_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '.' || (text.bytes[i] | 0x20) == 'e') {
            return false;
        }
    }
    return true;
}

enum { PLAIN_DIGITS = 300 }; /* no double is that small a number of digits and infinite */

static bool is_finite(gm_match *in, gm_text text) {
    if (text.length <= PLAIN_DIGITS && is_whole(text)) {
        return true;
    }
    gm_number number = gm_number_of(in->arena, text);
    return gm_number_is_finite(&number);
}

gm_cost gm_match_int(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    gm_written_number number;
    gm_cost cost = read_number(in, type, node, &number);
    if (cost == GM_NO_FIT || number.is_special) {
        return cost == GM_NO_FIT ? cost : gm_match_unexpected(in, type, node);
    }
    gm_text text = number.text;
    bool whole = is_whole(text);
    if (text.length > PLAIN_DIGITS || !whole) {
        gm_buffer digits;
        gm_buffer_init(&digits, in->arena);
        gm_number parts = gm_number_of(in->arena, text);
        if (!gm_number_add_integer(&parts, &digits)) {
            return gm_match_unexpected(in, type, node);
        }
        text = (gm_text){digits.bytes, (uint32_t)digits.length};
    }
    if (bounds != NULL && !gm_match_number_fits(in, bounds, text)) {
        return gm_match_refuse(in, node, "%.*s is out of bounds", gm_match_shown(text), text.bytes);
    }
    gm_match_put(in, text.bytes, text.length);
    return cost + (whole ? 1 : 3); /* a number with a point is a float rather than an int */
}

gm_cost gm_match_float(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    gm_written_number number;
    gm_cost cost = read_number(in, type, node, &number);
    if (cost == GM_NO_FIT) {
        return cost;
    }
    if (number.is_special) {
        if (bounds != NULL) {
            return gm_match_refuse(in, node, "%.*s is out of bounds", (int)number.text.length, number.text.bytes);
        }
        gm_match_put(in, number.text.bytes, number.text.length);
        return cost + 1;
    }
    if (!is_finite(in, number.text)) {
        return gm_match_refuse(in, node, "a number too large for a float");
    }
    if (bounds != NULL && !gm_match_number_fits(in, bounds, number.text)) {
        return gm_match_refuse(in, node, "%.*s is out of bounds", gm_match_shown(number.text), number.text.bytes);
    }
    bool whole = is_whole(number.text);
    gm_match_put(in, number.text.bytes, number.text.length);
    gm_match_put(in, ".0", whole ? 2 : 0);
    return cost + (whole ? 2 : 1);
}

gm_cost gm_match_decimal(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const names[] = {"decimal", NULL};
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    gm_written_number number;
    uint32_t value = inside_call(in, node, names);
    const gm_tape_node *found = gm_match_node(in, value);
    gm_cost cost = 0;
    if (found->kind == GM_TAPE_STRING && gm_number_is_json(gm_match_text(in, value))) {
        number = (gm_written_number){.text = gm_match_text(in, value)}; /* exact numbers are often written in quotes */
    } else {
        cost = read_number(in, type, value, &number);
    }
    if (cost == GM_NO_FIT || number.is_special) {
        return cost == GM_NO_FIT ? cost : gm_match_unexpected(in, type, node);
    }
    gm_number parts = gm_number_of(in->arena, number.text);
    if (parts.exponent > 999999 || parts.exponent < -999999 || (bounds != NULL && !gm_match_number_fits(in, bounds, number.text))) {
        return gm_match_refuse(in, node, "%.*s is out of bounds", gm_match_shown(number.text), number.text.bytes);
    }
    gm_match_put_text(in, number.text);
    return cost + 3;
}

static uint64_t character_count(gm_text text) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < text.length; i++) {
        count += ((unsigned char)text.bytes[i] & 0xC0) != 0x80;
    }
    return count;
}

/* What a prompt calls a type is no value: it is the echo of the prompt. */
static bool is_type_word(gm_text text) {
    static const char *const words[] = {"string",  "str",  "int",      "integer", "float", "number", "bool",
                                        "boolean", "date", "datetime", "time",    "any",   "object", "array",
                                        "list",    "dict", "uuid",     "decimal", "bytes", "...",    NULL};
    return one_of(text, words);
}

gm_cost gm_match_str(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    const gm_tape_node *found = gm_match_node(in, node);
    gm_cost cost = 0;
    if (found->kind == GM_TAPE_WORD && !is_key(in, node)) {
        if (is_type_word(gm_match_text(in, node)) || found->end == found->start) {
            return gm_match_unexpected(in, type, node);
        }
        cost = gm_match_repair(in, GM_REPAIR_BARE_TEXT, node);
    } else if (found->kind == GM_TAPE_NUMBER || found->kind == GM_TAPE_TRUE || found->kind == GM_TAPE_FALSE) {
        cost = gm_match_repair(in, GM_REPAIR_TEXT_OF_NUMBER, node);
    } else if (!is_textual(in, node)) {
        return gm_match_unexpected(in, type, node);
    }
    if (bounds != NULL && !gm_match_size_fits(bounds, character_count(gm_match_text(in, node)))) {
        return gm_match_refuse(in, node, "text of a length that is out of bounds");
    }
    if (in->out != NULL) {
        gm_buffer_add_char(in->out, '"');
        gm_tape_add_json(in->tape, found, in->out);
        gm_buffer_add_char(in->out, '"');
    }
    return gm_match_add(cost, 1);
}

gm_cost gm_match_path(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const names[] = {"path", "posixpath", "purepath", "pureposixpath", "windowspath", "purewindowspath", NULL};
    uint32_t value = inside_call(in, node, names);
    if (!is_textual(in, value)) {
        return gm_match_unexpected(in, type, node);
    }
    return gm_match_add(gm_match_str(in, type, value), 1);
}

/* Base64 with padding; `*url` for the alphabet of addresses. The size of what it holds, or UINT64_MAX. */
static uint64_t base64_size(gm_text text, bool *url) {
    uint32_t end = text.length;
    if (end % 4 != 0) {
        return UINT64_MAX;
    }
    while (end > 0 && text.length - end < 2 && text.bytes[end - 1] == '=') {
        end--;
    }
    bool standard = false;
    for (uint32_t i = 0; i < end; i++) {
        char c = text.bytes[i];
        bool other = c == '-' || c == '_';
        *url |= other;
        standard |= c == '+' || c == '/';
        if (!gm_utf8_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '+' && c != '/' && !other) {
            return UINT64_MAX;
        }
    }
    return *url && standard ? UINT64_MAX : (uint64_t)end * 3 / 4;
}

static void put_base64(gm_match *in, const char *bytes, uint32_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint32_t i = 0; i < size; i += 3) {
        uint32_t left = size - i;
        uint32_t group = (uint32_t)(unsigned char)bytes[i] << 16 | (left > 1 ? (uint32_t)(unsigned char)bytes[i + 1] << 8 : 0U) |
                         (left > 2 ? (uint32_t)(unsigned char)bytes[i + 2] : 0U);
        const char quad[4] = {letters[group >> 18], letters[group >> 12 & 63], left > 1 ? letters[group >> 6 & 63] : '=',
                              left > 2 ? letters[group & 63] : '='};
        gm_match_put(in, quad, 4);
    }
}

gm_cost gm_match_bytes(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    const gm_bound_link *bounds = gm_match_take_bounds(in);
    const gm_tape_node *found = gm_match_node(in, node);
    bool python = found->kind == GM_TAPE_STRING && (found->flags & GM_TAPE_PYTHON_BYTES) != 0;
    bool url = false;
    if (found->kind != GM_TAPE_STRING || (python && (found->flags & GM_TAPE_ESCAPES) != 0)) {
        return gm_match_unexpected(in, type, node);
    }
    gm_text text = python ? (gm_text){in->tape->text + found->start, found->end - found->start} : gm_match_text(in, node);
    uint64_t size = python ? text.length : base64_size(text, &url);
    if (size == UINT64_MAX) {
        return gm_match_refuse(in, node, "expected bytes in base64");
    }
    if (bounds != NULL && !gm_match_size_fits(bounds, size)) {
        return gm_match_refuse(in, node, "bytes of a length that is out of bounds");
    }
    gm_match_put_char(in, '"');
    if (python) {
        put_base64(in, text.bytes, text.length);
    } else {
        for (uint32_t i = 0; i < text.length; i++) {
            gm_match_put_char(in, text.bytes[i] == '-' ? '+' : text.bytes[i] == '_' ? '/' : text.bytes[i]);
        }
    }
    gm_match_put_char(in, '"');
    return gm_match_add(url ? gm_match_repair(in, GM_REPAIR_VALUE_SPELLING, node) : 0, 2);
}

static int hex_digit(char c) {
    return gm_utf8_is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

gm_cost gm_match_uuid(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const names[] = {"uuid", NULL};
    static const char digits[] = "0123456789abcdef";
    (void)gm_match_take_bounds(in);
    uint32_t value = inside_call(in, node, names);
    char out[36];
    size_t count = 0;
    bool canonical = true;
    gm_text text = gm_match_text(in, value);
    bool fits = is_textual(in, value);
    for (uint32_t i = 0; fits && i < text.length; i++) {
        int digit = hex_digit(text.bytes[i]);
        bool here = count == 8 || count == 13 || count == 18 || count == 23;
        if (text.bytes[i] == '-') {
            fits = here;
        } else if (digit >= 0 && here && text.bytes[i - 1] != '-') {
            canonical = false;
            out[count++] = '-';
        } else {
            fits = digit >= 0;
        }
        fits = fits && count < sizeof out;
        if (fits) {
            out[count++] = text.bytes[i] == '-' ? '-' : digits[digit];
        }
    }
    if (!fits || count != sizeof out) {
        return gm_match_unexpected(in, type, node);
    }
    gm_cost cost = gm_match_node(in, value)->kind == GM_TAPE_WORD && !is_key(in, value) ? gm_match_repair(in, GM_REPAIR_BARE_TEXT, node)
                                                                                        : 0;
    gm_match_put_text(in, (gm_text){out, sizeof out});
    return gm_match_add(cost, canonical ? 0 : gm_match_repair(in, GM_REPAIR_VALUE_SPELLING, node));
}

typedef bool time_reader(gm_text text, gm_buffer *out, bool *plain);

/* `datetime.date(2025, 1, 31)`: the numbers put together as ISO 8601 has them. */
static bool call_text(gm_match *in, uint32_t node, const char *const *names, bool is_time, gm_buffer *out) {
    const gm_tape_node *call = gm_match_node(in, node);
    if (call->kind != GM_TAPE_CALL || call->next == node + 2) {
        return false;
    }
    gm_text name = gm_match_text(in, node + 1);
    uint32_t dot = name.length;
    while (dot > 0 && name.bytes[dot - 1] != '.') {
        dot--;
    }
    unsigned long numbers[7] = {0};
    uint32_t count = 0;
    for (uint32_t item = node + 2; item < call->next; item++) {
        gm_text text = gm_match_text(in, item);
        if (count == 7 || gm_match_node(in, item)->kind != GM_TAPE_NUMBER || !is_whole(text) || text.length > 6 || text.bytes[0] == '-') {
            return false;
        }
        for (uint32_t i = 0; i < text.length; i++) {
            numbers[count] = numbers[count] * 10 + (unsigned long)(text.bytes[i] - '0');
        }
        count++;
    }
    if (!one_of((gm_text){name.bytes + dot, name.length - dot}, names) || (!is_time && count < 3) || (is_time && count > 4)) {
        return false;
    }
    const unsigned long *clock = is_time ? numbers : numbers + 3;
    if (!is_time) {
        gm_buffer_printf(out, "%04lu-%02lu-%02lu", numbers[0], numbers[1], numbers[2]);
    }
    if (!is_time && names[0][4] == '\0') {
        return count == 3; /* "date" */
    }
    gm_buffer_printf(out, "%s%02lu:%02lu:%02lu.%06lu", is_time ? "" : "T", clock[0], clock[1], clock[2], clock[3]);
    return true;
}

static gm_cost read_time(gm_match *in, const gm_meaning_type *type, uint32_t node, time_reader *read, const char *const *names,
                         bool is_time) {
    (void)gm_match_take_bounds(in);
    gm_buffer canonical;
    gm_buffer_init(&canonical, in->arena);
    gm_buffer call;
    gm_buffer_init(&call, in->arena);
    bool plain = true;
    gm_text text = gm_match_text(in, node);
    if (names != NULL && call_text(in, node, names, is_time, &call)) {
        text = (gm_text){call.bytes, (uint32_t)call.length};
    } else if (!is_textual(in, node)) {
        return gm_match_unexpected(in, type, node);
    }
    if (!read(text, &canonical, &plain)) {
        return gm_match_unexpected(in, type, node);
    }
    gm_cost cost = gm_match_node(in, node)->kind == GM_TAPE_WORD && !is_key(in, node) ? gm_match_repair(in, GM_REPAIR_BARE_TEXT, node) : 0;
    cost = plain ? cost : gm_match_add(cost, gm_match_repair(in, GM_REPAIR_DATE_SPELLING, node));
    gm_match_put_text(in, (gm_text){canonical.bytes, (uint32_t)canonical.length});
    return cost;
}

gm_cost gm_match_date(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const names[] = {"date", NULL};
    return read_time(in, type, node, gm_time_add_date, names, false);
}

gm_cost gm_match_datetime(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const names[] = {"datetime", NULL};
    return read_time(in, type, node, gm_time_add_datetime, names, false);
}

gm_cost gm_match_time(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    static const char *const names[] = {"time", NULL};
    return read_time(in, type, node, gm_time_add_time, names, true);
}

/* Microseconds as ISO 8601 has them, for readers of JSON. */
static void put_duration(gm_match *in, gm_text micros) {
    enum { LEAST = 7, ROOM = 32 };
    char digits[ROOM];
    bool negative = micros.bytes[0] == '-';
    uint32_t count = micros.length - negative;
    uint32_t zeros = count < LEAST ? LEAST - count : 0;
    memset(digits, '0', zeros);
    memcpy(digits + zeros, micros.bytes + negative, count);
    int whole = (int)(zeros + count - 6);
    gm_buffer_printf(in->out, "\"%sPT%.*s.%.6sS\"", negative ? "-" : "", whole, digits, digits + whole);
}

gm_cost gm_match_timedelta(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    gm_buffer *out = in->out;
    if (out == NULL) {
        return read_time(in, type, node, gm_time_add_duration, NULL, false);
    }
    gm_buffer micros;
    gm_buffer_init(&micros, in->arena);
    in->out = &micros;
    gm_cost cost = read_time(in, type, node, gm_time_add_duration, NULL, false);
    in->out = out;
    if (cost == GM_NO_FIT) {
        return cost;
    }
    gm_text digits = {micros.bytes + 1, (uint32_t)micros.length - 2};
    if (in->options.plain) {
        put_duration(in, digits);
    } else {
        gm_match_put(in, digits.bytes, digits.length);
    }
    return cost;
}
