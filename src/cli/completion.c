/* `graphmend completion`: scripts for shells. They ask `--help` for the options, so that they never fall behind. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"
#include "report/report.h"

static const char usage[] = "usage: graphmend completion bash|zsh|fish\n"
                            "\n"
                            "Prints a script that lets the shell complete commands, options and formats:\n"
                            "\n"
                            "  eval \"$(graphmend completion bash)\"     in ~/.bashrc\n"
                            "  eval \"$(graphmend completion zsh)\"      in ~/.zshrc, behind compinit\n"
                            "  graphmend completion fish | source      in ~/.config/fish/config.fish\n";

/* Between them stand the names of the commands, and those of the formats. */
static const char *const bash[] = {
    "_graphmend() {\n"
    "    local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"${COMP_WORDS[1]}\"\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"",
    " --help --version\" -- \"$current\"))\n"
    "    elif [ \"$before\" = --output-format ]; then\n"
    "        COMPREPLY=($(compgen -W \"",
    "\" -- \"$current\"))\n"
    "    elif [ \"$before\" = --color ]; then\n"
    "        COMPREPLY=($(compgen -W \"auto always never\" -- \"$current\"))\n"
    "    elif [ \"$command\" = completion ]; then\n"
    "        COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$current\"))\n"
    "    elif [ \"$command\" = rule ] && [ \"${current#-}\" = \"$current\" ]; then\n"
    "        COMPREPLY=($(compgen -W \"$(graphmend rule 2>/dev/null | cut -d ' ' -f 1)\" -- \"$current\"))\n"
    "    elif [ \"${current#-}\" != \"$current\" ]; then\n"
    "        COMPREPLY=($(compgen -W \"--help $(graphmend \"$command\" --help 2>/dev/null | sed -n 's/^  \\(--[a-z-]*\\).*/\\1/p')\" -- "
    "\"$current\"))\n"
    "    else\n"
    "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _graphmend graphmend\n",
};

static const char *const fish[] = {
    "complete -c graphmend -n __fish_use_subcommand -f -a '",
    "'\n"
    "complete -c graphmend -n '__fish_seen_subcommand_from check fix' -l output-format -x -a '",
    "'\n"
    "complete -c graphmend -n '__fish_seen_subcommand_from check fix verify' -l color -x -a 'auto always never'\n"
    "complete -c graphmend -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n"
    "complete -c graphmend -n '__fish_seen_subcommand_from rule' -f -a '(graphmend rule | string split -f 1 \" \")'\n"
    "for command in check fix verify\n"
    "    for option in (graphmend $command --help | string match -rg '^  --([a-z-]+)')\n"
    "        complete -c graphmend -n \"__fish_seen_subcommand_from $command\" -l $option\n"
    "    end\n"
    "end\n",
};

static void print_commands(void) {
    static const char *const names[] = {
#define GM_COMMAND(name, function, summary) name,
#include "cli/commands.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        gm_cli_print(stdout, "%s%s", i == 0 ? "" : " ", names[i]);
    }
}

static void print_formats(void) {
    for (const char *at = gm_report_names(); *at != '\0'; at++) {
        if (*at != ',') {
            gm_cli_put(stdout, at, 1);
        }
    }
}

static int print_script(const char *const *parts) {
    gm_cli_print_text(stdout, parts[0]);
    print_commands();
    gm_cli_print_text(stdout, parts[1]);
    print_formats();
    gm_cli_print_text(stdout, parts[2]);
    return GM_EXIT_CLEAN;
}

int gm_cli_completion(int count, char **arguments) {
    if (count == 2 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0)) {
        gm_cli_print_text(stdout, usage);
        return GM_EXIT_CLEAN;
    }
    if (count == 2 && strcmp(arguments[1], "zsh") == 0) {
        gm_cli_print_text(stdout, "autoload -U +X bashcompinit && bashcompinit\n");
        return print_script(bash);
    }
    if (count == 2 && (strcmp(arguments[1], "bash") == 0 || strcmp(arguments[1], "fish") == 0)) {
        return print_script(arguments[1][0] == 'b' ? bash : fish);
    }
    gm_cli_print(stderr, "graphmend: `completion` takes the name of a shell: bash, zsh or fish\n%s", usage);
    return GM_EXIT_USAGE;
}
