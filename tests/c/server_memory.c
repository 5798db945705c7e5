/* usage: server_memory SESSION
 *
 * Feeds what a client sends to a language server while the n-th allocation and all behind it fail, for n = 0, 1, 2, ... until none does. When
 * there is memory again, the server has to answer; when it has ended, all memory is given back. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "read_file.h"
#include "server/server.h"

static void work(gm_server *server) {
    while (gm_server_work(server)) {
    }
}

/* Whether the server answers a request that comes when there is memory. */
static bool answers(gm_server *server) {
    static const char body[] = "{\"id\": \"again\", \"method\": \"graphmend/no\"}";
    char frame[128];
    size_t size = 0;
    gm_server_written(server);
    snprintf(frame, sizeof frame, "Content-Length: %zu\r\n\r\n%s", sizeof body - 1, body);
    gm_server_feed(server, frame, strlen(frame));
    work(server);
    const char *out = gm_server_output(server, &size);
    static const char id[] = "\"id\": \"again\"";
    for (size_t at = 0; at + sizeof id - 1 <= size; at++) {
        if (memcmp(out + at, id, sizeof id - 1) == 0) {
            return true;
        }
    }
    return false;
}

static bool survives(const char *bytes, size_t size, long succeed) {
    gm_server *server = gm_server_new();
    allocations_limit(succeed);
    for (size_t at = 0; at < size; at += 4096) { /* as a pipe gives it */
        gm_server_feed(server, bytes + at, size - at < 4096 ? size - at : 4096);
        work(server);
    }
    allocations_limit(-1);
    bool answered = answers(server);
    gm_server_free(server);
    return answered;
}

int main(int count, char **paths) {
    size_t size = 0;
    char *bytes = read_file(paths[count - 1], &size);
    long failures = 0;
    do {
        long before = allocations_outstanding();
        if (!survives(bytes, size, failures)) {
            fprintf(stderr, "the server does not answer after failure %ld\n", failures);
            return 1;
        }
        if (allocations_outstanding() != before) {
            fprintf(stderr, "%ld blocks leaked after failure %ld\n", allocations_outstanding() - before, failures);
            return 1;
        }
        failures++;
    } while (allocations_failed());
    printf("%ld failures survived\n", failures - 1);
    free(bytes);
    return 0;
}
