#include "server/input.h"

#include <string.h>

#include "base/utf8.h"

static const gm_tape_node *node_at(const gm_input *input, uint32_t value) {
    return &input->tape.nodes.items[value];
}

bool gm_input_read(gm_input *input, gm_arena *arena, const char *bytes, size_t size) {
    *input = (gm_input){.arena = arena};
    if (gm_utf8_check(bytes, size) != size) {
        return false;
    }
    gm_tape *tape = &input->tape;
    gm_tape_init(tape, arena, true);
    gm_tape_feed(tape, bytes, size);
    gm_tape_finish(tape);
    bool whole = tape->trouble.message == NULL && tape->candidates.count == 1 && !tape->candidates.items[0].broken &&
                 !tape->candidates.items[0].open;
    return whole && tape->nodes.items[0].kind == GM_TAPE_OBJECT;
}

bool gm_input_is(const gm_input *input, uint32_t value, gm_tape_kind kind) {
    return value != GM_INPUT_NONE && node_at(input, value)->kind == kind;
}

bool gm_input_true(const gm_input *input, uint32_t value) {
    return gm_input_is(input, value, GM_TAPE_TRUE);
}

static uint32_t member(const gm_input *input, uint32_t object, const char *name, size_t length) {
    if (!gm_input_is(input, object, GM_TAPE_OBJECT)) {
        return GM_INPUT_NONE;
    }
    uint32_t end = node_at(input, object)->next;
    for (uint32_t key = object + 1; key < end; key = node_at(input, key + 1)->next) {
        const gm_tape_node *found = node_at(input, key);
        if (found->end - found->start == length && memcmp(input->tape.text + found->start, name, length) == 0) {
            return key + 1;
        }
    }
    return GM_INPUT_NONE;
}

uint32_t gm_input_member(const gm_input *input, uint32_t object, const char *name) {
    return member(input, object, name, strlen(name));
}

uint32_t gm_input_path(const gm_input *input, uint32_t object, const char *names) {
    for (;;) {
        size_t length = strcspn(names, ".");
        object = member(input, object, names, length);
        if (names[length] == '\0') {
            return object;
        }
        names += length + 1;
    }
}

uint32_t gm_input_next(const gm_input *input, uint32_t list, uint32_t item) {
    if (!gm_input_is(input, list, GM_TAPE_LIST)) {
        return GM_INPUT_NONE;
    }
    uint32_t next = item == GM_INPUT_NONE ? list + 1 : node_at(input, item)->next;
    return next < node_at(input, list)->next ? next : GM_INPUT_NONE;
}

/* A lone surrogate has three bytes, and so has U+FFFD. */
static void replace_surrogates(gm_buffer *text) {
    for (size_t at = gm_utf8_check(text->bytes, text->length); at < text->length;
         at += gm_utf8_check(text->bytes + at, text->length - at)) {
        size_t left = text->length - at;
        memcpy(text->bytes + at, "\xef\xbf\xbd", left < 3 ? left : 3);
    }
}

const char *gm_input_text(const gm_input *input, uint32_t value, size_t *size) {
    if (!gm_input_is(input, value, GM_TAPE_STRING)) {
        return NULL;
    }
    gm_buffer text;
    gm_buffer_init(&text, input->arena);
    gm_tape_add_text(&input->tape, node_at(input, value), &text);
    (void)gm_buffer_text(&text);
    replace_surrogates(&text);
    if (size != NULL) {
        *size = text.length;
        return text.bytes;
    }
    return memchr(text.bytes, '\0', text.length) == NULL ? text.bytes : NULL;
}

bool gm_input_says(const gm_input *input, uint32_t value, const char *text) {
    const char *found = gm_input_text(input, value, NULL);
    return found != NULL && strcmp(found, text) == 0;
}

bool gm_input_number(const gm_input *input, uint32_t value, uint32_t *number) {
    *number = 0;
    if (!gm_input_is(input, value, GM_TAPE_NUMBER)) {
        return false;
    }
    const gm_tape_node *node = node_at(input, value);
    uint64_t sum = 0;
    for (uint32_t at = node->start; at < node->end; at++) {
        if (!gm_utf8_is_digit(input->tape.text[at])) {
            return false;
        }
        sum = sum >= UINT32_MAX ? UINT32_MAX : sum * 10 + (uint64_t)(input->tape.text[at] - '0');
    }
    *number = sum >= UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    return true;
}

const char *gm_input_raw(const gm_input *input, uint32_t value) {
    bool string = gm_input_is(input, value, GM_TAPE_STRING);
    if (!string && !gm_input_is(input, value, GM_TAPE_NUMBER)) {
        return NULL;
    }
    const gm_tape_node *node = node_at(input, value);
    uint32_t start = node->start - string;
    return gm_arena_copy(input->arena, input->tape.text + start, node->end + string - start);
}
