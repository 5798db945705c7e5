/* libFuzzer entry: any bytes from a client, fed in two pieces; whatever they are, the server goes on and answers what comes behind them. */
#include <stdlib.h>
#include <string.h>

#include "server/server.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define SHUTDOWN "{\"id\": \"fuzz\", \"method\": \"shutdown\"}"

static void work(gm_server *server) {
    while (gm_server_work(server)) {
        gm_server_written(server);
    }
}

/* An `exit` among the bytes ends it; a message that they have begun takes what is behind them, up to its length. */
static void ask(gm_server *server) {
    static const char last[] = "Content-Length: 36\r\n\r\n" SHUTDOWN;
    _Static_assert(sizeof SHUTDOWN - 1 == 36, "the header has the length of the body");
    size_t size = 0;
    int status = 0;
    gm_server_feed(server, last, sizeof last - 1);
    while (gm_server_work(server)) {
    }
    const char *out = gm_server_output(server, &size);
    if (size > 0 && (size < 16 || memcmp(out, "Content-Length: ", 16) != 0)) {
        abort();
    }
    if (gm_server_ended(server, &status) && status != 0 && status != 1) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    gm_server *server = gm_server_new();
    if (server == NULL) {
        return 0;
    }
    gm_server_feed(server, (const char *)data, size / 2);
    work(server);
    gm_server_feed(server, (const char *)data + size / 2, size - size / 2);
    work(server);
    ask(server);
    gm_server_free(server);
    return 0;
}
