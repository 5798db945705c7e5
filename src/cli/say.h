/* What the command line says besides its reports: messages and errors, with the words of others in them. */
#ifndef GM_CLI_SAY_H
#define GM_CLI_SAY_H

#include <stdbool.h>
#include <stdio.h>

/* printf-style with `%s`, `%.*s`, `%d`, `%u` and `%c` alone. The strings are words of others: they are made visible (base/visible.h). Needs no memory. */
void gm_cli_say(FILE *stream, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The words of others alone, such as a report in which their lines are lines. */
void gm_cli_say_lines(FILE *stream, const char *text, size_t length);

/* Whether what is printed goes to a log of GitHub Actions. */
bool gm_cli_in_workflow(void);

#endif
