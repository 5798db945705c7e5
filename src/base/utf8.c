#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static int is_tail(unsigned char byte) {
    return (byte & 0xC0U) == 0x80U;
}

size_t gm_utf8_decode(const char *bytes, size_t length, uint32_t *code) {
    const unsigned char *at = (const unsigned char *)bytes;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    if (at[0] >= 0xC2 && at[0] < 0xE0) {
        if (length < 2 || !is_tail(at[1])) {
            return 0;
        }
        *code = (uint32_t)(at[0] & 0x1FU) << 6 | (at[1] & 0x3FU);
        return 2;
    }
    if (at[0] >= 0xE0 && at[0] < 0xF0) {
        if (length < 3 || !is_tail(at[1]) || !is_tail(at[2])) {
            return 0;
        }
        *code = (uint32_t)(at[0] & 0x0FU) << 12 | (uint32_t)(at[1] & 0x3FU) << 6 | (at[2] & 0x3FU);
        return *code < 0x800 || (*code >= 0xD800 && *code < 0xE000) ? 0 : 3;
    }
    if (at[0] >= 0xF0 && at[0] < 0xF5) {
        if (length < 4 || !is_tail(at[1]) || !is_tail(at[2]) || !is_tail(at[3])) {
            return 0;
        }
        *code = (uint32_t)(at[0] & 0x07U) << 18 | (uint32_t)(at[1] & 0x3FU) << 12 | (uint32_t)(at[2] & 0x3FU) << 6 | (at[3] & 0x3FU);
        return *code < 0x10000 || *code > 0x10FFFF ? 0 : 4;
    }
    return 0;
}

size_t gm_utf8_encode(uint32_t code, char *bytes) {
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        bytes[0] = (char)(0xC0U | code >> 6);
        bytes[1] = (char)(0x80U | (code & 0x3FU));
        return 2;
    }
    if (code < 0x10000) {
        bytes[0] = (char)(0xE0U | code >> 12);
        bytes[1] = (char)(0x80U | (code >> 6 & 0x3FU));
        bytes[2] = (char)(0x80U | (code & 0x3FU));
        return 3;
    }
    bytes[0] = (char)(0xF0U | code >> 18);
    bytes[1] = (char)(0x80U | (code >> 12 & 0x3FU));
    bytes[2] = (char)(0x80U | (code >> 6 & 0x3FU));
    bytes[3] = (char)(0x80U | (code & 0x3FU));
    return 4;
}

/* Whether all bytes of a block are ASCII. */
enum { BLOCK = 32 };
static bool is_ascii(const char *bytes) {
    uint64_t words[BLOCK / 8];
    memcpy(words, bytes, BLOCK);
    return ((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080U) == 0;
}

size_t gm_utf8_check(const char *bytes, size_t length) {
    size_t at = 0;
    while (at < length) {
        if (length - at >= BLOCK && is_ascii(bytes + at)) {
            at += BLOCK;
            continue;
        }
        uint32_t code = 0;
        size_t size = gm_utf8_decode(bytes + at, length - at, &code);
        if (size == 0) {
            return at;
        }
        at += size;
    }
    return length;
}

bool gm_utf8_is_hidden(uint32_t code) {
    static const struct {
        uint32_t first;
        uint32_t last;
    } hidden[] = {{0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},  {0x17B4, 0x17B5}, {0x180B, 0x180F},
                  {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},  {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},
                  {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
    bool found = false;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && code >= hidden[i].first; i++) {
        found = code <= hidden[i].last;
    }
    return found;
}
