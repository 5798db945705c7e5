#include "corpus.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void fail(const char *what, const char *path) {
    fprintf(stderr, "%s %s\n", what, path);
    exit(2);
}

static void *allocate(void *block, size_t size) {
    void *made = realloc(block, size > 0 ? size : 1);
    if (made == NULL) {
        fail("no memory", "for inputs");
    }
    return made;
}

void corpus_add(corpus *all, const unsigned char *bytes, size_t size) {
    if (all->count == all->capacity) {
        all->capacity = all->capacity * 2 + 64;
        all->entries = allocate(all->entries, all->capacity * sizeof *all->entries);
    }
    corpus_entry *entry = &all->entries[all->count++];
    entry->bytes = allocate(NULL, size);
    entry->size = size;
    memcpy(entry->bytes, bytes, size);
}

static void read_file(corpus *all, const char *path, size_t size) {
    FILE *stream = fopen(path, "rb");
    unsigned char *bytes = allocate(NULL, size);
    if (stream == NULL || fread(bytes, 1, size, stream) != size) {
        fail("cannot read", path);
    }
    fclose(stream);
    corpus_add(all, bytes, size);
    free(bytes);
}

static void read_folder(corpus *all, const char *path, size_t most) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fail("cannot read", path);
    }
    for (struct dirent *each = readdir(folder); each != NULL; each = readdir(folder)) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/%s", path, each->d_name);
        if (each->d_name[0] != '.' && length > 0 && (size_t)length < sizeof name) {
            corpus_read(all, name, most);
        }
    }
    closedir(folder);
}

void corpus_read(corpus *all, const char *path, size_t most) {
    struct stat state;
    if (stat(path, &state) != 0) {
        fail("there is no", path);
    }
    if (S_ISDIR(state.st_mode)) {
        read_folder(all, path, most);
    } else if (S_ISREG(state.st_mode) && (size_t)state.st_size <= most) {
        read_file(all, path, (size_t)state.st_size);
    }
}

void corpus_write(const char *prefix, const unsigned char *bytes, size_t size) {
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    char name[4096];
    int length = snprintf(name, sizeof name, "%s%016llx", prefix, (unsigned long long)hash);
    FILE *stream = length > 0 && (size_t)length < sizeof name ? fopen(name, "wb") : NULL;
    if (stream == NULL || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
        fail("cannot write", name);
    }
}

void corpus_free(corpus *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->entries[i].bytes);
    }
    free(all->entries);
    *all = (corpus){NULL, 0, 0};
}
