/* Inputs that took new ways, in memory and in a folder. */
#ifndef GM_FUZZ_CORPUS_H
#define GM_FUZZ_CORPUS_H

#include <stddef.h>

typedef struct corpus_entry {
    unsigned char *bytes;
    size_t size;
} corpus_entry;

typedef struct corpus {
    corpus_entry *entries;
    size_t count;
    size_t capacity;
} corpus;

/* Adds a copy of the bytes. All functions end the program where there is no memory. */
void corpus_add(corpus *all, const unsigned char *bytes, size_t size);

/* Adds a file, or all files of a folder and the folders in it, up to `most` bytes each; a path that is neither ends the program. */
void corpus_read(corpus *all, const char *path, size_t most);

/* Writes bytes into a file that is called after their contents: `prefix` and a hash. */
void corpus_write(const char *prefix, const unsigned char *bytes, size_t size);

void corpus_free(corpus *all);

#endif
