/* usage: readings FILE...
 *
 * A file holds a meaning and texts, each behind a byte 0x1E. Reads every text whole, in pieces of 1, 3 and 7 bytes with a look at the value after each, and every
 * prefix of it, with all combinations of flags, each time in a block of its exact size. The pieces must give what the whole gives. */
#include <stdbool.h>
#include <string.h>

#include "graphmend.h"
#include "read_file.h"

enum { ALL_FLAGS = GM_READ_STRICT | GM_READ_PARTIAL | GM_READ_PLAIN | GM_READ_BRIEF, PREFIXES = 300 };

static char *exact(const char *bytes, size_t size) {
    char *block = malloc(size > 0 ? size : 1);
    if (block == NULL) {
        exit(2);
    }
    memcpy(block, bytes, size);
    return block;
}

static bool read_one(const gm_reader *reader, const char *text, size_t size, unsigned flags, gm_output *output) {
    char *block = exact(text, size);
    bool good = gm_reader_read(reader, block, size, flags, output) == GM_OK;
    free(block);
    return good;
}

static bool feed(gm_stream *stream, const char *text, size_t size, size_t piece) {
    bool good = true;
    for (size_t at = 0; at < size && good; at += piece) {
        size_t count = size - at < piece ? size - at : piece;
        char *block = exact(text + at, count);
        gm_output partial;
        good = gm_stream_feed(stream, block, count) == GM_OK && gm_stream_partial(stream, &partial) == GM_OK;
        free(block);
        if (good) {
            gm_output_free(&partial);
        }
    }
    return good;
}

static bool read_pieces(const gm_reader *reader, const char *text, size_t size, unsigned flags, size_t piece, const gm_output *whole) {
    gm_stream *stream = NULL;
    gm_output output = {NULL, 0};
    bool good = gm_stream_new(reader, flags, &stream) == GM_OK && feed(stream, text, size, piece) &&
                gm_stream_finish(stream, &output) == GM_OK && strcmp(output.bytes, whole->bytes) == 0;
    if (!good) {
        fprintf(stderr, "pieces of %zu, flags %u, text %.*s:\n%s\n%s\n", piece, flags, (int)size, text, whole->bytes,
                output.bytes != NULL ? output.bytes : "nothing");
    }
    gm_output_free(&output);
    gm_stream_free(stream);
    return good;
}

static bool check_text(const gm_reader *reader, const char *text, size_t size) {
    static const size_t pieces[] = {1, 3, 7};
    for (unsigned flags = 0; flags <= ALL_FLAGS; flags++) {
        gm_output whole;
        if (!read_one(reader, text, size, flags, &whole)) {
            return false;
        }
        bool good = true;
        for (size_t i = 0; i < 3 && good; i++) {
            good = read_pieces(reader, text, size, flags, pieces[i], &whole);
        }
        gm_output_free(&whole);
        for (size_t end = 0; end < size && end < PREFIXES && good; end++) {
            good = read_one(reader, text, end, flags, &whole);
            gm_output_free(&whole);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool check_file(const char *bytes, size_t size) {
    const char *end = bytes + size;
    const char *text = memchr(bytes, 0x1E, size);
    gm_reader *reader = NULL;
    size_t length = text == NULL ? size : (size_t)(text - bytes);
    bool good = gm_reader_new(bytes, length, &reader, NULL) == GM_OK;
    while (good && text != NULL) {
        const char *next = memchr(text + 1, 0x1E, (size_t)(end - text - 1));
        good = check_text(reader, text + 1, (size_t)((next != NULL ? next : end) - text - 1));
        text = next;
    }
    gm_reader_free(reader);
    return good;
}

int main(int count, char **paths) {
    for (int i = 1; i < count; i++) {
        size_t size = 0;
        char *bytes = read_file(paths[i], &size);
        bool good = check_file(bytes, size);
        free(bytes);
        if (!good) {
            fprintf(stderr, "%s: failed\n", paths[i]);
            return 1;
        }
    }
    return 0;
}
