/* The one place that opens a cache: a folder that is this user's alone, and the files in it.
 *
 * What is kept there is believed later, so nobody else may have put it there. A hash proves nothing against somebody who can write: the owner
 * and the mode of the folder do. Folders are opened one after the other from descriptors (openat), never again by name, and no link is
 * followed that another user could have made. Functions return static words that follow "`PATH`: ", or NULL when they succeed. */
#ifndef GM_DRIVER_PRIVATE_H
#define GM_DRIVER_PRIVATE_H

#include <stdbool.h>

#include "driver/files.h"

typedef struct gm_private {
    int folder;  /* a descriptor; -1: none */
    bool absent; /* nothing is wrong but that the folder cannot be made there */
} gm_private;

/* Open the folder `inner` of the cache `path`, and make what is missing of both with mode 0700. `path` has to be this user's and not be
 * writable by others; where others can read it, all is in its folder "private". */
const char *gm_private_open(const char *path, const char *inner, gm_private *opened);

void gm_private_close(gm_private *opened);

/* Read a file of the folder: a regular one, this user's alone, of at most `most` bytes. It is empty where there is none. */
const char *gm_private_read(gm_arena *arena, const gm_private *opened, const char *name, size_t most, gm_file *file);

/* Replace a file of the folder in one step. It is no harm when it is lost, so it is not flushed. */
const char *gm_private_replace(const gm_private *opened, const char *name, const char *bytes, size_t size);

#endif
