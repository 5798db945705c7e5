/* Reading whole files in test programs. */
#ifndef GM_TESTS_READ_FILE_H
#define GM_TESTS_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* The contents of a file in a block of exactly its size, so that a sanitizer sees the first byte read beyond it.
 * Ends the program when the file cannot be read. */
static inline char *read_file(const char *path, size_t *size) {
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    *size = (size_t)ftell(stream);
    rewind(stream);
    char *bytes = malloc(*size > 0 ? *size : 1);
    if (bytes == NULL || fread(bytes, 1, *size, stream) != *size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(stream);
    return bytes;
}

#endif
