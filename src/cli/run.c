/* `graphmend run`: replaces this process by the environment's Python, which runs the program with the hook in place. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* `-c` instead of `-m`: nothing in the current folder can stand in for our own package. A Python without graphmend runs the
 * program as it is. */
static const char bootstrap[] = "import sys\n"
                                "if not getattr(sys.flags, 'safe_path', False):\n"
                                "    del sys.path[0]\n"
                                "try:\n"
                                "    from graphmend.launch import run\n"
                                "except ImportError as error:\n"
                                "    import os\n"
                                "    print(f'graphmend: warning: {error}; the program runs as it is', file=sys.stderr)\n"
                                "    sys.stderr.flush()\n"
                                "    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])\n"
                                "run(sys.argv[1:])\n";

static const char usage[] = "usage: graphmend run SCRIPT [ARGUMENTS]\n"
                            "       graphmend run -m MODULE [ARGUMENTS]\n"
                            "\n"
                            "Runs a Python program with mends applied in memory to every module it imports.\n"
                            "\n"
                            "environment:\n"
                            "  GRAPHMEND=0              run the program as it is\n"
                            "  GRAPHMEND_SUMMARY=0|full no summary at exit, or one that names every place\n"
                            "  GRAPHMEND_CACHE_DIR      folder for mended code (default: below the user's cache folder)\n"
                            "  GRAPHMEND_PYTHON         the interpreter (default: the one beside this executable)\n";

enum { PATH_ROOM = 4096 };

/* The interpreter beside this executable, or the first `python3` on PATH. `room` holds PATH_ROOM bytes. */
static const char *find_python(char *room) {
    const char *named = getenv("GRAPHMEND_PYTHON");
    if (named != NULL && *named != '\0') {
        return named;
    }
    static const char *const names[] = {"python3", "python"};
    ssize_t length = readlink("/proc/self/exe", room, PATH_ROOM - 16);
    while (length > 0 && room[length - 1] != '/') {
        length--;
    }
    for (size_t i = 0; length > 0 && i < sizeof names / sizeof names[0]; i++) {
        memcpy(room + length, names[i], strlen(names[i]) + 1);
        if (access(room, X_OK) == 0) {
            return room;
        }
    }
    return "python3";
}

static bool is_off(void) {
    const char *value = getenv("GRAPHMEND");
    return value != NULL && strcmp(value, "0") == 0;
}

static bool asks_for_help(const char *argument) {
    return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0;
}

/* A command line is right when it names a program; otherwise this says what is wrong. */
static bool names_program(int count, char **arguments) {
    bool module = count > 1 && strcmp(arguments[1], "-m") == 0;
    if (count < 2 || (module && count < 3)) {
        fprintf(stderr, "graphmend: no %s\n", module ? "module" : "script");
        return false;
    }
    if (!module && arguments[1][0] == '-') {
        fprintf(stderr, "graphmend: unknown option `%s`\n", arguments[1]);
        return false;
    }
    return true;
}

/* Replace this process by `python [-c bootstrap] arguments`; comes back only to report a failure. */
static int execute(const char *python, int count, char **arguments) {
    char **command = calloc((size_t)count + 4, sizeof *command);
    if (command == NULL) {
        fprintf(stderr, "graphmend: out of memory\n");
        return GM_EXIT_USAGE;
    }
    int length = 0;
    command[length++] = (char *)(uintptr_t)python;
    if (!is_off()) {
        command[length++] = (char *)(uintptr_t)"-c";
        command[length++] = (char *)(uintptr_t)bootstrap;
    }
    memcpy(command + length, arguments, (size_t)count * sizeof *command);
    execvp(python, command);
    fprintf(stderr, "graphmend: cannot run `%s`: %s\n", python, strerror(errno));
    free(command);
    return GM_EXIT_USAGE;
}

int gm_cli_run(int count, char **arguments) {
    if (count == 2 && asks_for_help(arguments[1])) {
        fputs(usage, stdout);
        return GM_EXIT_CLEAN;
    }
    if (!names_program(count, arguments)) {
        fputs(usage, stderr);
        return GM_EXIT_USAGE;
    }
    char room[PATH_ROOM];
    return execute(find_python(room), count - 1, arguments + 1);
}
