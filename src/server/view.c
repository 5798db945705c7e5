#include "server/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/work.h"
#include "driver/discover.h"
#include "driver/foresee.h"
#include "syntax/decode.h"

/* The name of a text that is in no file. */
static const char unnamed[] = "untitled.py";

/* An editor has decoded the file: what its first lines say about the character set is no longer true. */
static void hide_cookie(char *text, size_t size) {
    for (size_t start = 0; gm_decode_cookie(text, size, &start);) {
        while (start > 0 && text[start - 1] != ':' && text[start - 1] != '=') {
            start--;
        }
        if (start == 0) {
            return;
        }
        text[start - 1] = ' ';
    }
}

static void add_section(gm_view *view, gm_section section) {
    view->sections[view->count++] = section;
}

/* As notebook.h has it: two blank lines, then the cells, each with a line end behind it. */
static void join_cells(gm_view *view, const gm_unit *unit) {
    gm_buffer text;
    gm_buffer_init(&text, &view->arena);
    gm_buffer_add_text(&text, "\n\n");
    view->cells = GM_NEW(&view->arena, gm_cells);
    for (uint32_t i = 0; i < unit->count; i++) {
        gm_document *document = unit->documents[i];
        if (!document->python || document->text.size == 0) {
            continue;
        }
        gm_cell cell = {.number = i + 1, .start = (uint32_t)text.length};
        gm_buffer_add(&text, document->text.bytes, document->text.size);
        gm_buffer_add_char(&text, '\n');
        cell.end = (uint32_t)text.length;
        gm_vec_push(&view->arena, &view->cells->items, cell);
        add_section(view, (gm_section){document, cell.start, cell.end, 0});
    }
    view->text = gm_buffer_text(&text);
    view->size = text.length;
}

static void copy_document(gm_view *view, gm_document *document) {
    size_t size = document->text.size;
    char *text = gm_arena_copy(&view->arena, size == 0 ? "" : document->text.bytes, size);
    hide_cookie(text, size);
    view->text = text;
    view->size = size;
    uint32_t mark = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    add_section(view, (gm_section){document, 0, (uint32_t)size - mark, mark});
}

static size_t size_of(const gm_unit *unit) {
    size_t size = 2;
    for (uint32_t i = 0; i < unit->count; i++) {
        size += unit->documents[i]->text.size + 1;
    }
    return size;
}

/* Settings are looked for anew: that takes less than an analysis, and is right whoever has changed them. */
static const gm_target *find_settings(gm_view *view, const char *path) {
    static const gm_discover_options options = {0};
    const gm_found *found = gm_discover_named(&view->arena, path, &options);
    if (found->settings_failed) {
        view->problem_path = found->problems.items[0].path;
        view->problem = found->problems.items[0].words;
    }
    return &found->targets.items[0];
}

/* What a file says of which no more than its beginning is looked at. */
static gm_checked *check_beginning(gm_view *view, const char *path) {
    gm_checked empty = {.path = path};
    gm_diagnostics ignored = {0};
    empty.source = gm_parse_source(&view->arena, path, "", 0, &ignored);
    return gm_check_too_large(&view->arena, &empty, 0, "`max-file-size` says how many megabytes are read");
}

static void analyse(gm_view *view, const gm_unit *unit) {
    static const gm_check_options typed = {.report_only = true};
    const gm_target *target = unit->path == NULL ? NULL : find_settings(view, unit->path);
    const gm_settings *settings = target == NULL ? NULL : target->settings;
    const char *path = target == NULL ? unnamed : gm_arena_copy(&view->arena, unit->path, strlen(unit->path));
    if (view->problem != NULL || (target != NULL && gm_settings_exclude(settings, target->absolute))) {
        return;
    }
    view->options = target == NULL ? typed : gm_settings_apply(&view->arena, settings, target->absolute, &typed);
    if (size_of(unit) > gm_settings_most(settings)) {
        view->checked = check_beginning(view, path);
        return;
    }
    view->checked = gm_check_python(&view->arena, path, view->text, view->size, view->cells, &view->options);
    gm_foresee(&view->arena, view->checked, &view->options, view->options.all);
}

static bool is_readable(const gm_unit *unit) {
    bool python = false;
    for (uint32_t i = 0; i < unit->count; i++) {
        if (unit->documents[i]->lost) {
            return false;
        }
        python = python || unit->documents[i]->python;
    }
    return python;
}

gm_view *gm_view_of(gm_arena *arena, gm_unit *unit) {
    if (unit->view == NULL) {
        unit->view = calloc(1, sizeof *unit->view);
        if (unit->view == NULL) {
            gm_arena_fail(arena);
        }
        gm_arena_init(&unit->view->arena, gm_allocator_default(), arena->out_of_memory);
        unit->free_view = gm_view_free;
        gm_view *view = unit->view;
        view->sections = GM_NEW_ARRAY(&view->arena, gm_section, unit->count + 1);
        if (is_readable(unit)) {
            if (unit->notebook) {
                join_cells(view, unit);
            } else {
                copy_document(view, unit->documents[0]);
            }
            analyse(view, unit);
        }
    }
    unit->view->arena.out_of_memory = arena->out_of_memory;
    unit->view->asking = arena;
    return unit->view;
}

void gm_view_free(gm_unit *unit) {
    if (unit->view != NULL) {
        gm_arena_free(&unit->view->arena);
        free(unit->view);
        unit->view = NULL;
    }
}

static const gm_section *section_at(const gm_view *view, uint32_t offset) {
    uint32_t low = 0;
    for (uint32_t high = view->count; low < high;) {
        uint32_t middle = gm_middle(low, high);
        if (view->sections[middle].start <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &view->sections[low - 1] : NULL;
}

const gm_section *gm_view_section(const gm_view *view, const gm_document *document) {
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->sections[i].document == document) {
            return &view->sections[i];
        }
    }
    return NULL;
}

/* The line end that is put behind a cell is none of its document: an offset behind it is the cell's end. */
const gm_section *gm_view_locate(const gm_view *view, gm_encoding_units units, uint32_t offset, gm_place_in *place) {
    const gm_section *section = section_at(view, offset);
    if (section == NULL && view->count > 0) {
        section = &view->sections[0]; /* what is said of the whole notebook */
        offset = section->start;
    }
    if (section == NULL) {
        return NULL;
    }
    const gm_source *source = view->checked->source;
    uint32_t last = view->cells != NULL ? section->end - 1 : section->end;
    offset = offset > last ? last : offset;
    offset = offset > source->length ? source->length : offset; /* of a file whose beginning alone is there */
    gm_position at = gm_source_position(source, offset);
    gm_position first = gm_source_position(source, section->start);
    gm_work(view->asking, at.column / sizeof(uint64_t));
    place->line = at.line - first.line;
    place->unit = gm_units_of(units, source->text + offset - at.column, at.column);
    if (place->line == 0 && section->skipped > 0) {
        place->unit += units == GM_UNITS_UTF8 ? section->skipped : 1;
    }
    return section;
}

uint32_t gm_view_offset(const gm_section *section, gm_encoding_units units, gm_place_in place) {
    const gm_bytes *text = &section->document->text;
    size_t at = gm_offset_of(units, text->bytes, text->size, place);
    return section->start + (uint32_t)(at < section->skipped ? 0 : at - section->skipped);
}

void gm_view_add_range(gm_buffer *out, const gm_view *view, gm_encoding_units units, uint32_t start, uint32_t end) {
    gm_place_in from = {0, 0};
    gm_place_in to = {0, 0};
    const gm_section *section = gm_view_locate(view, units, start, &from);
    to = from;
    if (section != NULL && end > start && gm_view_locate(view, units, end, &to) != section && view->cells != NULL) {
        (void)gm_view_locate(view, units, section->end - 1, &to); /* behind the cell's line end */
    }
    gm_buffer_printf(out, "{\"start\": {\"line\": %u, \"character\": %u}, \"end\": {\"line\": %u, \"character\": %u}}", from.line,
                     from.unit, to.line, to.unit);
}
