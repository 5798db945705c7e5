#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "syntax/literal.h"

/* The digits without underscores, NUL-terminated. */
static char *without_underscores(gm_arena *arena, const char *digits, size_t length) {
    char *plain = gm_arena_alloc(arena, length + 1);
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] != '_') {
            plain[count++] = digits[i];
        }
    }
    plain[count] = '\0';
    return plain;
}

static unsigned digit_value(char digit) {
    return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)((digit | 0x20) - 'a') + 10U;
}

/* Number in base 10**9, least significant limb first. */
typedef GM_VEC(uint32_t) limbs;

enum { LIMB = 1000000000, LIMB_DIGITS = 9 };

static void multiply_add(gm_arena *arena, limbs *number, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (uint32_t i = 0; i < number->count; i++) {
        uint64_t value = (uint64_t)number->items[i] * factor + carry;
        number->items[i] = (uint32_t)(value % LIMB);
        carry = value / LIMB;
    }
    while (carry > 0) {
        gm_vec_push(arena, number, (uint32_t)(carry % LIMB));
        carry /= LIMB;
    }
}

static void put_limbs(const limbs *number, gm_buffer *out) {
    if (number->count == 0) {
        gm_buffer_add_char(out, '0');
        return;
    }
    gm_buffer_add_unsigned(out, number->items[number->count - 1]);
    for (uint32_t i = number->count - 1; i-- > 0;) {
        char digits[LIMB_DIGITS];
        uint32_t value = number->items[i];
        for (int at = LIMB_DIGITS - 1; at >= 0; at--) {
            digits[at] = (char)('0' + value % 10);
            value /= 10;
        }
        gm_buffer_add(out, digits, LIMB_DIGITS);
    }
}

/* Digits of a power-of-two base, several at a time: quadratic in their number, which source code keeps small. */
static void convert_base(gm_arena *arena, const char *digits, unsigned bits, gm_buffer *out) {
    limbs number = {0};
    unsigned at_once = 28 / bits;
    while (*digits != '\0') {
        uint32_t chunk = 0;
        unsigned count = 0;
        for (; count < at_once && *digits != '\0'; count++) {
            chunk = chunk << bits | digit_value(*digits++);
        }
        multiply_add(arena, &number, 1U << (bits * count), chunk);
    }
    put_limbs(&number, out);
}

void gm_literal_int_decimal(gm_arena *arena, const char *digits, size_t length, gm_buffer *out) {
    char *plain = without_underscores(arena, digits, length);
    char base = plain[0] == '0' ? (char)(plain[1] | 0x20) : '\0';
    if (base == 'x') {
        convert_base(arena, plain + 2, 4, out);
    } else if (base == 'o') {
        convert_base(arena, plain + 2, 3, out);
    } else if (base == 'b') {
        convert_base(arena, plain + 2, 1, out);
    } else {
        while (plain[0] == '0' && plain[1] != '\0') {
            plain++;
        }
        gm_buffer_add_text(out, plain);
    }
}

/* Add one to the last digit of `D.DDDe+XX`; a carry out of the first digit is not needed by the caller. */
static void increment(char *text) {
    char *at = strchr(text, 'e');
    while (at-- > text) {
        if (*at == '.') {
            continue;
        }
        if (*at != '9') {
            (*at)++;
            return;
        }
        *at = '0';
    }
}

/* Shortest digits that read back as the same double, as `D.DDDe+XX`. At a tie the rounded digits may read back as the
 * neighbour where the next larger ones do not. */
static void shortest(double value, char *text, size_t size) {
    for (int precision = 0; precision < 17; precision++) {
        (void)snprintf(text, size, "%.*e", precision, value);
        if (strtod(text, NULL) == value) {
            return;
        }
        increment(text);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

/* `count` digits with the decimal point `point` digits from their start, zeros filled in. */
static void put_fixed(gm_buffer *out, const char *digits, int count, int point, bool bare) {
    if (point <= 0) {
        gm_buffer_add_text(out, "0.");
        for (int i = point; i < 0; i++) {
            gm_buffer_add_char(out, '0');
        }
        gm_buffer_add(out, digits, (size_t)count);
        return;
    }
    for (int i = 0; i < point || i < count; i++) {
        if (i == point) {
            gm_buffer_add_char(out, '.');
        }
        gm_buffer_add_char(out, i < count ? digits[i] : '0');
    }
    if (count <= point && !bare) {
        gm_buffer_add_text(out, ".0");
    }
}

static void put_scientific(gm_buffer *out, const char *digits, int count, int exponent) {
    gm_buffer_add_char(out, digits[0]);
    if (count > 1) {
        gm_buffer_add_char(out, '.');
        gm_buffer_add(out, digits + 1, (size_t)count - 1);
    }
    gm_buffer_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

void gm_literal_float_repr(gm_arena *arena, const char *digits, size_t length, bool bare, gm_buffer *out) {
    enum { SMALLEST_FIXED = -4, LARGEST_FIXED = 16 };
    double value = strtod(without_underscores(arena, digits, length), NULL);
    if (isinf(value)) {
        gm_buffer_add_text(out, "inf");
        return;
    }
    char text[40];
    shortest(value, text, sizeof text);
    int exponent = atoi(strchr(text, 'e') + 1);
    char plain[24];
    int count = 0;
    for (const char *at = text; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') {
            plain[count++] = *at;
        }
    }
    if (exponent >= SMALLEST_FIXED && exponent < LARGEST_FIXED) {
        put_fixed(out, plain, count, exponent + 1, bare);
    } else {
        put_scientific(out, plain, count, exponent);
    }
}
