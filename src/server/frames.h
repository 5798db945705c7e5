/* The base protocol: headers, an empty line, and as many bytes of JSON as `Content-Length` says.
 *
 * Bytes come in pieces of any size. Behind a header that is wrong, or that announces more than GM_FRAME_MOST bytes, nothing says where the next
 * message begins: all is skipped up to the next `Content-Length: DIGITS` at the end of a line. No JSON text can hold that, as line ends in
 * strings are escaped. */
#ifndef GM_SERVER_FRAMES_H
#define GM_SERVER_FRAMES_H

#include "server/bytes.h"

enum { GM_FRAME_MOST = 32 << 20, GM_FRAME_HEADER_MOST = 4096 };

typedef struct gm_frames {
    gm_bytes read;
    size_t at;    /* in `read`: what stands in front has been taken */
    bool skipping; /* for the next header that is right */
    const char *problem; /* of the last GM_FRAME_BROKEN: lower case, static */
} gm_frames;

typedef enum gm_frame_kind {
    GM_FRAME_NONE,   /* more bytes are needed */
    GM_FRAME_WHOLE,  /* a message */
    GM_FRAME_BROKEN, /* what came is no message; told once for all that is skipped */
} gm_frame_kind;

typedef struct gm_framed {
    const char *bytes; /* of a message; valid until the frames change */
    size_t size;
} gm_framed;

/* Take bytes that have been read; false without memory. */
bool gm_frames_feed(gm_frames *frames, const char *bytes, size_t size);

/* The next message, if it is there. */
gm_frame_kind gm_frames_next(gm_frames *frames, gm_framed *frame);

void gm_frames_free(gm_frames *frames);

#endif
