/* Command-line options from a table. Options and operands may be mixed; `--` ends the options. */
#ifndef GM_CLI_OPTIONS_H
#define GM_CLI_OPTIONS_H

#include <stdbool.h>

/* Exactly one of the targets is set: a switch sets a bool, other options store their value. */
typedef struct gm_option {
    const char *name; /* "--diff" */
    bool *on;
    const char **value;
    const char *value_name; /* "NAME", for the help */
    const char *help; /* NULL: another name of the option in front of it, which the help leaves out */
} gm_option;

typedef struct gm_cli_usage {
    const char *synopsis; /* "graphmend check [OPTIONS] PATH..." */
    const char *summary;  /* a paragraph */
    const gm_option *options;
    int count;
    bool leading; /* options end at the first operand, and only `--name` is one: what follows belongs to a program */
} gm_cli_usage;

enum { GM_OPTIONS_HELP = -1, GM_OPTIONS_WRONG = -2 };

/* Moves the operands to the front of `arguments[1..]` and returns how many there are; or GM_OPTIONS_HELP after printing the help,
 * or GM_OPTIONS_WRONG after saying on stderr what is wrong. */
int gm_options_read(int count, char **arguments, const gm_cli_usage *usage);

#endif
