/* The one way to the standard streams; `make lint` finds others. What the command line says besides its reports has the words of others in it:
 * messages and errors. */
#ifndef GM_CLI_SAY_H
#define GM_CLI_SAY_H

#include <stdbool.h>
#include <stdio.h>

/* printf-style with `%s`, `%.*s`, `%d` and `%u` alone. The strings are words of others: they are made visible (base/visible.h). Needs no memory. */
void gm_cli_say(FILE *stream, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The words of others alone, such as a report in which their lines are lines. */
void gm_cli_say_lines(FILE *stream, const char *text, size_t length);

/* What has been made visible already, or is no text for people: reports, files. */
void gm_cli_put(FILE *stream, const char *bytes, size_t length);

/* Words of this program alone, such as its help: never those of others. */
void gm_cli_print(FILE *stream, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void gm_cli_print_text(FILE *stream, const char *text);

/* Whether what is printed goes to a log of GitHub Actions. */
bool gm_cli_in_workflow(void);

#endif
