#include "driver/notebook.h"

#include <string.h>

#include "driver/json_text.h"
#include "driver/notebook_lines.h"

bool gm_notebook_is(const char *path) {
    size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".ipynb") == 0;
}

/* ---- Reading ---- */

typedef struct reading {
    gm_arena *arena;
    gm_notebook *notebook;
    gm_buffer text;
    bool has_cells;
    bool other_language;
    /* of the cell that is being read */
    uint32_t number;
    bool is_code;
    const char *source;
    /* lines of the notebook up to `counted` */
    const char *counted;
    uint32_t line;
} reading;

static uint32_t line_of(reading *state, const char *at) {
    for (; state->counted < at; state->counted++) {
        state->line += *state->counted == '\n';
    }
    return state->line;
}

/* A piece of a source; every line that begins in it stands where the piece stands. */
static bool read_piece(gm_json_text *json, void *context) {
    reading *state = context;
    (void)gm_json_text_peek(json);
    uint32_t line = line_of(state, json->at);
    bool begins = state->text.bytes[state->text.length - 1] == '\n';
    size_t start = state->text.length;
    if (!gm_json_text_string(json, &state->text)) {
        return false;
    }
    for (size_t i = start; i < state->text.length; i++) {
        if (begins) {
            gm_vec_push(state->arena, &state->notebook->lines, line);
        }
        begins = state->text.bytes[i] == '\n';
    }
    return true;
}

static bool read_source(reading *state, gm_json_text *json) {
    return gm_json_text_peek(json) == '[' ? gm_json_text_list(json, read_piece, state) : read_piece(json, state);
}

static bool read_cell_member(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    if (strcmp(key, "cell_type") == 0 && gm_json_text_peek(json) == '"') {
        gm_buffer kind;
        gm_buffer_init(&kind, state->arena);
        bool read = gm_json_text_string(json, &kind);
        state->is_code = strcmp(gm_buffer_text(&kind), "code") == 0;
        return read;
    }
    if (strcmp(key, "source") == 0) {
        (void)gm_json_text_peek(json);
        state->source = json->at;
    }
    return gm_json_text_skip(json);
}

/* The source may stand in front of the type, so it is read when the cell is known. */
static bool read_cell(gm_json_text *json, void *context) {
    reading *state = context;
    state->number++;
    state->is_code = false;
    state->source = NULL;
    if (!gm_json_text_object(json, state->arena, read_cell_member, state)) {
        return false;
    }
    if (!state->is_code || state->source == NULL) {
        return true;
    }
    gm_json_text source = *json;
    source.at = state->source;
    gm_cell cell = {.number = state->number, .start = (uint32_t)state->text.length, .raw_start = (size_t)(source.at - source.start)};
    if (!read_source(state, &source)) {
        return false;
    }
    if (state->text.length == cell.start) {
        return true;
    }
    gm_buffer_add_char(&state->text, '\n');
    if (state->text.bytes[state->text.length - 2] == '\n') {
        gm_vec_push(state->arena, &state->notebook->lines, line_of(state, state->counted));
    }
    cell.end = (uint32_t)state->text.length;
    cell.raw_end = (size_t)(source.at - source.start);
    gm_vec_push(state->arena, &state->notebook->cells.items, cell);
    return true;
}

static bool read_language(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    bool named = strcmp(key, "language") == 0 || strcmp(key, "name") == 0;
    if (!named || gm_json_text_peek(json) != '"') {
        return gm_json_text_skip(json);
    }
    gm_buffer name;
    gm_buffer_init(&name, state->arena);
    bool read = gm_json_text_string(json, &name);
    bool is_kernel = strcmp(key, "name") == 0; /* `python3` and the like; decides nothing alone */
    state->other_language = state->other_language || (!is_kernel && strcmp(gm_buffer_text(&name), "python") != 0);
    return read;
}

static bool read_language_info(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    if (strcmp(key, "name") != 0 || gm_json_text_peek(json) != '"') {
        return gm_json_text_skip(json);
    }
    gm_buffer name;
    gm_buffer_init(&name, state->arena);
    bool read = gm_json_text_string(json, &name);
    state->other_language = state->other_language || strstr(gm_buffer_text(&name), "python") == NULL;
    return read;
}

static bool read_metadata(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    bool is_object = gm_json_text_peek(json) == '{';
    if (is_object && strcmp(key, "kernelspec") == 0) {
        return gm_json_text_object(json, state->arena, read_language, state);
    }
    if (is_object && strcmp(key, "language_info") == 0) {
        return gm_json_text_object(json, state->arena, read_language_info, state);
    }
    return gm_json_text_skip(json);
}

static bool read_member(gm_json_text *json, const char *key, void *context) {
    reading *state = context;
    char first = gm_json_text_peek(json);
    if (strcmp(key, "cells") == 0 && first == '[') {
        state->has_cells = true;
        return gm_json_text_list(json, read_cell, state);
    }
    return strcmp(key, "metadata") == 0 && first == '{' ? gm_json_text_object(json, state->arena, read_metadata, state)
                                                        : gm_json_text_skip(json);
}

gm_notebook *gm_notebook_read(gm_arena *arena, const char *bytes, size_t size, const char **problem) {
    gm_notebook *notebook = GM_NEW(arena, gm_notebook);
    reading state = {.arena = arena, .notebook = notebook, .counted = bytes, .line = 1};
    gm_buffer_init(&state.text, arena);
    gm_buffer_add_text(&state.text, "\n\n");
    gm_vec_push(arena, &notebook->lines, 1);
    gm_vec_push(arena, &notebook->lines, 1);
    gm_json_text json = gm_json_text_of(bytes, size);
    bool read = gm_json_text_object(&json, arena, read_member, &state) && gm_json_text_peek(&json) == '\0' && json.at == json.end;
    if (!read || !state.has_cells) {
        *problem = read ? "is no notebook of this age: it has no cells" : "is no notebook: it cannot be read as JSON";
        return NULL;
    }
    if (state.other_language) {
        notebook->cells.items.count = 0;
        state.text.length = 2;
    }
    notebook->text = gm_buffer_text(&state.text);
    notebook->size = state.text.length;
    return notebook;
}

/* ---- Writing ---- */

/* One string of a source as it stands in the notebook. */
typedef struct piece {
    const char *raw;
    size_t raw_size;
    const char *text;
    size_t size;
} piece;

typedef struct pieces {
    gm_arena *arena;
    GM_VEC(piece) items;
} pieces;

static bool collect_piece(gm_json_text *json, void *context) {
    pieces *all = context;
    gm_buffer text;
    gm_buffer_init(&text, all->arena);
    (void)gm_json_text_peek(json);
    const char *start = json->at;
    bool read = gm_json_text_string(json, &text);
    piece one = {start, (size_t)(json->at - start), gm_buffer_text(&text), text.length};
    gm_vec_push(all->arena, &all->items, one);
    return read;
}

/* Whether the notebook writes characters from 128 on as escapes here: it holds some, and none as they are. */
static bool is_ascii(const char *raw, size_t size) {
    bool escaped = false;
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)raw[i] >= 0x80) {
            return false;
        }
        escaped = escaped || (raw[i] == '\\' && i + 2 < size && raw[i + 1] == 'u' && raw[i + 2] != '0');
        escaped = escaped || (raw[i] == '\\' && i + 4 < size && raw[i + 1] == 'u' && memcmp(raw + i + 2, "00", 2) != 0);
        i += raw[i] == '\\';
    }
    return escaped;
}

/* How many of the first pieces are lines of the new text as well; `*size` is their length. */
static uint32_t same_first(const pieces *old, const char *text, size_t length, size_t *size) {
    uint32_t count = 0;
    *size = 0;
    for (; count < old->items.count; count++) {
        const piece *one = &old->items.items[count];
        bool fits = one->size <= length - *size && memcmp(text + *size, one->text, one->size) == 0;
        bool whole = fits && (*size + one->size == length || (one->size > 0 && one->text[one->size - 1] == '\n'));
        if (!whole) {
            break;
        }
        *size += one->size;
    }
    return count;
}

static uint32_t same_last(const pieces *old, uint32_t first, const char *text, size_t start, size_t *end) {
    uint32_t count = 0;
    for (; first + count < old->items.count; count++) {
        const piece *one = &old->items.items[old->items.count - 1 - count];
        bool fits = one->size <= *end - start && memcmp(text + *end - one->size, one->text, one->size) == 0;
        size_t from = fits ? *end - one->size : 0;
        if (!fits || (from > start && text[from - 1] != '\n')) {
            break;
        }
        *end = from;
    }
    return count;
}

static void add_separator(gm_buffer *out, const pieces *old, const char *opening, size_t opening_size) {
    const piece *first = &old->items.items[0];
    gm_buffer_add_char(out, ',');
    if (old->items.count > 1) {
        const char *behind = first->raw + first->raw_size;
        const char *comma = memchr(behind, ',', (size_t)(old->items.items[1].raw - behind));
        gm_buffer_add(out, comma + 1, (size_t)(old->items.items[1].raw - comma - 1));
    } else {
        gm_buffer_add(out, opening, opening_size);
    }
}

/* A list: the strings that are the same lines keep their bytes, those between them are written one a line. */
static void write_list(gm_buffer *out, const char *raw, size_t raw_size, const pieces *old, const char *text, size_t length) {
    size_t start = 0;
    size_t end = length;
    uint32_t first = same_first(old, text, length, &start);
    uint32_t last = same_last(old, first, text, start, &end);
    const char *opening = raw + 1;
    size_t opening_size = (size_t)(old->items.items[0].raw - opening);
    bool ascii = is_ascii(raw, raw_size);
    bool any = false;
    gm_buffer_add(out, raw, 1 + opening_size);
    for (uint32_t i = 0; i < first; i++, any = true) {
        if (any) {
            add_separator(out, old, opening, opening_size);
        }
        gm_buffer_add(out, old->items.items[i].raw, old->items.items[i].raw_size);
    }
    for (size_t at = start; at < end; any = true) {
        const char *line_end = memchr(text + at, '\n', end - at);
        size_t next = line_end == NULL ? end : (size_t)(line_end - text) + 1;
        if (any) {
            add_separator(out, old, opening, opening_size);
        }
        gm_json_text_write(out, text + at, next - at, ascii);
        at = next;
    }
    for (uint32_t i = old->items.count - last; i < old->items.count; i++, any = true) {
        if (any) {
            add_separator(out, old, opening, opening_size);
        }
        gm_buffer_add(out, old->items.items[i].raw, old->items.items[i].raw_size);
    }
    const piece *final = &old->items.items[old->items.count - 1];
    gm_buffer_add(out, final->raw + final->raw_size, (size_t)(raw + raw_size - (final->raw + final->raw_size)));
}

/* The text of a cell without the line end that was put behind it. */
static size_t cell_size(const gm_cell *cell, const char *text) {
    return cell->end - cell->start - (cell->end > cell->start && text[cell->end - 1] == '\n');
}

static void write_source(gm_buffer *out, const char *bytes, const gm_cell *old_cell, const gm_cell *cell, const char *text) {
    const char *raw = bytes + old_cell->raw_start;
    size_t raw_size = old_cell->raw_end - old_cell->raw_start;
    size_t length = cell_size(cell, text);
    if (*raw == '"') {
        gm_json_text_write(out, text + cell->start, length, is_ascii(raw, raw_size));
        return;
    }
    pieces old = {.arena = out->arena};
    gm_json_text json = gm_json_text_of(raw, raw_size);
    (void)gm_json_text_list(&json, collect_piece, &old);
    write_list(out, raw, raw_size, &old, text + cell->start, length);
}

/* Whether the written notebook reads back as the cells of the text. */
static bool reads_back(gm_arena *arena, const gm_buffer *out, const gm_cells *cells, const char *text) {
    const char *problem = NULL;
    const gm_notebook *again = gm_notebook_read(arena, out->bytes, out->length, &problem);
    uint32_t at = 0;
    for (uint32_t i = 0; again != NULL && i < cells->items.count; i++) {
        const gm_cell *cell = &cells->items.items[i];
        size_t size = cell_size(cell, text);
        if (size == 0) {
            continue; /* an empty cell is none */
        }
        if (at == again->cells.items.count) {
            return false;
        }
        const gm_cell *read = &again->cells.items.items[at++];
        if (cell_size(read, again->text) != size || memcmp(again->text + read->start, text + cell->start, size) != 0) {
            return false;
        }
    }
    return again != NULL && at == again->cells.items.count;
}

const char *gm_notebook_write(gm_arena *arena, const gm_notebook *notebook, const char *bytes, size_t size, const gm_cells *cells,
                              const char *text, size_t *written, const char **problem) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    size_t at = 0;
    for (uint32_t i = 0; i < cells->items.count; i++) {
        const gm_cell *old = &notebook->cells.items.items[i];
        const gm_cell *cell = &cells->items.items[i];
        size_t length = old->end - old->start;
        if (cell->end - cell->start == length && memcmp(notebook->text + old->start, text + cell->start, length) == 0) {
            continue;
        }
        gm_buffer_add(&out, bytes + at, old->raw_start - at);
        write_source(&out, bytes, old, cell, text);
        at = old->raw_end;
    }
    gm_buffer_add(&out, bytes + at, size - at);
    if (!reads_back(arena, &out, cells, text)) {
        *problem = "the mends do not fit into the notebook, please report this";
        return NULL;
    }
    *written = out.length;
    return gm_buffer_text(&out);
}

char *gm_notebook_mask(gm_arena *arena, const gm_cells *cells, const char *text, size_t size) {
    char *masked = gm_arena_copy(arena, text, size);
    for (uint32_t i = 0; i < cells->items.count; i++) {
        gm_notebook_mask_cell(masked + cells->items.items[i].start, cells->items.items[i].end - cells->items.items[i].start);
    }
    return masked;
}
