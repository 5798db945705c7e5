#include "driver/add_ignore.h"

#include <string.h>

#include "driver/suppress.h"

typedef struct gm_silencer {
    gm_arena *arena;
    const gm_checked *checked;
    const gm_suppressions *comments;
    gm_silenced result;
} silencer;

/* The offset behind the last character of a line. */
static uint32_t end_of_line(const gm_source *source, uint32_t line) {
    uint32_t start = source->line_starts[line - 1];
    uint32_t end = line < source->line_count ? source->line_starts[line] : source->length;
    while (end > start && (source->text[end - 1] == '\n' || source->text[end - 1] == '\r')) {
        end--;
    }
    return end;
}

/* Whether a comment can stand at the end of a line: it does not end inside a token (a string), nor with a line join. */
static bool can_hold(const silencer *state, uint32_t line) {
    const gm_source *source = state->checked->source;
    const gm_tree *tree = state->checked->analysis->tree;
    uint32_t end = end_of_line(source, line);
    uint32_t low = 0;
    uint32_t high = tree->token_count;
    while (low < high) { /* the first token that ends behind the line */
        uint32_t middle = low + (high - low) / 2;
        if (tree->tokens[middle].end <= end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool inside = low < tree->token_count && tree->tokens[low].start < end;
    const char *hash = memchr(source->text + source->line_starts[line - 1], '#', end - source->line_starts[line - 1]);
    bool joined = end > 0 && source->text[end - 1] == '\\' && hash == NULL;
    return !inside && !joined;
}

/* The comment of ours on a line that lists codes, or NULL. */
static const gm_suppression *list_on(const silencer *state, uint32_t line) {
    const gm_source *source = state->checked->source;
    for (uint32_t i = 0; i < state->comments->lines.count; i++) {
        const gm_suppression *one = &state->comments->lines.items[i];
        if (one->line == line && !one->noqa && one->codes != NULL && source->text[one->end - 1] == ']') {
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

/* The codes of all entries for a line, "GM101, GM301", each once, in order of the entries. */
static const char *codes_of(silencer *state, uint32_t line) {
    gm_buffer codes;
    gm_buffer_init(&codes, state->arena);
    for (uint32_t i = 0; i < state->checked->entries.count; i++) {
        const gm_entry *entry = &state->checked->entries.items[i];
        if (is_silenceable(entry) && line_of(state, entry) == line && strstr(gm_buffer_text(&codes), entry->rule->code) == NULL) {
            gm_buffer_printf(&codes, "%s%s", codes.length == 0 ? "" : ", ", entry->rule->code);
        }
    }
    return gm_buffer_text(&codes);
}

static void silence(silencer *state, uint32_t line) {
    const gm_suppression *list = list_on(state, line);
    uint32_t at = list != NULL ? list->end - 1 : end_of_line(state->checked->source, line);
    if (gm_edits_touch(&state->result.edits, at, at + 1)) {
        return;
    }
    gm_edit edit = {.start = at, .end = at};
    gm_edit_add(state->arena, &edit.text, list != NULL ? ", " : "  # graphmend: ignore[");
    gm_edit_add(state->arena, &edit.text, codes_of(state, line));
    gm_edit_add(state->arena, &edit.text, list != NULL ? "" : "]");
    (void)gm_edits_add(state->arena, &state->result.edits, edit); /* a line that has its comment is refused */
}

gm_silenced gm_add_ignore(gm_arena *arena, const gm_checked *checked) {
    silencer state = {.arena = arena, .checked = checked};
    if (checked->analysis == NULL) {
        return state.result;
    }
    state.comments = gm_suppress_read(arena, checked->analysis->tree);
    for (uint32_t i = 0; i < checked->entries.count; i++) {
        const gm_entry *entry = &checked->entries.items[i];
        uint32_t line = is_silenceable(entry) ? line_of(&state, entry) : 0;
        if (line > 0) {
            silence(&state, line);
            state.result.added++;
        } else if (is_silenceable(entry)) {
            state.result.left++;
        }
    }
    return state.result;
}
