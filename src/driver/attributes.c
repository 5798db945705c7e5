#define _GNU_SOURCE
#include "driver/attributes.h"

#include <stddef.h>

#ifdef __linux__
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

enum { ROOM = 1 << 16 /* Linux has no longer lists and values */ };

static const char access_list[] = "system.posix_acl_access";
static const char not_kept[] = "its access list or its attributes cannot be kept, it is left alone";

/* What the owner of a file sets; the rest is the system's, which gives it to new files itself. */
static int is_owners(const char *name) {
    return strncmp(name, "user.", 5) == 0 || strncmp(name, "system.posix_acl_", 17) == 0;
}

static int copy_one(const char *path, int descriptor, const char *name) {
    char value[ROOM];
    ssize_t size = getxattr(path, name, value, sizeof value);
    return size >= 0 && fsetxattr(descriptor, name, value, (size_t)size, 0) == 0;
}

const char *gm_attributes_copy(const char *path, int descriptor) {
    char names[ROOM];
    if (fremovexattr(descriptor, access_list) != 0 && errno != ENODATA && errno != EOPNOTSUPP) {
        return not_kept;
    }
    ssize_t size = listxattr(path, names, sizeof names);
    if (size < 0) {
        return errno == EOPNOTSUPP ? NULL : not_kept;
    }
    for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
        if (!copy_one(path, descriptor, names + at) && is_owners(names + at)) {
            return not_kept;
        }
    }
    return NULL;
}
#else
const char *gm_attributes_copy(const char *path, int descriptor) {
    (void)path;
    (void)descriptor;
    return NULL;
}
#endif
