#include <string.h>

#include "api/call.h"
#include "meaning/source.h"

static void write_meaning(gm_buffer *out, const void *request) {
    const gm_api_source *given = request;
    gm_meaning meaning;
    gm_source_problem problem = gm_source_meaning(out->arena, given->path, given->bytes, given->size, given->name, &meaning);
    if (problem.message == NULL) {
        gm_meaning_write(&meaning, true, out);
        return;
    }
    gm_buffer_add_text(out, "{\"problem\":");
    gm_buffer_add_json(out, problem.message, strlen(problem.message));
    gm_buffer_add_text(out, ",\"path\":");
    gm_buffer_add_json(out, problem.path, strlen(problem.path));
    gm_buffer_printf(out, ",\"line\":%u}\n", problem.line);
}

gm_status gm_meaning_source(const char *path, const char *bytes, size_t size, const char *name, gm_output *output) {
    const gm_api_source source = {.path = path, .bytes = bytes, .size = size, .name = name};
    if (name == NULL && output != NULL) {
        *output = (gm_output){NULL, 0};
        return GM_BAD_ARGUMENT;
    }
    return gm_api_call_source(write_meaning, &source, output);
}

static void write_notes(gm_buffer *out, const void *request) {
    const gm_api_source *given = request;
    gm_source_notes(out->arena, given->path, given->bytes, given->size, out);
}

gm_status gm_meaning_notes(const char *path, const char *bytes, size_t size, gm_output *output) {
    const gm_api_source source = {.path = path, .bytes = bytes, .size = size};
    return gm_api_call_source(write_notes, &source, output);
}
