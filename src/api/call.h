/* What all functions of include/graphmend.h share: memory for one call, and the way from a failure to a status. */
#ifndef GM_API_CALL_H
#define GM_API_CALL_H

#include "base/buffer.h"
#include "graphmend.h"

/* The arguments of a function about a file. */
typedef struct gm_api_source {
    const char *path;
    const char *bytes;
    size_t size;
    unsigned flags;   /* of gm_fix_source */
    const char *name; /* of gm_meaning_source */
} gm_api_source;

/* Writes the result of a call to `out`; everything that `out->arena` holds dies when the call ends. */
typedef void (*gm_api_body)(gm_buffer *out, const void *request);

/* Run `body` with an arena of its own and copy what it wrote into `*output`. On any status but GM_OK the output is empty. */
gm_status gm_api_call(gm_api_body body, const void *request, gm_output *output);

/* The same for a gm_api_source, after looking at it: GM_BAD_ARGUMENT, GM_TOO_LARGE. */
gm_status gm_api_call_source(gm_api_body body, const gm_api_source *source, gm_output *output);

#endif
