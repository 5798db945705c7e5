#include "driver/add_ignore.h"

#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "rules/suppress.h"

typedef struct gm_silencer {
    gm_arena *arena;
    const gm_checked *checked;
    const gm_suppressions *comments;
    gm_ignores_added result;
} silencer;

/* A finding by the line that its comment goes to; 0: none can hold it. */
typedef struct silent_place {
    uint32_t line;
    const char *code;
} silent_place;

/* Whether a comment can stand at the end of a line: it does not end inside a token (a string), nor with a line join. */
static bool can_hold(const silencer *state, uint32_t line) {
    const gm_source *source = state->checked->source;
    const gm_tree *tree = state->checked->analysis->tree;
    uint32_t end = gm_source_line_end(source, line);
    uint32_t behind = gm_token_at(tree, end);
    bool inside = behind > 0 && tree->tokens[behind - 1].end > end;
    if (inside || end == 0 || source->text[end - 1] != '\\') {
        return !inside;
    }
    uint32_t start = source->line_starts[line - 1];
    gm_work(state->arena, 1 + (end - start) / sizeof(uint64_t));
    return memchr(source->text + start, '#', end - start) != NULL;
}

/* The comment of ours on a line that lists codes, or NULL. */
static const gm_suppression *list_on(const silencer *state, uint32_t line) {
    const gm_source *source = state->checked->source;
    for (uint32_t i = gm_suppress_at(state->comments, line);
         i < state->comments->lines.count && state->comments->lines.items[i].line == line; i++) {
        const gm_suppression *one = &state->comments->lines.items[i];
        if (!one->noqa && one->codes != NULL && source->text[one->end - 1] == ']') {
            return one;
        }
    }
    return NULL;
}

static uint32_t line_of(const silencer *state, const gm_entry *entry) {
    uint32_t last = gm_source_position(state->checked->source, entry->line_end).line;
    uint32_t first = gm_source_position(state->checked->source, entry->site).line;
    return can_hold(state, last) ? last : can_hold(state, first) ? first : 0;
}

static bool is_silenceable(const gm_entry *entry) {
    return entry->rule != NULL && entry->rule != &gm_rule_unused_suppression;
}

static int compare_places(const void *left, const void *right) {
    const silent_place *a = left;
    const silent_place *b = right;
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    return strcmp(a->code, b->code);
}

/* The codes of the places on one line, "GM101, GM301", each once. */
static const char *codes_of(gm_arena *arena, const silent_place *places, uint32_t count) {
    gm_buffer codes;
    gm_buffer_init(&codes, arena);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(places[i].code, places[i - 1].code) != 0) {
            gm_buffer_printf(&codes, "%s%s", codes.length == 0 ? "" : ", ", places[i].code);
        }
    }
    return gm_buffer_text(&codes);
}

static void silence(silencer *state, const silent_place *places, uint32_t count) {
    const gm_suppression *list = list_on(state, places->line);
    uint32_t at = list != NULL ? list->end - 1 : gm_source_line_end(state->checked->source, places->line);
    gm_edit edit = {.start = at, .end = at};
    gm_edit_add(state->arena, &edit.text, list != NULL ? ", " : "  # graphmend: ignore[");
    gm_edit_add(state->arena, &edit.text, codes_of(state->arena, places, count));
    gm_edit_add(state->arena, &edit.text, list != NULL ? "" : "]");
    gm_vec_push(state->arena, &state->result.edits.items, edit); /* lines come in order, one edit each */
    state->result.added += count;
}

gm_ignores_added gm_add_ignore(gm_arena *arena, const gm_checked *checked) {
    silencer state = {.arena = arena, .checked = checked};
    GM_VEC(silent_place) places = {0};
    if (checked->analysis == NULL) {
        return state.result;
    }
    state.comments = gm_suppress_read(arena, checked->analysis->tree);
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        if (is_silenceable(entry)) {
            silent_place one = {line_of(&state, entry), entry->rule->code};
            gm_vec_push(arena, &places, one);
        }
    }
    if (places.count > 0) {
        qsort(places.items, places.count, sizeof *places.items, compare_places);
    }
    uint32_t at = 0;
    while (at < places.count && places.items[at].line == 0) {
        at++;
    }
    state.result.left = at;
    for (uint32_t next = at; at < places.count; at = next) {
        while (next < places.count && places.items[next].line == places.items[at].line) {
            next++;
        }
        silence(&state, &places.items[at], next - at);
    }
    return state.result;
}
