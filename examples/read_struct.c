/* Reads a struct out of what a language model wrote. The struct is described as a Python class; no Python is needed.
 *
 *     cc examples/read_struct.c -Iinclude -Lbuild/c -lgraphmend -o read_struct && ./read_struct */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphmend.h"

static const char description[] = "from dataclasses import dataclass\n"
                                  "@dataclass\n"
                                  "class Sensor:\n"
                                  "    name: str\n"
                                  "    celsius: float\n"
                                  "    tags: list[str]\n";

static const char answer[] = "The sensor you asked for:\n"
                             "```json\n"
                             "{name: 'roof', \"celsius\": \"21.5\", \"tags\": [\"outside\", \"north\",]}\n"
                             "```\n";

static gm_reader *make_reader(void) {
    gm_reader *reader = NULL;
    gm_output meaning;
    gm_output problem;
    if (gm_meaning_source("sensor.py", description, strlen(description), "Sensor", &meaning) != GM_OK) {
        return NULL;
    }
    if (gm_reader_new(meaning.bytes, meaning.size, &reader, &problem) != GM_OK) {
        fprintf(stderr, "%s\n", problem.size > 0 ? problem.bytes : "out of memory");
    }
    gm_output_free(&problem);
    gm_output_free(&meaning);
    return reader;
}

int main(void) {
    gm_reader *reader = make_reader();
    gm_output reading;
    if (reader == NULL || gm_reader_read(reader, answer, strlen(answer), GM_READ_PLAIN, &reading) != GM_OK) {
        gm_reader_free(reader);
        return EXIT_FAILURE;
    }
    printf("%s\n", reading.bytes);
    gm_output_free(&reading);
    gm_reader_free(reader);
    return EXIT_SUCCESS;
}
