/* System calls that fail on request, put in place of the real ones in the whole command-line program.
 *
 * GM_FAULT is "CALL:N:ERRNO": the N-th call of CALL in a process fails with that number, and does nothing. "CALL:N:short" lets a read or write
 * move one byte only. When it has happened, a file named by GM_FAULT_FIRED is made. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
int __real_close(int descriptor);
ssize_t __real_read(int descriptor, void *bytes, size_t size);
ssize_t __real_write(int descriptor, const void *bytes, size_t size);
int __real_fsync(int descriptor);
int __real_fstat(int descriptor, struct stat *status);
int __real_fchmod(int descriptor, mode_t mode);
int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __real_rename(const char *old, const char *new);

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int descriptor);
ssize_t __wrap_read(int descriptor, void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size);
int __wrap_fsync(int descriptor);
int __wrap_fstat(int descriptor, struct stat *status);
int __wrap_fchmod(int descriptor, mode_t mode);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_rename(const char *old, const char *new);

static atomic_long calls;

enum { SHORT = -1 };

static void tell(void) {
    const char *path = getenv("GM_FAULT_FIRED");
    int descriptor = path == NULL ? -1 : __real_open(path, O_WRONLY | O_CREAT, 0600);
    if (descriptor >= 0) {
        __real_close(descriptor);
    }
}

/* 0: go on; SHORT; or the number of an error. */
static int fault(const char *call) {
    const char *wanted = getenv("GM_FAULT");
    size_t length = strlen(call);
    if (wanted == NULL || strncmp(wanted, call, length) != 0 || wanted[length] != ':') {
        return 0;
    }
    char *end = NULL;
    long at = strtol(wanted + length + 1, &end, 10);
    if (atomic_fetch_add(&calls, 1) + 1 != at) {
        return 0;
    }
    tell();
    return strcmp(end, ":short") == 0 ? SHORT : atoi(end + 1);
}

static bool fails(const char *call) {
    int number = fault(call);
    errno = number > 0 ? number : errno;
    return number > 0;
}

int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    return fails("open") ? -1 : __real_open(path, flags, mode);
}

int __wrap_close(int descriptor) {
    bool failed = fails("close");
    int number = errno;
    int result = __real_close(descriptor); /* as Linux does: the descriptor is gone, whatever is returned */
    errno = failed ? number : errno;
    return failed ? -1 : result;
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t size) {
    int number = fault("read");
    errno = number > 0 ? number : errno;
    return number > 0 ? -1 : __real_read(descriptor, bytes, number == SHORT && size > 1 ? 1 : size);
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t size) {
    int number = fault("write");
    errno = number > 0 ? number : errno;
    return number > 0 ? -1 : __real_write(descriptor, bytes, number == SHORT && size > 1 ? 1 : size);
}

int __wrap_fsync(int descriptor) {
    return fails("fsync") ? -1 : __real_fsync(descriptor);
}

int __wrap_fstat(int descriptor, struct stat *status) {
    return fails("fstat") ? -1 : __real_fstat(descriptor, status);
}

int __wrap_fchmod(int descriptor, mode_t mode) {
    return fails("fchmod") ? -1 : __real_fchmod(descriptor, mode);
}

int __wrap_linkat(int from, const char *old, int to, const char *new, int flags) {
    return fails("linkat") ? -1 : __real_linkat(from, old, to, new, flags);
}

int __wrap_rename(const char *old, const char *new) {
    return fails("rename") ? -1 : __real_rename(old, new);
}
