/* `graphmend debug bench`: how long parsing takes, without reading files and starting processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/say.h"
#include "driver/files.h"
#include "syntax/parse.h"

enum { DEFAULT_ROUNDS = 3 };

typedef struct work {
    gm_file *files;
    int count;
    size_t bytes;
    long tokens;
} work;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Parse one file in memory of its own, as every command does. Returns the number of tokens, -1 without memory. */
static long parse_file(const gm_file *file) {
    jmp_buf out_of_memory;
    gm_arena arena;
    volatile long tokens = -1;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        tokens = (long)gm_parse(&arena, file->path, file->bytes, file->size, NULL)->token_count;
    }
    gm_arena_free(&arena);
    return tokens;
}

static bool read_files(gm_arena *arena, work *job, char **paths) {
    job->files = GM_NEW_ARRAY(arena, gm_file, job->count);
    for (int i = 0; i < job->count; i++) {
        const char *problem = gm_file_read(arena, paths[i], &job->files[i]);
        if (problem != NULL) {
            gm_cli_say(stderr, "graphmend: `%s`: %s\n", paths[i], problem);
            return false;
        }
        job->bytes += job->files[i].size;
    }
    return true;
}

/* Seconds of the fastest of `rounds` rounds over all files; negative without memory. */
static double time_rounds(work *job, long rounds) {
    double best = -1;
    for (long round = 0; round < rounds; round++) {
        double started = now();
        job->tokens = 0;
        for (int i = 0; i < job->count; i++) {
            long tokens = parse_file(&job->files[i]);
            if (tokens < 0) {
                return -1;
            }
            job->tokens += tokens;
        }
        double seconds = now() - started;
        best = best < 0 || seconds < best ? seconds : best;
    }
    return best;
}

static int measure(work *job, char **paths, long rounds) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    double seconds = -1;
    if (setjmp(out_of_memory) != 0) {
        gm_cli_print(stderr, "graphmend: out of memory\n");
    } else if (read_files(&arena, job, paths)) {
        seconds = time_rounds(job, rounds);
        if (seconds < 0) {
            gm_cli_print(stderr, "graphmend: out of memory\n");
        } else {
            gm_cli_print(stdout, "{\"files\": %d, \"bytes\": %zu, \"tokens\": %ld, \"seconds\": %.6f}\n", job->count, job->bytes,
                         job->tokens, seconds);
        }
    }
    gm_arena_free(&arena);
    return seconds < 0 ? GM_EXIT_USAGE : GM_EXIT_CLEAN;
}

int gm_cli_debug_bench(int count, char **arguments) {
    long rounds = DEFAULT_ROUNDS;
    int first = 1;
    if (count > 2 && strcmp(arguments[1], "--rounds") == 0) {
        rounds = strtol(arguments[2], NULL, 10);
        first = 3;
    }
    if (first >= count || rounds < 1) {
        gm_cli_print(stderr, "usage: graphmend debug bench [--rounds N] FILE...\n");
        return GM_EXIT_USAGE;
    }
    work job = {.count = count - first};
    return measure(&job, arguments + first, rounds);
}
