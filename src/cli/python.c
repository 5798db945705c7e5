#include "cli/python.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/say.h"

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

/* execvp changes none of its arguments, but asks for texts that it might change. */
static char *argument(const char *text) {
    return (char *)(uintptr_t)text;
}

int gm_cli_execute_python(const char *bootstrap, int count, char **arguments) {
    char **command = calloc((size_t)count + 4, sizeof *command);
    if (command == NULL) {
        gm_cli_print(stderr, "graphmend: out of memory\n");
        return GM_EXIT_USAGE;
    }
    char room[PATH_ROOM];
    const char *python = find_python(room);
    int length = 0;
    command[length++] = argument(python);
    if (bootstrap != NULL) {
        command[length++] = argument("-c");
        command[length++] = argument(bootstrap);
    }
    memcpy(command + length, arguments, (size_t)count * sizeof *command);
    execvp(python, command);
    gm_cli_say(stderr, "graphmend: cannot run `%s`: %s\n", python, strerror(errno));
    free(command);
    return GM_EXIT_USAGE;
}
