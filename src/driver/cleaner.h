/* A process that takes away what a killed one leaves behind.
 *
 * A new file gets its name a moment before it is renamed over the old one. When this process is killed in that moment, nothing of it can run
 * any more; so a child that holds no other resource waits for its end, and removes the names that were announced and are still there. */
#ifndef GM_DRIVER_CLEANER_H
#define GM_DRIVER_CLEANER_H

#include <sys/types.h>

typedef struct gm_cleaner gm_cleaner;

/* Start the child; before there are threads. NULL where it cannot be: then a kill can leave a file behind. */
gm_cleaner *gm_cleaner_start(void);

/* Announce that `path` may come to stand for a file of ours with the inode `inode` (0: whichever we create). Returns what
 * gm_cleaner_release takes. Any thread may call; `cleaner` may be NULL. */
int gm_cleaner_announce(gm_cleaner *cleaner, const char *path, ino_t inode);

/* The name is gone, by rename or removal. */
void gm_cleaner_release(gm_cleaner *cleaner, int announced);

/* End the child and wait for it. `cleaner` may be NULL. */
void gm_cleaner_stop(gm_cleaner *cleaner);

#endif
