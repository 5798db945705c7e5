/* libFuzzer entry: any bytes as a meaning, with which a text is read, and as the source of one. Good seeds are the types of
 * tests/meaning/meaning_corpus.py and the files of tests/meaning. */
#include <stdlib.h>

#include "graphmend.h"
#include "must_succeed.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_with(const char *bytes, size_t size) {
    static const char text[] = "Here: {\"name\": \"Ann\", \"count\": \"1,000\", \"tags\": [\"a\", \"b\",], \"at\": \"2025-01-31\"}";
    gm_reader *reader = NULL;
    gm_output problem = {NULL, 0}, output;
    if (gm_reader_new(bytes, size, &reader, &problem) == GM_OK) {
        if (gm_reader_read(reader, text, sizeof text - 1, 0, &output) != GM_OK) {
            abort();
        }
        gm_output_free(&output);
    }
    gm_output_free(&problem);
    gm_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    const char *bytes = (const char *)data;
    gm_output output;
    read_with(bytes, size);
    must_succeed(gm_meaning_notes("/nowhere/fuzz.py", bytes, size, &output), &output);
    must_succeed(gm_meaning_source("/nowhere/fuzz.py", bytes, size, "Person", &output), &output);
    must_succeed(gm_meaning_source("/nowhere/fuzz.py", bytes, size, "hire", &output), &output);
    return 0;
}
