/* `graphmend meaning`: what a function or class means to a language model. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"
#include "driver/files.h"
#include "meaning/source.h"

static const char usage[] =
    "usage: graphmend meaning FILE[:NAME]\n"
    "\n"
    "Prints the meaning of a function or class as JSON (docs/meaning.md): its names and types, and what its author\n"
    "wrote about them. NAME is a qualified name, such as Person or Office.hire. Without it, prints what is written\n"
    "about all functions and classes of the file.\n";

static int complain(const char *words, const char *path, const char *reason, unsigned line) {
    if (line > 0) {
        gm_cli_say(stderr, "graphmend: `%s`:%u: %s%s\n", path, line, words, reason);
    } else {
        gm_cli_say(stderr, "graphmend: `%s`: %s%s\n", path, words, reason);
    }
    return GM_EXIT_USAGE;
}

static int print_meaning(gm_arena *arena, const gm_file *file, const char *name) {
    gm_buffer out;
    gm_buffer_init(&out, arena);
    if (name == NULL) {
        gm_source_notes(arena, file->path, file->bytes, file->size, &out);
    } else {
        gm_meaning meaning;
        gm_source_problem problem = gm_source_meaning(arena, file->path, file->bytes, file->size, name, &meaning);
        if (problem.message != NULL) {
            return complain("", problem.path, problem.message, problem.line);
        }
        gm_meaning_write(&meaning, true, &out);
    }
    gm_cli_put(stdout, out.bytes, out.length);
    return GM_EXIT_CLEAN;
}

/* A path may have a colon itself: the whole of it is tried first. */
static int run(gm_arena *arena, const char *argument) {
    gm_file file = {.path = argument};
    const char *colon = strrchr(argument, ':');
    const char *problem = gm_file_read_most(arena, argument, GM_FILE_MOST, &file);
    if (problem == NULL) {
        return print_meaning(arena, &file, NULL);
    }
    if (colon == NULL) {
        return complain("", argument, problem, 0);
    }
    const char *path = gm_arena_copy(arena, argument, (size_t)(colon - argument));
    problem = gm_file_read_most(arena, path, GM_FILE_MOST, &file);
    return problem != NULL ? complain("", path, problem, 0) : print_meaning(arena, &file, colon + 1);
}

int gm_cli_meaning(int count, char **arguments) {
    if (count == 2 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0)) {
        gm_cli_print_text(stdout, usage);
        return GM_EXIT_CLEAN;
    }
    if (count != 2 || arguments[1][0] == '-') {
        gm_cli_print_text(stderr, count == 2 ? "graphmend: unknown option, see `graphmend meaning --help`\n" : usage);
        return GM_EXIT_USAGE;
    }
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    volatile int status = GM_EXIT_USAGE;
    if (setjmp(out_of_memory) == 0) {
        status = run(&arena, arguments[1]);
    } else {
        gm_cli_print_text(stderr, "graphmend: out of memory\n");
    }
    gm_arena_free(&arena);
    return status;
}
