/* libFuzzer entry: any bytes as a notebook, checked and fixed; what is written must read back as a notebook with the same cells. */
#include <stdlib.h>
#include <string.h>

#include "driver/add_ignore.h"
#include "driver/fix.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fix(gm_arena *arena, const char *bytes, size_t size) {
    const gm_check_options everything = {.all = true};
    const gm_fix_options mends = {.assumed = true, .all = true};
    const gm_fixed *fixed = gm_fix_bytes(arena, "fuzz.ipynb", bytes, size, &mends, &everything);
    const char *problem = NULL;
    gm_add_ignore(arena, fixed->before);
    if (fixed->problem != NULL && strstr(fixed->problem, "please report") != NULL) {
        abort();
    }
    if (fixed->changed && gm_notebook_read(arena, fixed->bytes, fixed->size, &problem) == NULL) {
        abort();
    }
    if (!fixed->changed && (fixed->size != size || fixed->bytes != bytes)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    jmp_buf out_of_memory;
    gm_arena arena;
    gm_arena_init(&arena, gm_allocator_default(), &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        fix(&arena, (const char *)data, size);
    }
    gm_arena_free(&arena);
    return 0;
}
