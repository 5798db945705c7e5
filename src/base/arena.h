/* Arena memory: everything that belongs to one file or one request lives in one arena and dies with it.
 *
 * Allocation never returns NULL. When the allocator fails, control leaves through the arena's `jmp_buf`, which the
 * public entry point has set: memory exhaustion is one error code there and no concern of the code in between.
 * An arena belongs to one thread at a time. Nothing allocated here is freed singly. */
#ifndef GM_BASE_ARENA_H
#define GM_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where memory comes from; `allocate` returns NULL on failure. `context` is handed through. */
typedef struct gm_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory);
    void *context;
} gm_allocator;

typedef struct gm_chunk gm_chunk;

typedef struct gm_arena {
    gm_allocator allocator;
    jmp_buf *out_of_memory; /* borrowed; must be live while the arena allocates */
    gm_chunk *chunks;
    char *next;
    char *limit;
    size_t chunk_size;
    size_t total; /* bytes taken from the allocator */
    jmp_buf *exhausted; /* of work.h; NULL: work is not counted */
    uint64_t work;      /* that may still be done */
    size_t most;        /* of `total`, while work is counted */
    uint32_t work_at;   /* where in the text it is done */
} gm_arena;

/* The allocator of the C library. */
gm_allocator gm_allocator_default(void);

/* Make an empty arena; allocates nothing yet. */
void gm_arena_init(gm_arena *arena, gm_allocator allocator, jmp_buf *out_of_memory);

/* Give everything back. Safe on an arena that was only initialised, and safe twice. */
void gm_arena_free(gm_arena *arena);

/* `size` bytes, aligned to 8, contents undefined. `size` may be 0. */
void *gm_arena_alloc_slow(gm_arena *arena, size_t size);

static inline void *gm_arena_alloc(gm_arena *arena, size_t size) {
    size_t rounded = (size + 7U) & ~(size_t)7U;
    if (rounded >= size && (size_t)(arena->limit - arena->next) >= rounded && arena->next != NULL) {
        void *memory = arena->next;
        arena->next += rounded;
        return memory;
    }
    return gm_arena_alloc_slow(arena, size);
}

/* The same, zeroed. */
static inline void *gm_arena_zalloc(gm_arena *arena, size_t size) {
    return memset(gm_arena_alloc(arena, size), 0, size);
}

/* Make a block by `gm_arena_alloc` of `old_size` bytes one of `new_size`; in place when it is the newest, or smaller already. */
void *gm_arena_grow(gm_arena *arena, void *memory, size_t old_size, size_t new_size);

/* A NUL-terminated copy of `length` bytes. */
char *gm_arena_copy(gm_arena *arena, const char *bytes, size_t length);

/* Leave through the arena's error exit as if memory had run out (also used for sizes that overflow). */
_Noreturn void gm_arena_fail(gm_arena *arena);

#define GM_NEW(arena, type) ((type *)gm_arena_zalloc((arena), sizeof(type)))
#define GM_NEW_ARRAY(arena, type, count) ((type *)gm_arena_zalloc((arena), sizeof(type) * (size_t)(count)))

#endif
