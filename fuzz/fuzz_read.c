/* libFuzzer entry: any bytes as a model's answer. The first byte chooses the flags, the size of pieces and the type; pieces must give what the whole gives. Good
 * seeds are the texts of tests/meaning/meaning_corpus.py. */
#include <stdlib.h>
#include <string.h>

#include "graphmend.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* One type for what has parts, one for scalars, one for any JSON, one for the other forms. */
#define PETS                                                                                                            \
    "{\"meaning\":1,\"root\":0,\"types\":[{\"form\":\"union\",\"items\":[1,2,3]},"                                      \
    "{\"form\":\"record\",\"name\":\"Cat\",\"kind\":\"namedtuple\",\"fields\":[{\"name\":\"name\",\"type\":4},"         \
    "{\"name\":\"age\",\"type\":5,\"required\":false},{\"name\":\"kittens\",\"type\":3,\"required\":false}]},"          \
    "{\"form\":\"record\",\"name\":\"Dog\",\"fields\":[{\"name\":\"name\",\"type\":4},{\"name\":\"breed\",\"type\":6}," \
    "{\"name\":\"born\",\"type\":7}]},{\"form\":\"list\",\"items\":[0]},{\"form\":\"str\"},{\"form\":\"int\"},"         \
    "{\"form\":\"enum\",\"name\":\"Breed\",\"members\":[{\"name\":\"BIG\",\"value\":1},{\"name\":\"SMALL\",\"value\":2}]},{\"form\":\"date\"}]}"
#define SCALARS                                                                                                                      \
    "{\"meaning\":1,\"root\":0,\"types\":[{\"form\":\"union\",\"items\":[1,2,3,4,5,6,7,8]},{\"form\":\"int\"},{\"form\":\"float\"}," \
    "{\"form\":\"bool\"},{\"form\":\"none\"},{\"form\":\"datetime\"},{\"form\":\"timedelta\"},{\"form\":\"uuid\"},"                  \
    "{\"form\":\"dict\",\"items\":[1,9]},{\"form\":\"tuple\",\"items\":[1,2]}]}"

#define SHELF                                                                                                                                    \
    "{\"meaning\":1,\"root\":0,\"types\":[{\"form\":\"record\",\"name\":\"Shelf\",\"fields\":[{\"name\":\"kind\",\"type\":1},"                   \
    "{\"name\":\"mode\",\"type\":2,\"required\":false},{\"name\":\"data\",\"type\":3,\"required\":false},"                                       \
    "{\"name\":\"price\",\"aliases\":[\"cost\",\"Preis\"],\"type\":5,\"required\":false},{\"name\":\"count\",\"type\":7,\"required\":false},"    \
    "{\"name\":\"path\",\"type\":8,\"required\":false},{\"name\":\"at\",\"type\":11,\"required\":false},"                                        \
    "{\"name\":\"next\",\"type\":12,\"required\":false},{\"name\":\"more\",\"type\":14,\"required\":false},"                                     \
    "{\"name\":\"tags\",\"type\":15,\"required\":false},{\"name\":\"ids\",\"type\":16,\"required\":false},"                                      \
    "{\"name\":\"row\",\"type\":18,\"required\":false},{\"name\":\"rest\",\"type\":19,\"required\":false}]},"                                    \
    "{\"form\":\"literal\",\"values\":[{\"value\":\"a b\"},{\"value\":1},{\"value\":null},{\"value\":true},{\"bytes\":\"eA==\"}]},"              \
    "{\"form\":\"flag\",\"name\":\"Mode\",\"members\":[{\"name\":\"READ\",\"value\":1},{\"name\":\"WRITE\",\"value\":2}]},{\"form\":\"bytes\"}," \
    "{\"form\":\"decimal\"},{\"form\":\"annotated\",\"items\":[4],\"bounds\":{\"ge\":0,\"lt\":1000}},{\"form\":\"int\"},"                        \
    "{\"form\":\"annotated\",\"items\":[6],\"bounds\":{\"gt\":-5}},{\"form\":\"path\"},{\"form\":\"none\"},{\"form\":\"time\"},"                 \
    "{\"form\":\"union\",\"items\":[10,9]},{\"form\":\"union\",\"items\":[0,9]},{\"form\":\"str\"},{\"form\":\"dict\",\"items\":[13,0]},"        \
    "{\"form\":\"frozenset\",\"items\":[13]},{\"form\":\"set\",\"items\":[6]},{\"form\":\"float\"},{\"form\":\"tuple_of\",\"items\":[17]},"      \
    "{\"form\":\"union\",\"items\":[6,17,13,15]}]}"

static const char *const meanings[] = {PETS, SCALARS, "{\"meaning\":1,\"root\":0,\"types\":[{\"form\":\"any\"}]}", SHELF};

static gm_output read_pieces(const gm_reader *reader, const char *text, size_t size, unsigned flags, size_t piece) {
    gm_stream *stream = NULL;
    gm_output output = {NULL, 0};
    if (gm_stream_new(reader, flags, &stream) != GM_OK) {
        abort();
    }
    for (size_t at = 0; at < size; at += piece) {
        if (gm_stream_feed(stream, text + at, size - at < piece ? size - at : piece) != GM_OK) {
            abort();
        }
        if (size < 200) {
            gm_output partial;
            if (gm_stream_partial(stream, &partial) != GM_OK) {
                abort();
            }
            gm_output_free(&partial);
        }
    }
    if (gm_stream_finish(stream, &output) != GM_OK) {
        abort();
    }
    gm_stream_free(stream);
    return output;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const char *meaning = meanings[data[0] >> 6];
    unsigned flags = data[0] & 7U;
    size_t piece = (data[0] >> 3 & 7U) + 1U;
    const char *text = (const char *)data + 1;
    gm_reader *reader = NULL;
    gm_output whole;
    if (gm_reader_new(meaning, strlen(meaning), &reader, NULL) != GM_OK || gm_reader_read(reader, text, size - 1, flags, &whole) != GM_OK) {
        abort();
    }
    gm_output pieces = read_pieces(reader, text, size - 1, flags, piece);
    if (whole.size != pieces.size || memcmp(whole.bytes, pieces.bytes, whole.size) != 0) {
        abort();
    }
    gm_output_free(&pieces);
    gm_output_free(&whole);
    gm_reader_free(reader);
    return 0;
}
