#include "meaning/times.h"

#include <string.h>

#include "base/utf8.h"

typedef struct cursor {
    gm_text text;
    uint32_t at;
} cursor;

static char peek(const cursor *in) {
    return in->at < in->text.length ? in->text.bytes[in->at] : '\0';
}

static bool take(cursor *in, char c) {
    bool found = peek(in) == c && in->at < in->text.length;
    in->at += found;
    return found;
}

/* From `least` to `most` digits. */
static bool take_number(cursor *in, uint32_t least, uint32_t most, int64_t *value) {
    uint32_t start = in->at;
    *value = 0;
    while (in->at - start < most && gm_utf8_is_digit(peek(in))) {
        *value = *value * 10 + (peek(in) - '0');
        in->at++;
    }
    return in->at - start >= least && !gm_utf8_is_digit(peek(in));
}

static bool at_end(const cursor *in) {
    return in->at == in->text.length;
}

static int64_t days_of_month(int64_t year, int64_t month) {
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

static bool add_day(int64_t year, int64_t month, int64_t day, gm_buffer *out) {
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) {
        return false;
    }
    gm_buffer_printf(out, "%04d-%02d-%02d", (int)year, (int)month, (int)day);
    return true;
}

/* YYYY-MM-DD; YYYY/MM/DD has one meaning too. */
static bool take_date(cursor *in, gm_buffer *out, bool *plain) {
    int64_t year = 0;
    int64_t month = 0;
    int64_t day = 0;
    if (!take_number(in, 4, 4, &year)) {
        return false;
    }
    char separator = peek(in);
    if (separator != '-' && separator != '/') {
        return false;
    }
    *plain &= separator == '-';
    in->at++;
    uint32_t start = in->at;
    bool taken = take_number(in, 1, 2, &month) && take(in, separator) && take_number(in, 1, 2, &day);
    *plain &= in->at - start == 5;
    return taken && add_day(year, month, day, out);
}

/* The name of a month at the cursor: three letters or all of them. */
static bool take_month(cursor *in, int64_t *month) {
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    uint32_t start = in->at;
    while ((peek(in) >= 'a' && peek(in) <= 'z') || (peek(in) >= 'A' && peek(in) <= 'Z')) {
        in->at++;
    }
    uint32_t length = in->at - start;
    for (int64_t i = 0; i < 12 && length >= 3; i++) {
        if (length != 3 && length != strlen(names[i])) {
            continue;
        }
        bool same = true;
        for (uint32_t c = 0; c < length; c++) {
            same &= (in->text.bytes[start + c] | 0x20) == names[i][c];
        }
        if (same) {
            *month = i + 1;
            return true;
        }
    }
    return false;
}

/* `31 January 2025`, `January 31, 2025`: the name of the month tells which number is which. */
static bool add_named_date(gm_text text, gm_buffer *out) {
    cursor in = {text, 0};
    int64_t year = 0;
    int64_t month = 0;
    int64_t day = 0;
    bool day_first = gm_utf8_is_digit(peek(&in));
    if (day_first) {
        return take_number(&in, 1, 2, &day) && take(&in, ' ') && take_month(&in, &month) && (take(&in, ','), take(&in, ' ')) &&
               take_number(&in, 4, 4, &year) && at_end(&in) && add_day(year, month, day, out);
    }
    return take_month(&in, &month) && take(&in, ' ') && take_number(&in, 1, 2, &day) && (take(&in, ','), take(&in, ' ')) &&
           take_number(&in, 4, 4, &year) && at_end(&in) && add_day(year, month, day, out);
}

bool gm_time_add_date(gm_text text, gm_buffer *out, bool *plain) {
    cursor in = {text, 0};
    size_t length = out->length;
    *plain = true;
    if (take_date(&in, out, plain) && at_end(&in)) {
        return true;
    }
    out->length = length;
    *plain = false;
    return add_named_date(text, out);
}

/* Up to six digits of a second's fraction; further ones only as zeros. */
static bool take_fraction(cursor *in, int64_t *micros) {
    *micros = 0;
    if (!take(in, '.') && !take(in, ',')) {
        return true;
    }
    uint32_t count = 0;
    for (; gm_utf8_is_digit(peek(in)); in->at++, count++) {
        if (count < 6) {
            *micros = *micros * 10 + (peek(in) - '0');
        } else if (peek(in) != '0') {
            return false;
        }
    }
    for (uint32_t i = count; i < 6; i++) {
        *micros *= 10;
    }
    return count > 0;
}

static bool take_offset(cursor *in, gm_buffer *out) {
    if (take(in, 'Z') || take(in, 'z')) {
        gm_buffer_add_text(out, "+00:00");
        return true;
    }
    char sign = peek(in);
    if (sign != '+' && sign != '-') {
        return true;
    }
    in->at++;
    int64_t hours = 0;
    int64_t minutes = 0;
    uint32_t start = in->at;
    int64_t together = 0;
    if (take_number(in, 4, 4, &together)) {
        hours = together / 100;
        minutes = together % 100;
    } else {
        in->at = start;
        if (!take_number(in, 2, 2, &hours) || (take(in, ':') && !take_number(in, 2, 2, &minutes))) {
            return false;
        }
    }
    gm_buffer_printf(out, "%c%02d:%02d", sign, (int)hours, (int)minutes);
    return hours < 24 && minutes < 60;
}

/* `am` or `pm` behind a time of twelve hours. */
static bool take_half(cursor *in, int64_t *hour, bool *plain) {
    cursor ahead = *in;
    take(&ahead, ' ');
    char half = (char)(peek(&ahead) | 0x20);
    if (half != 'a' && half != 'p') {
        return true;
    }
    ahead.at++;
    if ((peek(&ahead) | 0x20) != 'm' || *hour < 1 || *hour > 12) {
        return false;
    }
    ahead.at++;
    *in = ahead;
    *plain = false;
    *hour = *hour % 12 + (half == 'p' ? 12 : 0);
    return true;
}

static bool take_time(cursor *in, gm_buffer *out, bool *plain) {
    int64_t hour = 0;
    int64_t minute = 0;
    int64_t second = 0;
    int64_t micros = 0;
    uint32_t start = in->at;
    if (!take_number(in, 1, 2, &hour)) {
        return false;
    }
    *plain &= in->at - start == 2;
    if (!take(in, ':') || !take_number(in, 2, 2, &minute)) {
        return false;
    }
    if (take(in, ':')) {
        if (!take_number(in, 2, 2, &second) || !take_fraction(in, &micros)) {
            return false;
        }
    } else {
        *plain = false;
    }
    if (!take_half(in, &hour, plain) || hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    gm_buffer_printf(out, "%02d:%02d:%02d", (int)hour, (int)minute, (int)second);
    if (micros > 0) {
        gm_buffer_printf(out, ".%06d", (int)micros);
    }
    return take_offset(in, out);
}

bool gm_time_add_time(gm_text text, gm_buffer *out, bool *plain) {
    cursor in = {text, 0};
    size_t length = out->length;
    *plain = true;
    if (take_time(&in, out, plain) && at_end(&in)) {
        return true;
    }
    out->length = length;
    return false;
}

bool gm_time_add_datetime(gm_text text, gm_buffer *out, bool *plain) {
    cursor in = {text, 0};
    size_t length = out->length;
    *plain = true;
    if (take_date(&in, out, plain)) {
        bool mark = take(&in, 'T');
        gm_buffer_add_char(out, 'T');
        *plain &= mark;
        if ((mark || take(&in, ' ') || take(&in, 't')) && take_time(&in, out, plain) && at_end(&in)) {
            return true;
        }
    }
    out->length = length;
    return false;
}

enum { SECOND = 1000000 };
#define DAY (86400 * (int64_t)SECOND)
/* timedelta.max is 999,999,999 days, but 64 bits of microseconds end before; nobody means either. */
#define DAYS_LIMIT 50000000

/* One number with its letter: `2H`, `3.5S`. */
static bool take_part(cursor *in, bool behind_mark, unsigned *last, int64_t *micros) {
    static const struct {
        char letter;
        bool behind_mark;
        int64_t size;
    } parts[] = {{'W', false, 7 * DAY},
                 {'D', false, DAY},
                 {'H', true, 3600 * (int64_t)SECOND},
                 {'M', true, 60 * (int64_t)SECOND},
                 {'S', true, SECOND}};
    int64_t number = 0;
    int64_t fraction = 0;
    bool point = false;
    uint32_t start = in->at;
    while (in->at - start < 12 && gm_utf8_is_digit(peek(in))) {
        number = number * 10 + (peek(in) - '0');
        in->at++;
    }
    if (in->at == start || gm_utf8_is_digit(peek(in))) {
        return false;
    }
    point = peek(in) == '.' || peek(in) == ',';
    if (!take_fraction(in, &fraction)) {
        return false;
    }
    for (unsigned i = *last; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].letter == peek(in) && parts[i].behind_mark == behind_mark && (!point || parts[i].letter == 'S')) {
            if (number > DAYS_LIMIT * DAY / parts[i].size) {
                return false;
            }
            *micros += number * parts[i].size + fraction;
            *last = i + 1;
            in->at++;
            return *micros <= DAYS_LIMIT * DAY;
        }
    }
    return false;
}

static bool take_iso_duration(cursor *in, int64_t *micros) {
    bool mark = false;
    unsigned last = 0;
    unsigned parts = 0;
    if (!take(in, 'P')) {
        return false;
    }
    while (!at_end(in)) {
        if (!mark && take(in, 'T')) {
            mark = true;
            if (at_end(in)) {
                return false;
            }
        } else if (!take_part(in, mark, &last, micros)) {
            return false;
        }
        parts++;
    }
    return parts > 0;
}

/* `[D day[s], ]H:MM:SS[.ffffff]`, the text that Python prints, and `D day[s]` without a clock. */
static bool take_python_duration(cursor *in, int64_t *micros) {
    int64_t number = 0;
    int64_t minute = 0;
    int64_t second = 0;
    int64_t fraction = 0;
    if (!take_number(in, 1, 9, &number)) {
        return false;
    }
    if (take(in, ' ')) {
        cursor rest = {{in->text.bytes + in->at, in->text.length - in->at}, 0};
        if (number > DAYS_LIMIT || rest.text.length < 3 || memcmp(rest.text.bytes, "day", 3) != 0) {
            return false;
        }
        rest.at = 3;
        take(&rest, 's');
        *micros += number * DAY;
        in->at += rest.at;
        if (at_end(in)) {
            return true;
        }
        if (!take(in, ',') || !take(in, ' ') || !take_number(in, 1, 2, &number)) {
            return false;
        }
    }
    if (!take(in, ':') || !take_number(in, 2, 2, &minute) || !take(in, ':') || !take_number(in, 2, 2, &second) ||
        !take_fraction(in, &fraction) || number > 100000 || minute > 59 || second > 59) {
        return false;
    }
    *micros += (number * 3600 + minute * 60 + second) * SECOND + fraction;
    return at_end(in);
}

bool gm_time_add_duration(gm_text text, gm_buffer *out, bool *plain) {
    cursor in = {text, 0};
    int64_t micros = 0;
    bool negative = take(&in, '-');
    *plain = peek(&in) == 'P';
    bool taken = *plain ? take_iso_duration(&in, &micros) : !negative && take_python_duration(&in, &micros);
    if (!taken || !at_end(&in) || micros / DAY > DAYS_LIMIT) {
        return false;
    }
    gm_buffer_printf(out, "%s%lld", negative && micros > 0 ? "-" : "", (long long)micros);
    return true;
}
