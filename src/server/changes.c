#include "server/changes.h"

#include <string.h>

static void add_edit(gm_call *call, const gm_view *view, const gm_replacement *edit) {
    gm_buffer_add_text(&call->out, "{\"range\": ");
    gm_view_add_range(&call->out, view, call->server->client.units, edit->start, edit->end);
    gm_buffer_add_text(&call->out, ", \"newText\": ");
    gm_buffer_add_json(&call->out, edit->text, strlen(edit->text));
    gm_buffer_add_char(&call->out, '}');
}

static void begin_document(gm_call *call, const gm_document *document, bool versioned) {
    gm_buffer *out = &call->out;
    gm_buffer_add_text(out, versioned ? "{\"textDocument\": {\"uri\": " : "");
    gm_buffer_add_json(out, document->uri, strlen(document->uri));
    if (versioned) {
        gm_buffer_printf(out, ", \"version\": %lld}, \"edits\": [", (long long)document->version);
    } else {
        gm_buffer_add_text(out, ": [");
    }
}

/* Edits are in order of position, so those of a document follow one another. */
void gm_changes_add(gm_call *call, const gm_view *view, const gm_replacements *edits) {
    bool versioned = call->server->client.versioned_edits;
    gm_encoding_units units = call->server->client.units;
    const gm_section *last = NULL;
    gm_buffer_add_text(&call->out, versioned ? "{\"documentChanges\": [" : "{\"changes\": {");
    for (uint32_t i = 0; i < edits->items.count; i++) {
        gm_place_in place;
        const gm_section *section = gm_view_locate(view, units, edits->items.items[i].start, &place);
        if (section != last) {
            gm_buffer_add_text(&call->out, last == NULL ? "" : versioned ? "]}, " : "], ");
            begin_document(call, section->document, versioned);
            last = section;
        } else {
            gm_buffer_add_text(&call->out, ", ");
        }
        add_edit(call, view, &edits->items.items[i]);
    }
    gm_buffer_add_text(&call->out, last == NULL ? "" : versioned ? "]}" : "]");
    gm_buffer_add_text(&call->out, versioned ? "]}" : "}}");
}

/* How many bytes of whole lines two texts begin with. */
static size_t same_start(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t at = 0;
    size_t lines = 0;
    while (at < a_size && at < b_size && a[at] == b[at]) {
        at++;
        lines = a[at - 1] == '\n' ? at : lines;
    }
    return lines;
}

static bool starts_line(const char *text, size_t at) {
    return at == 0 || text[at - 1] == '\n';
}

/* The same of their ends, where both begin with a line. */
static size_t same_end(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t most = a_size < b_size ? a_size : b_size;
    size_t lines = 0;
    for (size_t at = 1; at <= most && a[a_size - at] == b[b_size - at]; at++) {
        lines = starts_line(a, a_size - at) && starts_line(b, b_size - at) ? at : lines;
    }
    return lines;
}

static void add_difference(gm_arena *arena, gm_replacements *all, const char *old, gm_replacement range, const char *new, size_t size) {
    size_t length = range.end - range.start;
    size_t start = same_start(old + range.start, length, new, size);
    size_t end = same_end(old + range.start + start, length - start, new + start, size - start);
    if (start + end == length && length == size) {
        return;
    }
    range.text = gm_arena_copy(arena, new + start, size - start - end);
    range.end -= (uint32_t)end;
    range.start += (uint32_t)start;
    gm_vec_push(arena, &all->items, range);
}

const gm_replacements *gm_changes_between(gm_arena *arena, const gm_view *view, const char *text, size_t size, const gm_cells *cells) {
    gm_replacements *all = GM_NEW(arena, gm_replacements);
    size_t mark = view->sections[0].skipped;
    const char *old = view->text + mark; /* not as Python alone has it: lines of a notebook that are none stand as they are */
    if (cells == NULL) {
        add_difference(arena, all, old, (gm_replacement){0, (uint32_t)(view->size - mark), NULL}, text + mark, size - mark);
    }
    for (uint32_t i = 0; cells != NULL && i < cells->items.count && i < view->count; i++) {
        const gm_cell *cell = &cells->items.items[i];
        gm_replacement range = {view->sections[i].start, view->sections[i].end, NULL};
        add_difference(arena, all, old, range, text + cell->start, cell->end - cell->start);
    }
    return all;
}
