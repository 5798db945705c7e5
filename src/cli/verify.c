/* `graphmend verify`: checks the command line, and hands it to the environment's Python, which does the work. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/python.h"
#include "cli/say.h"

/* As for `run`: nothing in the current folder can stand in for our own package. */
static const char bootstrap[] = "import sys\n"
                                "if not getattr(sys.flags, 'safe_path', False):\n"
                                "    del sys.path[0]\n"
                                "try:\n"
                                "    from graphmend.verify.main import run\n"
                                "except ImportError as error:\n"
                                "    print(f'graphmend: {error}', file=sys.stderr)\n"
                                "    sys.exit(2)\n"
                                "sys.exit(run(sys.argv[1:]))\n";

/* The names of the options; Python reads their values once more. Returns what `gm_options_read` does. */
static int read_options(int count, char **arguments) {
    const char *value = NULL;
    bool no_fullgraph = false;
    const gm_option options[] = {
        {"--backend", NULL, &value, "NAME", "compile with this backend (default: what the program asks for; inductor)"},
        {"--calls", NULL, &value, "N", "calls of a callable (default 10), or of a script to compare in full (default 100)"},
        {"--json", NULL, &value, "FILE", "write everything that was found (docs/verify.md)"},
        {"--html", NULL, &value, "FILE", "write the same as one page for a browser"},
        {"--baseline", NULL, &value, "FILE", "fail when the mended program breaks where this file does not say so"},
        {"--write-baseline", NULL, &value, "FILE", "list where the mended program breaks in a file for `--baseline`"},
        {"--no-fullgraph", &no_fullgraph, NULL, NULL, "leave out the two runs that ask for fullgraph=True"},
        {"--seed", NULL, &value, "N", "the seed of all random generators at the start (default 0)"},
        {"--timeout", NULL, &value, "SECONDS", "the longest that one run may take (default 3600, 0: no limit)"},
        {"--kernels", NULL, &value, "FOLDER", "keep compiled kernels of inductor here; the first calls are then not timed"},
        {"--inputs", NULL, &value, "NAME", "the function that makes the inputs of a callable (default: inputs)"},
        {"--color", NULL, &value, "WHEN", "auto (a terminal and no NO_COLOR; default), always or never"},
    };
    const gm_cli_usage usage = {
        .synopsis = "graphmend verify [OPTIONS] SCRIPT|MODULE:CALLABLE|-m MODULE [ARGUMENTS]",
        .summary = "Runs a Python program as it is and with mends, each in a process of its own, and says what broke, what is\n"
                   "mended, whether anything differs, and what it costs.\n\n"
                   "  graphmend verify train.py --lr 3e-4     a script, or `-m MODULE`; options stand in front of it\n"
                   "  graphmend verify package.model:Net      a function, module class or factory, called with `inputs()`\n\n"
                   "Exit status: 0 the mended program does the same and nothing is worse, 1 it does not, 2 the program itself\n"
                   "cannot be run, or compiles nothing.",
        .options = options,
        .count = sizeof options / sizeof options[0],
        .leading = true,
    };
    int operands = gm_options_read(count, arguments, &usage);
    if (operands == 0) {
        gm_cli_say(stderr, "graphmend: no script\nusage: %s\n", usage.synopsis);
        return GM_OPTIONS_WRONG;
    }
    return operands;
}

int gm_cli_verify(int count, char **arguments) {
    char **copy = malloc((size_t)count * sizeof *copy);
    if (copy == NULL) {
        gm_cli_print(stderr, "graphmend: out of memory\n");
        return GM_EXIT_USAGE;
    }
    memcpy(copy, arguments, (size_t)count * sizeof *copy);
    int operands = read_options(count, copy);
    free(copy);
    if (operands < 0) {
        return operands == GM_OPTIONS_HELP ? GM_EXIT_CLEAN : GM_EXIT_USAGE;
    }
    return gm_cli_execute_python(bootstrap, count - 1, arguments + 1);
}
