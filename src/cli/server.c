/* `graphmend server`: the language server between standard input and output. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/say.h"
#include "server/server.h"

enum { PIECE = 1 << 16 };

/* Whether there is something to read, or the end; after so many milliseconds, -1 for any number. */
static bool has_input(int patience) {
    struct pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&waiting, 1, patience) > 0;
}

/* Take what is there, or wait for it; false at the end. */
static bool read_input(gm_server *server) {
    static char bytes[PIECE];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got > 0) {
        gm_server_feed(server, bytes, (size_t)got);
    }
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static bool write_output(gm_server *server) {
    size_t size = 0;
    const char *bytes = gm_server_output(server, &size);
    if (size > 0) {
        gm_cli_put(stdout, bytes, size);
        gm_server_written(server);
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

/* Bytes that wait are read before work is done: what is cancelled, or changed again, is not worked on. At the end of the input, messages that
 * have come are still taken. */
static int serve(gm_server *server) {
    int status = 1;
    for (bool open = true; !gm_server_ended(server, &status);) {
        if (open && gm_server_wants(server) && has_input(0)) {
            open = read_input(server);
        } else if (!gm_server_work(server)) {
            if (!open) {
                break;
            }
            open = !has_input(-1) || read_input(server);
        }
        if (!write_output(server)) {
            break;
        }
    }
    return status;
}

int gm_cli_server(int count, char **arguments) {
    bool stdio = false;
    const gm_option options[] = {
        {"--stdio", &stdio, NULL, NULL, "speak over standard input and output, which is the only way"},
    };
    const gm_cli_usage usage = {
        .synopsis = "graphmend server [OPTIONS]",
        .summary = "A language server (LSP 3.17) over standard input and output, for editors: findings while typing, fixes, and the\n"
                   "page of a rule on hover. The settings are those of `graphmend check`. It writes no file: the editor carries out\n"
                   "the changes that the user takes. docs/editors.md says how editors start it.\n"
                   "Exit status: 0 ended as the protocol has it, 1 otherwise, 2 wrong options.",
        .options = options,
        .count = sizeof options / sizeof options[0],
    };
    int operands = gm_options_read(count, arguments, &usage);
    if (operands != 0) {
        if (operands > 0) {
            gm_cli_say(stderr, "graphmend: `server` takes no paths, not `%s`\n", arguments[1]);
        }
        return operands == GM_OPTIONS_HELP ? GM_EXIT_CLEAN : GM_EXIT_USAGE;
    }
    gm_server *server = gm_server_new();
    if (server == NULL) {
        gm_cli_print(stderr, "graphmend: out of memory\n");
        return GM_EXIT_USAGE;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a client that is gone is seen when it is written to */
    int status = serve(server);
    gm_server_free(server);
    return status;
}
