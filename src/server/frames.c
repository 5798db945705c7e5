#include "server/frames.h"

#include <string.h>
#include <strings.h>

static const char length_name[] = "Content-Length";

enum { NAME = sizeof length_name - 1, COMPACT = 1 << 16 };

/* A header as far as it is there. */
typedef enum header_kind { UNFINISHED, WRONG, RIGHT } header_kind;

typedef struct header {
    size_t end; /* behind the empty line */
    size_t length;
    bool has_length;
    const char *problem;
    const char *wrong; /* the line that is; NULL: the header is too long or has no length */
} header;

bool gm_frames_feed(gm_frames *frames, const char *bytes, size_t size) {
    if (frames->at == frames->read.size) {
        frames->at = frames->read.size = 0;
    } else if (frames->at > COMPACT && frames->at > frames->read.size / 2) {
        gm_bytes_drop(&frames->read, frames->at);
        frames->at = 0;
    }
    return gm_bytes_add(&frames->read, bytes, size);
}

/* The number in a field, which has nothing behind it. */
static bool read_length(const char *at, const char *end, size_t *length) {
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    *length = 0;
    if (at == end) {
        return false;
    }
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        *length = *length > GM_FRAME_MOST ? *length : *length * 10 + (size_t)(*at - '0');
    }
    return true;
}

static header_kind fail(header *found, const char *problem) {
    found->problem = problem;
    return WRONG;
}

static header_kind read_field(header *found, const char *line, const char *end) {
    const char *colon = memchr(line, ':', (size_t)(end - line));
    if (colon == NULL) {
        return fail(found, "a header without a colon");
    }
    if (colon - line != NAME || strncasecmp(line, length_name, NAME) != 0) {
        return RIGHT; /* the other one of the protocol, Content-Type, is always the same */
    }
    if (!read_length(colon + 1, end, &found->length)) {
        return fail(found, "Content-Length is no number");
    }
    found->has_length = true;
    return found->length > GM_FRAME_MOST ? fail(found, "a message of more than 32 megabytes") : RIGHT;
}

/* Lines end in CR LF, or in LF alone. */
static header_kind read_header(const char *bytes, size_t size, header *found) {
    for (size_t at = 0;;) {
        const char *stop = memchr(bytes + at, '\n', size - at);
        if ((stop == NULL ? size : (size_t)(stop - bytes)) > GM_FRAME_HEADER_MOST) {
            return fail(found, "headers of more than 4096 bytes");
        }
        if (stop == NULL) {
            return UNFINISHED;
        }
        const char *line = bytes + at;
        const char *end = stop > line && stop[-1] == '\r' ? stop - 1 : stop;
        at = (size_t)(stop - bytes) + 1;
        if (end == line) {
            found->end = at;
            return found->has_length ? RIGHT : fail(found, "headers without Content-Length");
        }
        if (read_field(found, line, end) == WRONG) {
            found->wrong = line;
            return WRONG;
        }
    }
}

/* The end of the next empty line, which is the last byte of a header, or the end. */
static const char *next_empty(const char *at, const char *end) {
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        const char *next = at < end && *at == '\r' ? at + 1 : at;
        if (next < end && *next == '\n') {
            return next;
        }
    }
    return end;
}

/* Move to the next place where a right header may begin, behind the one where the last search ended. The lines behind a place are those of the
 * next one, too. Where one of them is wrong, it is for every place in front of it; where a header is too long, the next one that is not
 * begins near an empty line: each line is read a few times, not for every place in the four kilobytes before it. */
static bool skip(gm_frames *frames) {
    const char *end = frames->read.bytes + frames->read.size;
    const char *skipped = NULL;
    size_t at = frames->at;
    for (; at < frames->read.size; at++) {
        const char *bytes = frames->read.bytes + at;
        size_t left = frames->read.size - at;
        size_t same = left <= NAME ? left : NAME;
        if ((*bytes | 0x20) != 'c' || (skipped != NULL && bytes < skipped) || strncasecmp(bytes, length_name, same) != 0 ||
            (left > NAME && bytes[NAME] != ':')) {
            continue;
        }
        header found = {0};
        header_kind kind = left <= NAME ? UNFINISHED : read_header(bytes, left, &found);
        if (kind != WRONG) {
            frames->at = at;
            frames->skipping = kind == UNFINISHED;
            return kind == RIGHT;
        }
        const char *empty = found.wrong == NULL ? next_empty(bytes, end) : NULL;
        bool far = empty != NULL && empty - bytes > GM_FRAME_HEADER_MOST;
        skipped = far ? empty - GM_FRAME_HEADER_MOST : found.wrong;
    }
    frames->at = at;
    return false;
}

gm_frame_kind gm_frames_next(gm_frames *frames, gm_framed *frame) {
    *frame = (gm_framed){0};
    if (frames->at == frames->read.size || (frames->skipping && !skip(frames))) {
        return GM_FRAME_NONE;
    }
    const char *bytes = frames->read.bytes + frames->at;
    size_t left = frames->read.size - frames->at;
    header found = {0};
    header_kind kind = read_header(bytes, left, &found);
    if (kind == WRONG) {
        frames->at++;
        frames->skipping = true;
        frames->problem = found.problem; /* lower case, static */
        return GM_FRAME_BROKEN;
    }
    if (kind == UNFINISHED || left - found.end < found.length) {
        return GM_FRAME_NONE;
    }
    frame->bytes = bytes + found.end;
    frame->size = found.length;
    frames->at += found.end + found.length;
    return GM_FRAME_WHOLE;
}

void gm_frames_free(gm_frames *frames) {
    gm_bytes_free(&frames->read);
}
