#include "mend/edits.h"

#include <assert.h>
#include <string.h>

#include "base/search.h"
#include "syntax/decode.h"

void gm_edit_add(gm_arena *arena, gm_edit_text *text, const char *ascii) {
    gm_edit_piece piece = {.ascii = ascii};
    gm_vec_push(arena, &text->pieces, piece);
}

void gm_edit_add_source(gm_arena *arena, gm_edit_text *text, uint32_t start, uint32_t end) {
    gm_edit_piece piece = {.start = start, .end = end};
    gm_vec_push(arena, &text->pieces, piece);
}

uint32_t gm_edit_length(const gm_edit_text *text) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < text->pieces.count; i++) {
        const gm_edit_piece *piece = &text->pieces.items[i];
        length += piece->ascii != NULL ? (uint32_t)strlen(piece->ascii) : piece->end - piece->start;
    }
    return length;
}

/* The first edit that ends behind a place. */
static uint32_t first_behind(const gm_edits *edits, uint32_t place) {
    uint32_t low = 0;
    for (uint32_t high = edits->items.count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (edits->items.items[middle].end <= place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool gm_edits_touch(const gm_edits *edits, uint32_t start, uint32_t end) {
    uint32_t first = first_behind(edits, start);
    return first < edits->items.count && edits->items.items[first].start < end;
}

/* Two insertions at one place have no order that would be right by itself. */
static bool collides(const gm_edits *edits, const gm_edit *edit) {
    if (gm_edits_touch(edits, edit->start, edit->end)) {
        return true;
    }
    bool found = false;
    for (uint32_t i = first_behind(edits, edit->start); edit->start == edit->end && !found && i > 0; i--) {
        const gm_edit *other = &edits->items.items[i - 1];
        if (other->end < edit->start) {
            break;
        }
        found = other->start == other->end;
    }
    return found;
}

/* An insertion goes in front of what is replaced at its place. */
static bool is_behind(const gm_edit *edit, const gm_edit *other) {
    return edit->start > other->start || (edit->start == other->start && edit->end > other->end);
}

bool gm_edits_add(gm_arena *arena, gm_edits *edits, gm_edit edit) {
    if (collides(edits, &edit)) {
        return false;
    }
    gm_vec_push(arena, &edits->items, edit);
    for (uint32_t at = edits->items.count - 1; at > 0 && is_behind(&edits->items.items[at - 1], &edit); at--) {
        edits->items.items[at] = edits->items.items[at - 1];
        edits->items.items[at - 1] = edit;
    }
    return true;
}

/* Whether an edit begins in front of another one, and ends there. */
static bool precedes(const gm_edit *edit, const gm_edit *other) {
    return edit->end <= other->start && !(edit->start == other->start && edit->end == other->end);
}

void gm_edits_merge(gm_arena *arena, gm_edits *edits, const gm_edits *others) {
    gm_edits merged = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < others->items.count; i++) {
        const gm_edit *other = &others->items.items[i];
        while (at < edits->items.count && precedes(&edits->items.items[at], other)) {
            gm_vec_push(arena, &merged.items, edits->items.items[at]);
            at++;
        }
        if (at == edits->items.count || precedes(other, &edits->items.items[at])) {
            gm_vec_push(arena, &merged.items, *other);
        }
    }
    for (; at < edits->items.count; at++) {
        gm_vec_push(arena, &merged.items, edits->items.items[at]);
    }
    *edits = merged;
}

bool gm_edits_verify(const gm_edits *edits, uint32_t length) {
    uint32_t behind = 0;
    for (uint32_t i = 0; i < edits->items.count; i++) {
        const gm_edit *edit = &edits->items.items[i];
        if (edit->start < behind || edit->end < edit->start || edit->end > length) {
            return false;
        }
        behind = edit->end;
    }
    return true;
}

static void add_text(gm_buffer *out, const gm_source *source, const gm_edit_text *text) {
    for (uint32_t i = 0; i < text->pieces.count; i++) {
        const gm_edit_piece *piece = &text->pieces.items[i];
        if (piece->ascii != NULL) {
            gm_buffer_add_text(out, piece->ascii);
        } else {
            gm_decode_add_original(out, source, piece->start, piece->end);
        }
    }
}

void gm_edit_write(const gm_edit_text *text, const gm_source *source, gm_buffer *out) {
    for (uint32_t i = 0; i < text->pieces.count; i++) {
        const gm_edit_piece *piece = &text->pieces.items[i];
        if (piece->ascii != NULL) {
            gm_buffer_add_text(out, piece->ascii);
        } else {
            gm_buffer_add(out, source->text + piece->start, piece->end - piece->start);
        }
    }
}

void gm_edits_apply(const gm_edits *edits, const gm_source *source, gm_buffer *out) {
    assert(gm_edits_verify(edits, source->length));
    uint32_t at = 0;
    gm_buffer_add(out, source->bytes, source->text_offset);
    for (uint32_t i = 0; i < edits->items.count; i++) {
        const gm_edit *edit = &edits->items.items[i];
        gm_decode_add_original(out, source, at, edit->start);
        add_text(out, source, &edit->text);
        at = edit->end;
    }
    gm_decode_add_original(out, source, at, source->length);
}
