/* A language server (LSP 3.17): bytes in, bytes out. It reads no stream, writes no file and never prints.
 *
 *     gm_server *server = gm_server_new();
 *     while (!gm_server_ended(server, &status)) {
 *         if (bytes are there && gm_server_wants(server)) gm_server_feed(server, bytes, size);
 *         else if (!gm_server_work(server)) wait for bytes
 *         write gm_server_output(server), then gm_server_written(server)
 *     }
 *
 * Messages are queued as they are fed, so that a request which is cancelled before its turn is not carried out, and diagnostics are made when
 * no message waits: many changes in a row make them once. Whatever is fed, the server goes on; without memory a message is answered by an error. */
#ifndef GM_SERVER_SERVER_H
#define GM_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gm_server gm_server;

/* NULL without memory. */
gm_server *gm_server_new(void);
void gm_server_free(gm_server *server);

/* Take bytes of the client, and queue the messages in them. */
void gm_server_feed(gm_server *server, const char *bytes, size_t size);

/* Whether more should be fed before work is done: not when much is queued. */
bool gm_server_wants(const gm_server *server);

/* Do one piece of work; false when there is none. */
bool gm_server_work(gm_server *server);

/* What is to be written to the client. */
const char *gm_server_output(const gm_server *server, size_t *size);
void gm_server_written(gm_server *server);

/* Whether `exit` has come, and the exit status then. */
bool gm_server_ended(const gm_server *server, int *status);

#endif
