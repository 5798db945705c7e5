/* The interpreter of the environment that this executable is installed in. */
#ifndef GM_CLI_PYTHON_H
#define GM_CLI_PYTHON_H

/* Replaces this process by `python [-c bootstrap] arguments`; `bootstrap` may be NULL. Comes back only to report a failure, with
 * the exit status for it. */
int gm_cli_execute_python(const char *bootstrap, int count, char **arguments);

#endif
