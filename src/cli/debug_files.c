#include "cli/debug_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"

enum { READ_STEP = 1 << 16 };

/* The whole of a stream in memory from malloc; NULL with `*size` undefined when it cannot be read. */
static char *read_stream(FILE *stream, size_t *size) {
    char *bytes = NULL;
    size_t used = 0;
    for (;;) {
        char *more = realloc(bytes, used + READ_STEP);
        if (more == NULL) {
            free(bytes);
            return NULL;
        }
        bytes = more;
        size_t got = fread(bytes + used, 1, READ_STEP, stream);
        used += got;
        if (got < READ_STEP) {
            *size = used;
            return bytes;
        }
    }
}

static char *read_path(const char *path, size_t *size) {
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        return NULL;
    }
    char *bytes = read_stream(stream, size);
    if (!standard) {
        fclose(stream);
    }
    return bytes;
}

static void print_parsed(gm_arena *arena, const char *path, const char *bytes, size_t size, const gm_debug_options *options,
                         gm_debug_print print) {
    gm_parse_options parse = {.target = options->target};
    gm_tree *tree = gm_parse(arena, path, bytes, size, &parse);
    gm_buffer out;
    gm_buffer_init(&out, arena);
    print(arena, tree, options, &out);
    if (out.length > 0) {
        gm_cli_put(stdout, out.bytes, out.length);
    }
}

/* Apart from the reading, so that nothing that changes lives across setjmp. */
static int print_bytes(const char *path, const char *bytes, size_t size, const gm_debug_options *options, gm_debug_print print) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) != 0) {
        gm_cli_say(stderr, "graphmend: out of memory in `%s`\n", path);
        gm_arena_free(&arena);
        return GM_EXIT_USAGE;
    }
    print_parsed(&arena, path, bytes, size, options, print);
    gm_arena_free(&arena);
    return GM_EXIT_CLEAN;
}

static int print_file(const char *path, const gm_debug_options *options, gm_debug_print print) {
    size_t size = 0;
    char *bytes = read_path(path, &size);
    if (bytes == NULL) {
        gm_cli_say(stderr, "graphmend: cannot read `%s`\n", path);
        return GM_EXIT_USAGE;
    }
    int status = print_bytes(path, bytes, size, options, print);
    free(bytes);
    return status;
}

static bool read_target(const char *text, gm_version *target) {
    char *end = NULL;
    long minor = strncmp(text, "3.", 2) == 0 ? strtol(text + 2, &end, 10) : 0;
    long version = 300 + minor;
    if (end == NULL || *end != '\0' || version < GM_VERSION_OLDEST || version > GM_VERSION_NEWEST) {
        return false;
    }
    *target = (gm_version)version;
    return true;
}

static bool read_switch(const char *argument, const char *const *switches, gm_debug_options *options) {
    for (size_t i = 0; switches[i] != NULL; i++) {
        if (strcmp(argument, switches[i]) == 0) {
            options->switched[i] = true;
            return true;
        }
    }
    return false;
}

/* Returns the index of the first file, or 0 when the options are wrong. */
static int read_options(int count, char **arguments, const char *const *switches, gm_debug_options *options) {
    int at = 1;
    while (at < count && arguments[at][0] == '-' && arguments[at][1] != '\0') {
        if (strcmp(arguments[at], "--target") == 0 && at + 1 < count && read_target(arguments[at + 1], &options->target)) {
            at += 2;
        } else if (read_switch(arguments[at], switches, options)) {
            at++;
        } else {
            return 0;
        }
    }
    return at < count ? at : 0;
}

int gm_debug_each_file(int count, char **arguments, const char *const *switches, gm_debug_print print) {
    gm_debug_options options = {0};
    int first = read_options(count, arguments, switches, &options);
    if (first == 0) {
        gm_cli_say(stderr, "usage: graphmend debug %s [--target 3.N]", arguments[0]);
        for (size_t i = 0; switches[i] != NULL; i++) {
            gm_cli_say(stderr, " [%s]", switches[i]);
        }
        gm_cli_print(stderr, " FILE...\n");
        return GM_EXIT_USAGE;
    }
    int status = GM_EXIT_CLEAN;
    options.status = &status;
    for (int i = first; i < count; i++) {
        int one = print_file(arguments[i], &options, print);
        status = one > status ? one : status;
    }
    return status;
}
