/* `graphmend check`: what breaks, why, and what to write instead. */
#include "cli/cli.h"
#include "cli/lint.h"

enum { OWN = 4 }; /* options that `fix` does not have */

int gm_cli_check(int count, char **arguments) {
    gm_lint asked = {.format = "full"};
    gm_option options[GM_LINT_OPTIONS] = {
        {"--fix", &asked.fix, NULL, NULL, "write the mends that `graphmend fix` writes, report what is left"},
        {"--watch", &asked.watch, NULL, NULL, "report again whenever a file changes"},
        {"--baseline", NULL, &asked.baseline_path, "FILE", "only what is not listed in this file"},
        {"--write-baseline", NULL, &asked.write_baseline, "FILE", "list everything that is found in a file for `--baseline`"},
    };
    int shared = gm_lint_options(options + OWN, &asked);
    const gm_cli_usage usage = {
        .synopsis = "graphmend check [OPTIONS] [PATH...]",
        .summary = "Says where torch.compile will break the graph, why, and what to write instead.\n\n"
                   "  graphmend check                             the current folder\n"
                   "  graphmend check src/                        every finding, with the line and the reason\n"
                   "  graphmend check --statistics src/           how many of each kind\n"
                   "  graphmend check --diff model.py             what `graphmend fix model.py` would change\n"
                   "  graphmend check --add-ignore src/           silence what is there, so that only new breaks are told\n"
                   "  graphmend check --write-baseline breaks.json src/   list what is there\n"
                   "  graphmend check --baseline breaks.json src/         tell what is new, wherever lines have moved\n"
                   "  graphmend check --output-format sarif src/ > breaks.sarif\n"
                   "  cat model.py | graphmend check --stdin-filename model.py -\n\n"
                   "Folders are searched for *.py and *.ipynb; what .gitignore files leave out is not looked at. A comment\n"
                   "`# graphmend: ignore[GM101] why` or `# noqa: GM101` silences a line. Only code that torch.compile can reach is\n"
                   "reported, by evidence in the files that are checked: forward of modules, compiled functions, and what they call,\n"
                   "in other files too.\n"
                   "Exit status: 0 nothing found, 1 findings, 2 errors.",
        .options = options,
        .count = shared + OWN,
    };
    return gm_lint_run(&asked, count, arguments, &usage);
}
