/* Files: read whole, written in one step or not at all.
 *
 * The functions return NULL when they succeed and otherwise what is wrong: static words that follow "`PATH`: ". Bytes live
 * in the arena, and nothing is open or half written when memory runs out. Any thread may call them for different files. */
#ifndef GM_DRIVER_FILES_H
#define GM_DRIVER_FILES_H

#include "base/arena.h"
#include "driver/cleaner.h"

typedef struct gm_file {
    const char *path; /* borrowed */
    char *bytes;      /* NUL behind them */
    size_t size;
} gm_file;

/* The words for an `errno`. */
const char *gm_file_error(int number);

/* Read a regular file, through symbolic links. A file that changes while it is read is read again, and refused when
 * it keeps changing. */
const char *gm_file_read(gm_arena *arena, const char *path, gm_file *file);

/* The same for a file of at most `most` bytes: above, nothing is read, and the answer is gm_file_too_large. */
enum { GM_FILE_MOST = 16 << 20 /* where no setting says another number */ };
extern const char gm_file_too_large[];
const char *gm_file_read_most(gm_arena *arena, const char *path, size_t most, gm_file *file);

/* Everything up to the end of a descriptor, which may be a pipe. The answer is gm_file_too_large where that is more than `most` bytes. */
const char *gm_file_read_stream(gm_arena *arena, int descriptor, size_t most, gm_file *file);

/* Write all bytes to a descriptor. */
const char *gm_file_write(int descriptor, const char *bytes, size_t size);

/* Fill `room` bytes from a descriptor or reach the end. `*size` is what there was. */
const char *gm_file_read_full(int descriptor, char *bytes, size_t room, size_t *size);

/* Replace the contents of `file` by `size` bytes: written to a file without a name, flushed to disk, named and renamed over it, with the same
 * mode, owner, group, access list and attributes, or not at all. A symbolic link stays, its target is replaced. Refused when the contents are no longer what was read, or the file may
 * not be written. On failure the file is as it was and nothing is left beside it; with a cleaner (which may be NULL) that is so even when
 * this process is killed. */
const char *gm_file_replace(gm_arena *arena, const gm_file *file, const char *bytes, size_t size, gm_cleaner *cleaner);

#endif
