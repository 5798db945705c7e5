#include "driver/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/source.h"

enum { READ_ATTEMPTS = 3, FIRST_ROOM = 1 << 16 };

/* Our own words: `strerror` is not safe on threads, and its thread-safe sister needs memory on the way to report that
 * there is none. */
static const struct {
    int number;
    const char *words;
} errors[] = {
    {ENOENT, "no such file or directory"},
    {EACCES, "permission denied"},
    {EPERM, "operation not permitted"},
    {EISDIR, "is a directory"},
    {ENOTDIR, "a part of the path is not a directory"},
    {ELOOP, "too many symbolic links"},
    {ENAMETOOLONG, "the name is too long"},
    {ENOSPC, "no space left on the device"},
    {EDQUOT, "the disk quota is used up"},
    {EROFS, "the file system is read-only"},
    {EMFILE, "too many open files"},
    {ENFILE, "too many open files in the system"},
    {EIO, "input/output error"},
    {ENXIO, "is not a regular file"},
    {ETXTBSY, "is being executed"},
    {ENOMEM, "out of memory"},
};

const char *gm_file_error(int number) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].number == number) {
            return errors[i].words;
        }
    }
    return "cannot be accessed";
}

/* `read` with the interruptions by signals taken out. */
static ssize_t read_some(int descriptor, char *bytes, size_t room) {
    for (;;) {
        ssize_t got = read(descriptor, bytes, room);
        if (got >= 0 || errno != EINTR) {
            return got;
        }
    }
}

const char *gm_file_read_full(int descriptor, char *bytes, size_t room, size_t *size) {
    *size = 0;
    while (*size < room) {
        ssize_t got = read_some(descriptor, bytes + *size, room - *size);
        if (got < 0) {
            return gm_file_error(errno);
        }
        if (got == 0) {
            return NULL;
        }
        *size += (size_t)got;
    }
    return NULL;
}

const char *gm_file_read_stream(gm_arena *arena, int descriptor, size_t most, gm_file *file) {
    size_t room = FIRST_ROOM;
    file->size = 0;
    file->bytes = gm_arena_alloc(arena, room);
    for (;;) {
        size_t got = 0;
        const char *problem = gm_file_read_full(descriptor, file->bytes + file->size, room - file->size, &got);
        file->size += got;
        if (problem != NULL || file->size < room) {
            file->bytes[problem == NULL ? file->size : 0] = '\0';
            return problem == NULL && file->size > most ? gm_file_too_large : problem;
        }
        if (file->size > most) {
            return gm_file_too_large;
        }
        file->bytes = gm_arena_grow(arena, file->bytes, room, room * 2);
        room *= 2;
    }
}

const char gm_file_too_large[] = "is too large, not analysed: `--max-file-size` says how many megabytes are read";

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

static bool same_version(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const char *check_kind(const struct stat *status, size_t most) {
    if (!S_ISREG(status->st_mode)) {
        return S_ISDIR(status->st_mode) ? "is a directory" : "is not a regular file";
    }
    if (status->st_size >= (off_t)GM_SOURCE_LIMIT) {
        return "is too large, 4 GiB or more";
    }
    return (size_t)status->st_size > most ? gm_file_too_large : NULL;
}

/* Read an open file into `*room` bytes. `*stable` tells that they are all of it and that it did not change meanwhile. Where they are too
 * few, `*room` becomes what it takes. */
static const char *read_open(int descriptor, gm_file *file, size_t most, size_t *room, bool *stable) {
    struct stat before;
    struct stat after;
    if (fstat(descriptor, &before) != 0) {
        return gm_file_error(errno);
    }
    const char *problem = check_kind(&before, most);
    if (problem != NULL || (size_t)before.st_size + 1 > *room) {
        *room = problem == NULL ? (size_t)before.st_size + 1 : *room;
        return problem;
    }
    problem = gm_file_read_full(descriptor, file->bytes, (size_t)before.st_size + 1, &file->size);
    if (problem == NULL && fstat(descriptor, &after) != 0) {
        problem = gm_file_error(errno);
    }
    *stable = problem == NULL && same_version(&before, &after) && file->size == (size_t)before.st_size;
    return problem;
}

/* Memory is taken while nothing is open. A pipe that has no writer does not keep us waiting. */
const char *gm_file_read_most(gm_arena *arena, const char *path, size_t most, gm_file *file) {
    *file = (gm_file){.path = path};
    size_t room = FIRST_ROOM;
    for (int attempt = 0; attempt <= READ_ATTEMPTS; attempt++) {
        size_t taken = room;
        file->bytes = gm_arena_alloc(arena, taken);
        int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (descriptor < 0) {
            return gm_file_error(errno);
        }
        bool stable = false;
        const char *problem = read_open(descriptor, file, most, &room, &stable);
        close(descriptor);
        if (problem != NULL) {
            return problem;
        }
        if (stable) {
            file->bytes = gm_arena_grow(arena, file->bytes, taken, file->size + 1);
            file->bytes[file->size] = '\0';
            return NULL;
        }
    }
    return "keeps changing while it is read";
}

const char *gm_file_read(gm_arena *arena, const char *path, gm_file *file) {
    return gm_file_read_most(arena, path, SIZE_MAX, file);
}

const char *gm_file_write(int descriptor, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno != EINTR) {
            return gm_file_error(errno);
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return NULL;
}
