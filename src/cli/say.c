#include "cli/say.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

bool gm_cli_in_workflow(void) {
    static const char *const names[] = {"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        found = found || (value != NULL && *value != '\0');
    }
    return found;
}

void gm_cli_put(FILE *stream, const char *bytes, size_t length) {
    fwrite(bytes, 1, length, stream);
}

void gm_cli_print(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
}

void gm_cli_print_text(FILE *stream, const char *text) {
    fputs(text, stream);
}

static void say_text(FILE *stream, const char *text, size_t length) {
    char shown[GM_VISIBLE_ROOM];
    unsigned how = gm_cli_in_workflow() ? GM_VISIBLE_WORKFLOW : 0U;
    for (size_t at = 0, size = 0; at < length;) {
        at += gm_visible_next(text + at, length - at, how, shown, &size);
        fwrite(shown, 1, size, stream);
    }
}

void gm_cli_say_lines(FILE *stream, const char *text, size_t length) {
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t line = end == NULL ? length : (size_t)(end - text);
        say_text(stream, text, line);
        if (end != NULL) {
            fputc('\n', stream);
            line++;
        }
        text += line;
        length -= line;
    }
}

static size_t length_of(const char *text, int most) {
    size_t length = 0;
    while ((most < 0 || length < (size_t)most) && text[length] != '\0') {
        length++;
    }
    return length;
}

void gm_cli_say(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            fputc(*at, stream);
            continue;
        }
        int most = -1;
        if (strncmp(++at, ".*", 2) == 0) {
            most = va_arg(arguments, int);
            at += 2;
        }
        if (*at == 's') {
            const char *text = va_arg(arguments, const char *);
            say_text(stream, text, length_of(text, most));
        } else if (*at == 'd') {
            fprintf(stream, "%d", va_arg(arguments, int));
        } else {
            fprintf(stream, "%u", va_arg(arguments, unsigned));
        }
    }
    va_end(arguments);
}
