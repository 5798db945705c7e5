/* Independent jobs on several threads. */
#ifndef GM_DRIVER_POOL_H
#define GM_DRIVER_POOL_H

#include <stdint.h>

/* Calls `work(context, i)` once for every 0 <= i < count, on up to `threads` threads (0: as many as processors are online), the
 * caller's among them, and returns when all calls have. The order is not defined: a job writes its result to a place of its
 * own. Threads that cannot be made are done without. */
void gm_pool_run(uint32_t count, uint32_t threads, void (*work)(void *context, uint32_t index), void *context);

#endif
