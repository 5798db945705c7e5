#include "cli/cli.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>

static const gm_command commands[] = {
#define GM_COMMAND(name, function, summary) {name, function, summary},
#include "cli/commands.def"
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *stream) {
    gm_cli_print(stream, "usage: graphmend COMMAND [ARGUMENTS]\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        gm_cli_print(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
}

int main(int count, char **arguments) {
    if (count < 2) {
        print_usage(stderr);
        return GM_EXIT_USAGE;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        print_usage(stdout);
        return GM_EXIT_CLEAN;
    }
    if (strcmp(arguments[1], "--version") == 0) {
        gm_cli_print(stdout, "graphmend %s\n", GM_VERSION_TEXT);
        return GM_EXIT_CLEAN;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(arguments[1], commands[i].name) == 0) {
            return commands[i].run(count - 1, arguments + 1);
        }
    }
    gm_cli_say(stderr, "graphmend: unknown command `%s`, see `graphmend --help`\n", arguments[1]);
    return GM_EXIT_USAGE;
}
