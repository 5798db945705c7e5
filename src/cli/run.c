/* `graphmend run`: replaces this process by the environment's Python, which runs the program with the hook in place. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/python.h"
#include "cli/say.h"

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
                                "    program = sys.argv[1:]\n"
                                "    while program[0].startswith('--'):\n"
                                "        del program[0]\n"
                                "    os.execv(sys.executable, [sys.executable, *program])\n"
                                "run(sys.argv[1:])\n";

static const char usage[] =
    "usage: graphmend run [OPTIONS] SCRIPT [ARGUMENTS]\n"
    "       graphmend run [OPTIONS] -m MODULE [ARGUMENTS]\n"
    "       graphmend run [OPTIONS] - [ARGUMENTS]      (the program on standard input)\n"
    "\n"
    "Runs a Python program with mends applied in memory to every module it imports.\n"
    "\n"
    "  --check[=N]              compare the first N calls (3) of every compiled callable with eager Python in a\n"
    "                           copy of the process; status 3 where one differs\n"
    "  --timings[=FILE]         say at the end where the seconds went: mending, traces kept and thrown away, proofs,\n"
    "                           the backend; FILE gets the same as JSON\n"
    "\n"
    "environment:\n"
    "  GRAPHMEND=0              run the program as it is\n"
    "  GRAPHMEND_SUMMARY=0|full no summary at exit, or one that names every place\n"
    "  GRAPHMEND_CACHE_DIR      folder for mended code (default: below the user's cache folder)\n"
    "  GRAPHMEND_PYTHON         the interpreter (default: the one beside this executable)\n";

static bool is_off(void) {
    const char *value = getenv("GRAPHMEND");
    return value != NULL && strcmp(value, "0") == 0;
}

static bool asks_for_help(const char *argument) {
    return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0;
}

/* Whether an argument is `--check` or `--check=N`, N being a number above 0. */
static bool asks_for_check(const char *argument) {
    static const char name[] = "--check";
    if (strncmp(argument, name, sizeof name - 1) != 0) {
        return false;
    }
    const char *rest = argument + sizeof name - 1;
    size_t digits = *rest == '=' ? strspn(rest + 1, "0123456789") : 0;
    return *rest == '\0' || (digits > 0 && rest[1 + digits] == '\0' && strspn(rest + 1, "0") < digits);
}

/* Whether an argument is `--timings` or `--timings=FILE`. */
static bool asks_for_timings(const char *argument) {
    static const char name[] = "--timings";
    if (strncmp(argument, name, sizeof name - 1) != 0) {
        return false;
    }
    const char *rest = argument + sizeof name - 1;
    return *rest == '\0' || (*rest == '=' && rest[1] != '\0');
}

/* The number of options in front of the program. */
static int options_of(int count, char **arguments) {
    int options = 0;
    while (options + 1 < count && (asks_for_check(arguments[options + 1]) || asks_for_timings(arguments[options + 1]))) {
        options++;
    }
    return options;
}

/* A command line is right when it names a program; otherwise this says what is wrong. */
static bool names_program(int count, char **arguments) {
    bool module = count > 1 && strcmp(arguments[1], "-m") == 0;
    if (count < 2 || (module && count < 3)) {
        gm_cli_say(stderr, "graphmend: no %s\n", module ? "module" : "script");
        return false;
    }
    if (!module && arguments[1][0] == '-' && arguments[1][1] != '\0') {
        gm_cli_say(stderr, "graphmend: unknown option `%s`\n", arguments[1]);
        return false;
    }
    return true;
}

int gm_cli_run(int count, char **arguments) {
    if (count == 2 && asks_for_help(arguments[1])) {
        gm_cli_print_text(stdout, usage);
        return GM_EXIT_CLEAN;
    }
    int options = options_of(count, arguments);
    if (!names_program(count - options, arguments + options)) {
        gm_cli_print_text(stderr, usage);
        return GM_EXIT_USAGE;
    }
    int first = is_off() ? 1 + options : 1;
    return gm_cli_execute_python(is_off() ? NULL : bootstrap, count - first, arguments + first);
}
