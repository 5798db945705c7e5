/* The functions of include/graphmend.h that take a file, for tests that run all of them. */
#ifndef GM_TESTS_PUBLIC_H
#define GM_TESTS_PUBLIC_H

#include "graphmend.h"

typedef gm_status (*public_function)(const char *path, const char *bytes, size_t size, gm_output *output);

static inline gm_status fix_assumed(const char *path, const char *bytes, size_t size, gm_output *output) {
    return gm_fix_source(path, bytes, size, GM_FIX_ASSUMED | GM_FIX_DROP_OUTPUT, output);
}

/* Whatever the file is. */
static inline gm_status page(const char *path, const char *bytes, size_t size, gm_output *output) {
    (void)path, (void)bytes, (void)size;
    return gm_rule_json("GB0170", output);
}

static inline gm_status first_meaning(const char *path, const char *bytes, size_t size, gm_output *output) {
    return gm_meaning_source(path, bytes, size, "Net", output);
}

/* A type with one of everything that the reader has memory for: records, unions, dicts, any. */
static const char test_meaning[] =
    "{\"meaning\":1,\"root\":0,\"types\":[{\"form\":\"list\",\"items\":[1]},{\"form\":\"union\",\"items\":[2,3,4]},"
    "{\"form\":\"record\",\"name\":\"Net\",\"fields\":[{\"name\":\"x\",\"type\":4},{\"name\":\"y\",\"type\":0}]},"
    "{\"form\":\"dict\",\"items\":[4,5]},{\"form\":\"str\"},{\"form\":\"any\"}]}";

static inline gm_status read_whole(const char *path, const char *bytes, size_t size, gm_output *output) {
    gm_reader *reader = NULL;
    gm_output problem = {NULL, 0};
    (void)path;
    *output = (gm_output){NULL, 0};
    gm_status status = gm_reader_new(test_meaning, sizeof test_meaning - 1, &reader, &problem);
    if (status == GM_OK) {
        status = gm_reader_read(reader, bytes, size, 0, output);
    }
    gm_output_free(&problem);
    gm_reader_free(reader);
    return status;
}

static inline gm_status feed_all(gm_stream *stream, const char *bytes, size_t size, gm_output *output) {
    gm_output partial = {NULL, 0};
    gm_status status = gm_stream_feed(stream, bytes, size / 2);
    status = status == GM_OK ? gm_stream_partial(stream, &partial) : status;
    gm_output_free(&partial);
    status = status == GM_OK ? gm_stream_feed(stream, bytes + size / 2, size - size / 2) : status;
    return status == GM_OK ? gm_stream_finish(stream, output) : status;
}

static inline gm_status read_pieces(const char *path, const char *bytes, size_t size, gm_output *output) {
    gm_reader *reader = NULL;
    gm_stream *stream = NULL;
    (void)path;
    *output = (gm_output){NULL, 0};
    gm_status status = gm_reader_new(test_meaning, sizeof test_meaning - 1, &reader, NULL);
    status = status == GM_OK ? gm_stream_new(reader, 0, &stream) : status;
    status = status == GM_OK ? feed_all(stream, bytes, size, output) : status;
    gm_stream_free(stream);
    gm_reader_free(reader);
    return status;
}

static const struct {
    const char *name;
    public_function run;
} public_functions[] = {
    {"gm_check_source", gm_check_source},   {"gm_fix_source", fix_assumed},
    {"gm_mend_source", gm_mend_source},     {"gm_rule_json", page},
    {"gm_meaning_notes", gm_meaning_notes}, {"gm_meaning_source", first_meaning},
    {"gm_reader_read", read_whole},         {"gm_stream_finish", read_pieces},
};

enum { PUBLIC_COUNT = sizeof public_functions / sizeof public_functions[0] };

#endif
