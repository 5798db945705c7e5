#include "server/positions.h"

#include <string.h>

const char *const gm_units_names[GM_UNITS_COUNT] = {"utf-16", "utf-8", "utf-32"};

/* The units of the character that a byte starts; 0 for a byte that continues one. */
static uint32_t units_at(gm_encoding_units units, char byte) {
    unsigned char first = (unsigned char)byte;
    return (first & 0xC0) == 0x80 ? 0 : first >= 0xF0 && units == GM_UNITS_UTF16 ? 2 : 1;
}

uint32_t gm_units_of(gm_encoding_units units, const char *bytes, size_t size) {
    uint32_t count = 0;
    if (units == GM_UNITS_UTF8) {
        return (uint32_t)size;
    }
    for (size_t at = 0; at < size; at++) {
        count += units_at(units, bytes[at]);
    }
    return count;
}

/* Behind the end of the line that `at` is in; `*stop` is where its line end begins. */
static size_t next_line(const char *text, size_t size, size_t at, size_t *stop) {
    while (at < size && text[at] != '\n' && text[at] != '\r') {
        at++;
    }
    *stop = at;
    if (at == size) {
        return size;
    }
    return at + 1 < size && text[at] == '\r' && text[at + 1] == '\n' ? at + 2 : at + 1;
}

static size_t byte_in_line(const char *text, size_t at, size_t stop, uint32_t unit) {
    size_t wanted = stop - at > unit ? at + unit : stop;
    while (wanted > at && wanted < stop && ((unsigned char)text[wanted] & 0xC0) == 0x80) {
        wanted--;
    }
    return wanted;
}

static size_t unit_in_line(gm_encoding_units units, const char *text, size_t at, size_t stop, uint32_t unit) {
    uint32_t left = unit;
    while (at < stop) {
        uint32_t next = units_at(units, text[at]);
        if (next > 0 && next > left) {
            break;
        }
        left -= next;
        at++;
    }
    return at;
}

/* The start of the line in front of the one that starts at `at` > 0. */
static size_t previous_line(const char *text, size_t at) {
    at -= at > 1 && text[at - 1] == '\n' && text[at - 2] == '\r' ? 2 : 1;
    while (at > 0 && text[at - 1] != '\n' && text[at - 1] != '\r') {
        at--;
    }
    return at;
}

size_t gm_offset_from(gm_encoding_units units, const char *text, size_t size, gm_place_in place, gm_line_mark *mark) {
    size_t stop = 0;
    for (; mark->line > place.line; mark->line--) {
        mark->at = previous_line(text, mark->at);
    }
    size_t next = next_line(text, size, mark->at, &stop);
    for (; mark->line < place.line; mark->line++) {
        if (next == stop) {
            return size; /* no line end: the text has no more lines */
        }
        mark->at = next;
        next = next_line(text, size, mark->at, &stop);
    }
    return units == GM_UNITS_UTF8 ? byte_in_line(text, mark->at, stop, place.unit) : unit_in_line(units, text, mark->at, stop, place.unit);
}

size_t gm_offset_of(gm_encoding_units units, const char *text, size_t size, gm_place_in place) {
    gm_line_mark mark = {0, 0};
    return gm_offset_from(units, text, size, place, &mark);
}
