/* The command line: one file a command, listed in commands.def. Only this folder prints. */
#ifndef GM_CLI_CLI_H
#define GM_CLI_CLI_H

enum { GM_EXIT_CLEAN = 0, GM_EXIT_FINDINGS = 1, GM_EXIT_USAGE = 2 };

/* `arguments[0]` is the command's own name. Returns the exit status. */
typedef struct gm_command {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *summary;
} gm_command;

#define GM_COMMAND(name, function, summary) int function(int count, char **arguments);
#include "cli/commands.def"

#endif
