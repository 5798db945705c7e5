#include "cli/cli.h"
#include "cli/closest.h"
#include "cli/say.h"

#include <stdbool.h>
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

static const gm_command *find_command(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int complain(const char *name) {
    gm_closest closest = gm_closest_start(name, strlen(name));
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        gm_closest_offer(&closest, commands[i].name);
    }
    gm_cli_say(stderr, "graphmend: unknown command `%s`, see `graphmend --help`\n", name);
    gm_closest_say(&closest);
    return GM_EXIT_USAGE;
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
    if (strcmp(arguments[1], "--version") == 0 || strcmp(arguments[1], "-V") == 0) {
        gm_cli_print(stdout, "graphmend %s\n", GM_VERSION_TEXT);
        return GM_EXIT_CLEAN;
    }
    bool help = strcmp(arguments[1], "help") == 0;
    if (help && count < 3) {
        print_usage(stdout);
        return GM_EXIT_CLEAN;
    }
    const gm_command *command = find_command(arguments[help ? 2 : 1]);
    if (command == NULL) {
        return complain(arguments[help ? 2 : 1]);
    }
    static char option[] = "--help";
    char *asked[] = {arguments[help ? 2 : 1], option, NULL};
    return help ? command->run(2, asked) : command->run(count - 1, arguments + 1);
}
