#include "server/uri.h"

#include <string.h>

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The bytes behind escapes; NULL where one of them is NUL, or none of an octet. */
static char *decode(gm_arena *arena, const char *text) {
    char *bytes = gm_arena_alloc(arena, strlen(text) + 1);
    char *to = bytes;
    for (; *text != '\0'; text++) {
        if (*text != '%') {
            *to++ = *text;
            continue;
        }
        int high = digit_of(text[1]);
        int low = high < 0 ? -1 : digit_of(text[2]);
        if (low < 0 || high * 16 + low == 0) {
            return NULL;
        }
        *to++ = (char)(high * 16 + low);
        text += 2;
    }
    *to = '\0';
    return bytes;
}

/* Take `.`, `..` and doubled slashes out of an absolute path, in place. */
static void normalise(char *path) {
    char *to = path;
    for (const char *at = path; *at != '\0';) {
        while (*at == '/') {
            at++;
        }
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            while (to > path && *--to != '/') {
            }
        } else if (length > 0 && !(length == 1 && *at == '.')) {
            *to++ = '/';
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    if (to == path) {
        *to++ = '/';
    }
    *to = '\0';
}

const char *gm_uri_path(gm_arena *arena, const char *uri) {
    static const char scheme[] = "file://";
    static const char host[] = "localhost";
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0) {
        return NULL;
    }
    uri += sizeof scheme - 1;
    uri += strncmp(uri, host, sizeof host - 1) == 0 ? sizeof host - 1 : 0;
    char *path = *uri == '/' ? decode(arena, uri) : NULL;
    if (path != NULL) {
        normalise(path);
    }
    return path;
}

bool gm_path_is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    length -= length > 0 && folder[length - 1] == '/';
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}
