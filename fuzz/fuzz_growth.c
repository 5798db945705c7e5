/* libFuzzer entry: a short input stands for a long one, and time must be in proportion to its length. The first byte chooses who reads, the
 * second how much of the rest is said once, at the start; what is left is repeated up to a megabyte. A program that takes more CPU time than
 * a fixed amount for each byte is ended. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graphmend.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { LONGEST = 1 << 20, PIECE = 61 };
static const double seconds_per_byte = 40e-6; /* under the sanitizers, on a slow machine */

static const char meaning[] =
    "{\"meaning\":1,\"root\":0,\"types\":[{\"form\":\"list\",\"items\":[1]},{\"form\":\"union\",\"items\":[2,3,4,5]},"
    "{\"form\":\"record\",\"name\":\"P\",\"fields\":[{\"name\":\"name\",\"type\":4},{\"name\":\"sub\",\"type\":1,"
    "\"required\":false}]},{\"form\":\"list\",\"items\":[4]},{\"form\":\"str\"},{\"form\":\"int\"}]}";

static void feed_pieces(const gm_reader *reader, const char *text, size_t size, gm_output *output) {
    gm_stream *stream = NULL;
    if (gm_stream_new(reader, 0, &stream) != GM_OK) {
        abort();
    }
    for (size_t at = 0; at < size; at += PIECE) {
        gm_stream_feed(stream, text + at, size - at < PIECE ? size - at : PIECE);
    }
    gm_stream_finish(stream, output);
    gm_stream_free(stream);
}

static void read_text(const char *text, size_t size, bool stream, gm_output *output) {
    gm_reader *reader = NULL;
    if (gm_reader_new(meaning, sizeof meaning - 1, &reader, NULL) != GM_OK) {
        abort();
    }
    if (stream) {
        feed_pieces(reader, text, size, output);
    } else {
        gm_reader_read(reader, text, size, 0, output);
    }
    gm_reader_free(reader);
}

static void run(unsigned who, const char *text, size_t size) {
    gm_output output = {NULL, 0};
    switch (who % 4) {
    case 0: read_text(text, size, false, &output); break;
    case 1: read_text(text, size, true, &output); break;
    case 2: gm_check_source("fuzz.py", text, size, &output); break;
    default: gm_fix_source("fuzz.py", text, size, GM_FIX_ASSUMED, &output); break;
    }
    gm_output_free(&output);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size < 4) {
        return 0;
    }
    size_t once = data[1] % (size - 2);
    size_t unit = size - 2 - once;
    size_t length = once + LONGEST / unit * unit;
    char *text = malloc(length);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data + 2, once);
    for (size_t at = once; at + unit <= length; at += unit) {
        memcpy(text + at, data + 2 + once, unit);
    }
    clock_t start = clock();
    run(data[0], text, length);
    if ((double)(clock() - start) / CLOCKS_PER_SEC > 1 + seconds_per_byte * (double)length) {
        abort();
    }
    free(text);
    return 0;
}
