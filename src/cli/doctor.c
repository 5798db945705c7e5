/* `graphmend doctor` and `graphmend debug hooks`: hand their command lines to the environment's Python, which asks the
 * torch that is installed there. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/python.h"
#include "cli/say.h"

/* As for `run`: nothing in the current folder can stand in for our own package. */
#define GM_START                                          \
    "import sys\n"                                        \
    "if not getattr(sys.flags, 'safe_path', False):\n"    \
    "    del sys.path[0]\n"                               \
    "try:\n"                                              \
    "    from graphmend import doctor\n"                  \
    "except ImportError as error:\n"                      \
    "    print(f'graphmend: {error}', file=sys.stderr)\n" \
    "    sys.exit(2)\n"

static const char doctor[] = GM_START "sys.exit(doctor.main(sys.argv[1:]))\n";
static const char hooks[] = GM_START "sys.exit(doctor.hooks(sys.argv[1:]))\n";

static const char usage[] = "usage: graphmend doctor [--json]\n"
                            "\n"
                            "Says which torch, Python and cache graphmend works with, how much of it is in force there, and what is off\n"
                            "and why, in a form to paste into a report.\n"
                            "\n"
                            "Exit status: 0 all mends are in force, 1 some are not, 2 none is.\n";

int gm_cli_doctor(int count, char **arguments) {
    if (count == 2 && (strcmp(arguments[1], "-h") == 0 || strcmp(arguments[1], "--help") == 0)) {
        gm_cli_print_text(stdout, usage);
        return GM_EXIT_CLEAN;
    }
    if (count > 2 || (count == 2 && strcmp(arguments[1], "--json") != 0)) {
        gm_cli_print(stderr, "graphmend: unknown option\n%s", usage);
        return GM_EXIT_USAGE;
    }
    return gm_cli_execute_python(doctor, count - 1, arguments + 1);
}

int gm_cli_debug_hooks(int count, char **arguments) {
    return gm_cli_execute_python(hooks, count - 1, arguments + 1);
}
