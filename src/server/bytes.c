#include "server/bytes.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(gm_bytes *held, size_t size) {
    if (size <= held->room) {
        return true;
    }
    size_t room = held->room < 128 ? 256 : held->room + held->room / 2;
    room = room < size ? size : room;
    char *bytes = realloc(held->bytes, room);
    if (bytes == NULL) {
        return false;
    }
    held->bytes = bytes;
    held->room = room;
    return true;
}

bool gm_bytes_replace(gm_bytes *held, size_t start, size_t end, const char *bytes, size_t size) {
    size_t rest = held->size - end;
    if (!reserve(held, start + size + rest)) {
        return false;
    }
    if (rest > 0) {
        memmove(held->bytes + start + size, held->bytes + end, rest);
    }
    if (size > 0) {
        memcpy(held->bytes + start, bytes, size);
    }
    held->size = start + size + rest;
    return true;
}

bool gm_bytes_add(gm_bytes *held, const char *bytes, size_t size) {
    return gm_bytes_replace(held, held->size, held->size, bytes, size);
}

void gm_bytes_drop(gm_bytes *held, size_t count) {
    (void)gm_bytes_replace(held, 0, count, NULL, 0); /* what shrinks takes no memory */
}

void gm_bytes_free(gm_bytes *held) {
    free(held->bytes);
    *held = (gm_bytes){0};
}

char *gm_bytes_copy(const char *bytes, size_t size) {
    char *copy = malloc(size + 1);
    if (copy != NULL) {
        if (size > 0) {
            memcpy(copy, bytes, size);
        }
        copy[size] = '\0';
    }
    return copy;
}
