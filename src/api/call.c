#include "api/call.h"

#include <stdlib.h>
#include <string.h>

#include "base/source.h"

/* The result outlives the arena, so it is the one block that the caller has to release. */
static gm_status keep(const gm_buffer *out, gm_output *output) {
    char *bytes = malloc(out->length + 1);
    if (bytes == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    if (out->length > 0) {
        memcpy(bytes, out->bytes, out->length);
    }
    bytes[out->length] = '\0';
    *output = (gm_output){bytes, out->length};
    return GM_OK;
}

static gm_status run_in(gm_arena *arena, gm_api_body body, const void *request, gm_output *output) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    body(&out, request);
    return keep(&out, output);
}

gm_status gm_api_call(gm_api_body body, const void *request, gm_output *output) {
    if (output == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *output = (gm_output){NULL, 0};
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    volatile gm_status status = GM_OUT_OF_MEMORY;
    if (setjmp(out_of_memory) == 0) {
        status = run_in(&arena, body, request, output);
    }
    gm_arena_free(&arena);
    return status;
}

gm_status gm_api_call_source(gm_api_body body, const gm_api_source *source, gm_output *output) {
    if (output == NULL) {
        return GM_BAD_ARGUMENT;
    }
    *output = (gm_output){NULL, 0};
    if (source->path == NULL || (source->bytes == NULL && source->size > 0)) {
        return GM_BAD_ARGUMENT;
    }
    if (source->size >= GM_SOURCE_LIMIT) {
        return GM_TOO_LARGE;
    }
    gm_api_source given = *source;
    if (given.bytes == NULL) {
        given.bytes = "";
    }
    return gm_api_call(body, &given, output);
}
