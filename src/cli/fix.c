/* `graphmend fix`: the source dialect, into the files or as a diff. */
#include "cli/cli.h"
#include "cli/lint.h"

int gm_cli_fix(int count, char **arguments) {
    gm_lint asked = {.format = "full", .fix = true};
    gm_option options[GM_LINT_OPTIONS];
    int shared = gm_lint_options(options, &asked);
    const gm_cli_usage usage = {
        .synopsis = "graphmend fix [OPTIONS] [PATH...]",
        .summary = "Rewrites files in plain torch where it is proved that they compute, print, raise and mutate the same.\n\n"
                   "  graphmend fix --diff src/                   a patch; nothing is written\n"
                   "  graphmend fix src/                          the mends that are proved\n"
                   "  graphmend fix --unsafe model.py             also mends that rest on an assumption, which is told\n"
                   "  graphmend fix --unsafe --select GM301,GM302 model.py\n"
                   "                                              drop prints and log records of compiled code\n"
                   "  graphmend fix - < model.py > mended.py\n\n"
                   "Output is dropped only for rules that are named by their whole code, in `--select` or the settings.\n"
                   "What is left is reported. A file is replaced in one step or left as it is. Folders are searched for *.py and\n"
                   "*.ipynb; a symbolic link stays, its target is written.\n"
                   "Exit status: 0 nothing left to report, 1 findings left, 2 errors. With --diff: 0 nothing to change,\n"
                   "1 a patch was printed, 2 errors.",
        .options = options,
        .count = shared,
    };
    return gm_lint_run(&asked, count, arguments, &usage);
}
