/* libFuzzer entry: whatever a model writes, what the core answers is JSON, and a value is one of its schema. Both are asked of the strict
 * reader: it accepts exactly RFC 8259. Floats alone may be NaN, Infinity and -Infinity, for which the target writes digits. The first byte
 * chooses the type, strictness and partial reading. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graphmend.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define MEANING(types) "{\"meaning\":1,\"root\":0,\"types\":[" types "]}"
#define PERSON \
    "{\"form\":\"record\",\"name\":\"Person\",\"fields\":[{\"name\":\"name\",\"type\":1},{\"name\":\"age\",\"type\":3,\"required\":false}]}"
#define ANY MEANING("{\"form\":\"any\"}")

static const char *const meanings[] = {
    ANY,
    MEANING("{\"form\":\"union\",\"items\":[1,2]},{\"form\":\"str\"},{\"form\":\"none\"}"),
    MEANING("{\"form\":\"union\",\"items\":[1,2]},{\"form\":\"str\"}," PERSON ",{\"form\":\"int\"}"),
    MEANING("{\"form\":\"list\",\"items\":[2]},{\"form\":\"str\"}," PERSON ",{\"form\":\"int\"}"),
    MEANING("{\"form\":\"list\",\"items\":[1]},{\"form\":\"list\",\"items\":[2]},{\"form\":\"int\"}"),
    MEANING("{\"form\":\"dict\",\"items\":[1,2]},{\"form\":\"str\"},{\"form\":\"any\"}"),
    MEANING("{\"form\":\"union\",\"items\":[1,2,3,4]},{\"form\":\"int\"},{\"form\":\"float\"},{\"form\":\"bool\"},{\"form\":\"none\"}"),
    MEANING("{\"form\":\"str\"}"),
};

static gm_output read_as(const char *meaning, const char *text, size_t size, unsigned flags) {
    gm_reader *reader = NULL;
    gm_output output = {NULL, 0};
    if (gm_reader_new(meaning, strlen(meaning), &reader, NULL) != GM_OK || gm_reader_read(reader, text, size, flags, &output) != GM_OK) {
        abort();
    }
    gm_reader_free(reader);
    return output;
}

static bool is_good(const gm_output *output) {
    return output->size > 10 && memcmp(output->bytes, "{\"ok\":true", 10) == 0;
}

/* Write digits over the words for floats that JSON has no text for, outside of strings. */
static void write_digits(char *text, size_t size) {
    static const char *const words[] = {"NaN", "Infinity"};
    bool in_string = false;
    for (size_t at = 0; at < size; at++) {
        if (text[at] == '"') {
            in_string = !in_string;
        } else if (in_string && text[at] == '\\') {
            at++;
        } else if (!in_string) {
            for (size_t word = 0; word < sizeof words / sizeof words[0]; word++) {
                size_t length = strlen(words[word]);
                if (size - at >= length && memcmp(text + at, words[word], length) == 0) {
                    memset(text + at, '1', length);
                }
            }
        }
    }
}

static void must_be(const char *meaning, const char *text, size_t size) {
    char *copy = malloc(size + 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, text, size);
    write_digits(copy, size);
    gm_output again = read_as(meaning, copy, size, GM_READ_STRICT | GM_READ_PLAIN);
    if (!is_good(&again) && strstr(again.bytes, "nested too deep") == NULL) { /* the answer itself is one level more */
        abort();
    }
    gm_output_free(&again);
    free(copy);
}

/* The value is the last member. Its name cannot stand in front of it: names of repairs have no quotes. */
static void check_value(const char *meaning, const gm_output *output) {
    static const char name[] = "\"value\":";
    const char *value = strstr(output->bytes, name);
    if (value == NULL) {
        abort();
    }
    value += sizeof name - 1;
    must_be(meaning, value, (size_t)(output->bytes + output->size - value) - 1);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const char *meaning = meanings[data[0] & 7U];
    unsigned flags = GM_READ_PLAIN | (data[0] >> 3 & (GM_READ_STRICT | GM_READ_PARTIAL));
    gm_output output = read_as(meaning, (const char *)data + 1, size - 1, flags);
    must_be(ANY, output.bytes, output.size);
    if (is_good(&output) && (flags & GM_READ_PARTIAL) == 0) {
        check_value(meaning, &output);
    }
    gm_output_free(&output);
    return 0;
}
