/* libFuzzer entry: any bytes as a pyproject.toml and as a .gitignore. */
#include <stdlib.h>

#include "driver/settings.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_settings(gm_arena *arena, const char *bytes, size_t size) {
    const gm_check_options typed = {.all = false};
    const char *problem = NULL;
    const gm_settings *settings = gm_settings_read(arena, "/a/pyproject.toml", "/a/", bytes, size, &problem);
    if (settings != NULL && problem != NULL) {
        abort();
    }
    gm_settings_apply(arena, settings, "/a/b/c.py", &typed);
    gm_settings_exclude(settings, "/a/b/c.py");
    gm_ignore_covers(gm_ignore_parse(arena, NULL, "/a/", bytes, size), "/a/b/c.py");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        read_settings(&arena, (const char *)data, size);
    }
    gm_arena_free(&arena);
    return 0;
}
