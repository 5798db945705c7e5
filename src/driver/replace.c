/* Replacing a file in one step: the new one has no name before it is whole, and its name only for the moment of the rename. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "driver/attributes.h"
#include "driver/files.h"

enum { COMPARE_STEP = 1 << 14, NAME_ATTEMPTS = 16 };

static const char changed[] = "has changed since it was read, it is left alone";

/* What is being replaced, and the new file on its way. */
typedef struct replacement {
    const gm_file *file;
    gm_cleaner *cleaner;
    const char *target;
    char *folder;
    char *partial; /* the name of the new file, when it has one */
    size_t room;
    int announced;
    bool named;    /* it has a name from the beginning: the file system knows no nameless files */
    int descriptor;
} replacement;

static const char *compare_open(int descriptor, const gm_file *expected) {
    char room[COMPARE_STEP];
    size_t at = 0;
    size_t got = sizeof room;
    while (got == sizeof room) {
        const char *problem = gm_file_read_full(descriptor, room, sizeof room, &got);
        if (problem != NULL) {
            return problem;
        }
        if (got > expected->size - at || memcmp(expected->bytes + at, room, got) != 0) {
            return changed;
        }
        at += got;
    }
    return at == expected->size ? NULL : changed;
}

static const char *compare_with_disk(const replacement *state) {
    int descriptor = open(state->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        return gm_file_error(errno);
    }
    const char *problem = compare_open(descriptor, state->file);
    close(descriptor);
    return problem;
}

/* Only the superuser may give files away: where the new file cannot be whose the old one was, its mode would let in others. */
static const char *give(int descriptor, const struct stat *status) {
    struct stat ours;
    if (fstat(descriptor, &ours) != 0) {
        return gm_file_error(errno);
    }
    bool same = ours.st_uid == status->st_uid && ours.st_gid == status->st_gid;
    return same || fchown(descriptor, status->st_uid, status->st_gid) == 0 ? NULL : "its owner or group cannot be kept, it is left alone";
}

/* Write the new file in full, with owner, access list, attributes and mode of the old one. The mode comes last: writing takes away the bits by
 * which a file runs as its owner or group. */
static const char *fill(const replacement *state, const struct stat *status, const char *bytes, size_t size) {
    int descriptor = state->descriptor;
    const char *kept = give(descriptor, status);
    kept = kept == NULL ? gm_attributes_copy(state->target, descriptor) : kept;
    if (kept != NULL) {
        return kept;
    }
    const char *problem = gm_file_write(descriptor, bytes, size);
    if (problem == NULL && (fchmod(descriptor, status->st_mode & 07777) != 0 || fsync(descriptor) != 0)) {
        problem = gm_file_error(errno);
    }
    return problem;
}

/* A name that nobody has: of the process, the time, the target and the attempt. */
static void choose_name(replacement *state, int attempt) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const long parts[] = {(long)getpid(), (long)now.tv_sec, (long)now.tv_nsec, (long)attempt};
    gm_hasher hasher;
    gm_hasher_init(&hasher);
    gm_hasher_add(&hasher, parts, sizeof parts);
    gm_hasher_add_text(&hasher, state->target);
    unsigned long long digits = (unsigned long long)gm_hasher_end(&hasher).words[0];
    snprintf(state->partial, state->room, "%s.graphmend-%016llx", state->folder, digits);
}

static void release(replacement *state) {
    gm_cleaner_release(state->cleaner, state->announced);
    state->announced = -1;
}

/* The new file with a name, announced before it is there. */
static const char *create_named(replacement *state) {
    state->named = true;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        choose_name(state, attempt);
        state->announced = gm_cleaner_announce(state->cleaner, state->partial, 0);
        state->descriptor = open(state->partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (state->descriptor >= 0) {
            return NULL;
        }
        int number = errno;
        release(state);
        if (number != EEXIST) {
            return gm_file_error(number);
        }
    }
    return "no free name beside it";
}

static const char *create(replacement *state) {
#ifdef O_TMPFILE
    state->descriptor = open(*state->folder != '\0' ? state->folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (state->descriptor >= 0) {
        return NULL;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
        return gm_file_error(errno);
    }
#endif
    return create_named(state);
}

/* Give the nameless file its name. */
static const char *name_it(replacement *state) {
    struct stat status;
    char link[64];
    if (fstat(state->descriptor, &status) != 0) {
        return gm_file_error(errno);
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", state->descriptor);
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        choose_name(state, attempt);
        state->announced = gm_cleaner_announce(state->cleaner, state->partial, status.st_ino);
        if (linkat(AT_FDCWD, link, AT_FDCWD, state->partial, AT_SYMLINK_FOLLOW) == 0) {
            state->named = true;
            return NULL;
        }
        int number = errno;
        release(state);
        if (number != EEXIST) {
            return gm_file_error(number);
        }
    }
    return "no free name beside it";
}

/* Whether names can be given later here: without /proc they cannot. */
static bool can_name_later(void) {
    return access("/proc/self/fd", F_OK) == 0;
}

static const char *put(replacement *state, const struct stat *status, const char *bytes, size_t size) {
    const char *problem = fill(state, status, bytes, size);
    if (problem == NULL) {
        problem = compare_with_disk(state);
    }
    if (problem == NULL && !state->named) {
        problem = name_it(state);
    }
    if (close(state->descriptor) != 0 && problem == NULL) {
        problem = gm_file_error(errno);
    }
    if (problem == NULL && rename(state->partial, state->target) != 0) {
        problem = gm_file_error(errno);
    }
    if (problem != NULL && state->named) {
        unlink(state->partial);
    }
    release(state);
    return problem;
}

/* No memory is taken from here on, so that nothing can leave before the new file is renamed or removed. */
static const char *write_beside(replacement *state, const char *bytes, size_t size) {
    struct stat status;
    if (stat(state->target, &status) != 0 || access(state->target, W_OK) != 0) {
        return gm_file_error(errno);
    }
    const char *problem = can_name_later() ? create(state) : create_named(state);
    return problem != NULL ? problem : put(state, &status, bytes, size);
}

/* A rename survives a crash only when the folder is flushed; a file system that cannot do that is no failure. */
static void flush_folder(const char *folder) {
    int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

/* realpath into the arena; NULL with errno set. */
static char *resolve(gm_arena *arena, const char *path) {
    char *room = gm_arena_alloc(arena, PATH_MAX);
    return realpath(path, room);
}

const char *gm_file_replace(gm_arena *arena, const gm_file *file, const char *bytes, size_t size, gm_cleaner *cleaner) {
    char *target = resolve(arena, file->path);
    if (target == NULL) {
        return gm_file_error(errno);
    }
    size_t folder = (size_t)(strrchr(target, '/') - target) + 1;
    replacement state = {.file = file, .cleaner = cleaner, .target = target, .announced = -1, .room = folder + 64};
    state.folder = gm_arena_copy(arena, target, folder);
    state.partial = gm_arena_alloc(arena, state.room);
    const char *problem = write_beside(&state, bytes, size);
    if (problem == NULL) {
        flush_folder(state.folder);
    }
    return problem;
}
