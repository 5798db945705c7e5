#include "cli/debug.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"

static const gm_command stages[] = {
#define GM_STAGE(name, function, summary) {name, function, summary},
#include "cli/stages.def"
    {NULL, NULL, NULL},
};

int gm_cli_debug(int count, char **arguments) {
    for (const gm_command *stage = stages; count > 1 && stage->name != NULL; stage++) {
        if (strcmp(arguments[1], stage->name) == 0) {
            return stage->run(count - 1, arguments + 1);
        }
    }
    gm_cli_print(stderr, "usage: graphmend debug STAGE [OPTIONS] FILE...\n\nstages:\n");
    for (const gm_command *stage = stages; stage->name != NULL; stage++) {
        gm_cli_print(stderr, "  %-8s %s\n", stage->name, stage->summary);
    }
    return GM_EXIT_USAGE;
}
