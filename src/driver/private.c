/* Opening the folders of a path one after the other, as safe_open of Postfix and the checks of OpenSSH do: each from the descriptor of the one
 * around it, without following links. A link on the way to the cache is followed when the superuser or this user has made it, which is how homes
 * and caches are moved to other disks; the cache itself is never a link. */
#define _GNU_SOURCE /* O_PATH */
#include "driver/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef O_PATH
enum { PASS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC }; /* folders on the way need not be readable */
#else
enum { PASS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
#endif
enum {
    ENTER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    MOST_LINKS = 40,
    OTHERS = S_IRWXG | S_IRWXO,
    OTHERS_WRITE = S_IWGRP | S_IWOTH
};

static const char is_link[] = "is a link; name the folder itself";

typedef struct walk {
    int at; /* the folder that was reached */
    char rest[PATH_MAX]; /* what is left of the path */
    int links;
    bool absent;
} walk;

static bool is_mine(const struct stat *status) {
    return status->st_uid == geteuid();
}

/* Cut the next name off the rest. False at the end. */
static bool next_name(walk *walking, char *name, size_t room) {
    size_t start = strspn(walking->rest, "/");
    size_t length = strcspn(walking->rest + start, "/");
    if (length == 0 || length >= room) {
        return false;
    }
    memcpy(name, walking->rest + start, length);
    name[length] = '\0';
    size_t next = start + length;
    next += strspn(walking->rest + next, "/");
    memmove(walking->rest, walking->rest + next, strlen(walking->rest + next) + 1);
    return true;
}

static void step_to(walk *walking, int folder) {
    if (walking->at >= 0) {
        close(walking->at);
    }
    walking->at = folder;
}

/* Put the target of a link in front of the rest. */
static const char *follow(walk *walking, const char *name) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(walking->at, name, target, sizeof target);
    size_t rest = strlen(walking->rest);
    if (length <= 0 || (size_t)length + 1 + rest + 1 > sizeof walking->rest || ++walking->links > MOST_LINKS) {
        return "too many symbolic links";
    }
    memmove(walking->rest + length + 1, walking->rest, rest + 1);
    memcpy(walking->rest, target, (size_t)length);
    walking->rest[length] = '/';
    if (target[0] == '/') {
        step_to(walking, open("/", PASS));
    }
    return NULL;
}

/* What stands where a folder should be. */
static const char *pass_link(walk *walking, const char *name, int number) {
    struct stat status;
    if (fstatat(walking->at, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return gm_file_error(errno);
    }
    if (!S_ISLNK(status.st_mode)) {
        walking->absent = true;
        return gm_file_error(number);
    }
    if (walking->rest[0] == '\0') {
        return is_link;
    }
    return is_mine(&status) || status.st_uid == 0 ? follow(walking, name) : "another user's link is in the way";
}

/* Enter a folder, which is made where there is none. */
static const char *enter(walk *walking, const char *name, int flags) {
    int folder = openat(walking->at, name, flags);
    if (folder < 0 && errno == ENOENT) {
        walking->absent = mkdirat(walking->at, name, 0700) != 0 && errno != EEXIST;
        folder = walking->absent ? -1 : openat(walking->at, name, flags);
    }
    if (folder < 0) {
        return walking->absent ? gm_file_error(errno) : pass_link(walking, name, errno);
    }
    step_to(walking, folder);
    return NULL;
}

static const char *walk_all(walk *walking) {
    char name[NAME_MAX + 1];
    const char *problem = NULL;
    step_to(walking, open(walking->rest[0] == '/' ? "/" : ".", PASS));
    while (problem == NULL && walking->at >= 0 && next_name(walking, name, sizeof name)) {
        problem = enter(walking, name, PASS);
    }
    if (problem == NULL && walking->at < 0) {
        problem = gm_file_error(errno);
    }
    return problem != NULL || walking->rest[strspn(walking->rest, "/")] == '\0' ? problem : gm_file_error(ENAMETOOLONG);
}

/* A folder inside of one that was checked: as ours as that, or more. */
static const char *enter_inner(walk *walking, const char *name, mode_t forbidden) {
    struct stat status;
    const char *problem = enter(walking, name, ENTER);
    if (problem != NULL) {
        return problem;
    }
    if (fstat(walking->at, &status) != 0) {
        return gm_file_error(errno);
    }
    if (!is_mine(&status)) {
        return "a folder in it belongs to another user";
    }
    return (status.st_mode & forbidden) != 0 ? "others may enter a folder in it that should be private" : NULL;
}

static const char *enter_cache(walk *walking, const char *inner) {
    struct stat status;
    const char *problem = NULL;
    if (fstat(walking->at, &status) != 0) {
        return gm_file_error(errno);
    }
    if (!is_mine(&status)) {
        return "belongs to another user; name a folder of your own";
    }
    if ((status.st_mode & OTHERS_WRITE) != 0) {
        return "can be written by others; `chmod go-w` it, or name a folder of your own";
    }
    if ((status.st_mode & OTHERS) != 0) {
        problem = enter_inner(walking, "private", OTHERS);
    }
    return problem != NULL ? problem : enter_inner(walking, inner, OTHERS_WRITE);
}

const char *gm_private_open(const char *path, const char *inner, gm_private *opened) {
    walk walking = {.at = -1};
    size_t length = strlen(path);
    *opened = (gm_private){.folder = -1};
    if (length >= sizeof walking.rest) {
        return gm_file_error(ENAMETOOLONG);
    }
    memcpy(walking.rest, path, length + 1);
    const char *problem = walk_all(&walking);
    problem = problem != NULL ? problem : enter_cache(&walking, inner);
    if (problem != NULL) {
        opened->absent = walking.absent;
        step_to(&walking, -1);
    }
    opened->folder = walking.at;
    return problem;
}

void gm_private_close(gm_private *opened) {
    if (opened->folder >= 0) {
        close(opened->folder);
    }
    opened->folder = -1;
}

/* ---- Files ---- */

static const char *check_file(const struct stat *status, size_t most) {
    if (!S_ISREG(status->st_mode)) {
        return "holds what is not a regular file";
    }
    if (!is_mine(status) || (status->st_mode & OTHERS_WRITE) != 0 || status->st_nlink > 1) {
        return "holds a file that is not this user's alone";
    }
    return status->st_size > (off_t)most ? "holds a file that is too large" : NULL;
}

/* A pipe that has no writer does not keep us waiting. */
static const char *open_file(const gm_private *opened, const char *name, size_t most, int *descriptor, size_t *size) {
    struct stat status;
    *descriptor = openat(opened->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*descriptor < 0) {
        return errno == ENOENT ? NULL : errno == ELOOP || errno == ENXIO ? "holds what is not a regular file" : gm_file_error(errno);
    }
    const char *problem = fstat(*descriptor, &status) != 0 ? gm_file_error(errno) : check_file(&status, most);
    *size = problem == NULL ? (size_t)status.st_size : 0;
    if (problem != NULL) {
        close(*descriptor);
        *descriptor = -1;
    }
    return problem;
}

/* A file that grows meanwhile is read as far as it went. */
const char *gm_private_read(gm_arena *arena, const gm_private *opened, const char *name, size_t most, gm_file *file) {
    int descriptor = -1;
    size_t size = 0;
    *file = (gm_file){.path = name};
    const char *problem = open_file(opened, name, most, &descriptor, &size);
    if (descriptor < 0) {
        return problem;
    }
    file->bytes = gm_arena_alloc(arena, size + 1);
    problem = gm_file_read_full(descriptor, file->bytes, size, &file->size);
    close(descriptor);
    file->bytes[problem == NULL ? file->size : 0] = '\0';
    return problem;
}

const char *gm_private_replace(const gm_private *opened, const char *name, const char *bytes, size_t size) {
    char partial[NAME_MAX + 1];
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int length = snprintf(partial, sizeof partial, "%s.%ld.%ld", name, (long)getpid(), (long)now.tv_nsec);
    if (length < 0 || (size_t)length >= sizeof partial) {
        return gm_file_error(ENAMETOOLONG);
    }
    int descriptor = openat(opened->folder, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return gm_file_error(errno);
    }
    const char *problem = gm_file_write(descriptor, bytes, size);
    problem = close(descriptor) != 0 && problem == NULL ? gm_file_error(errno) : problem;
    if (problem == NULL && renameat(opened->folder, partial, opened->folder, name) != 0) {
        problem = gm_file_error(errno);
    }
    if (problem != NULL) {
        (void)unlinkat(opened->folder, partial, 0);
    }
    return problem;
}
