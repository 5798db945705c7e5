/* `graphmend debug paths`: the files that a command would look at. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/files.h"
#include "cli/say.h"
#include "driver/discover.h"

typedef struct roots {
    char **paths;
    int count;
} roots;

static int print_paths(gm_arena *arena, void *context) {
    const roots *given = context;
    const gm_discover_options options = {.isolated = false};
    const gm_found *found = gm_discover(arena, (const char *const *)given->paths, given->count, &options);
    for (uint32_t i = 0; i < found->targets.count; i++) {
        gm_cli_say(stdout, "%s\n", found->targets.items[i].path);
    }
    for (uint32_t i = 0; i < found->problems.count; i++) {
        gm_cli_say(stderr, "graphmend: `%s`: %s\n", found->problems.items[i].path, found->problems.items[i].words);
    }
    return found->problems.count > 0 ? GM_EXIT_USAGE : GM_EXIT_CLEAN;
}

int gm_cli_debug_paths(int count, char **arguments) {
    if (count < 2) {
        gm_cli_print(stderr, "usage: graphmend debug paths PATH...\n");
        return GM_EXIT_USAGE;
    }
    roots given = {arguments + 1, count - 1};
    return gm_cli_with_arena(print_paths, &given);
}
