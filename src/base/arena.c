#include "base/arena.h"

#include "base/work.h"

#include <stdlib.h>
#include <string.h>

/* Chunks grow up to the large size, so that small files stay small and big ones need few calls. */
enum { FIRST_CHUNK = 16 * 1024, LARGE_CHUNK = 1024 * 1024, WORK_PER_BYTE = 4 };

/* Builds with assertions fill fresh memory with this: no size, and no address. What reads past the items of a list is noticed,
 * where the zeros of a fresh page would pass for the end of it. */
enum { FRESH = 0xA5 };

struct gm_chunk {
    gm_chunk *previous;
    size_t size;
};

static void *default_allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static void default_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

gm_allocator gm_allocator_default(void) {
    return (gm_allocator){default_allocate, default_release, NULL};
}

void gm_arena_init(gm_arena *arena, gm_allocator allocator, jmp_buf *out_of_memory) {
    *arena = (gm_arena){.allocator = allocator, .out_of_memory = out_of_memory, .chunk_size = FIRST_CHUNK};
}

void gm_arena_free(gm_arena *arena) {
    gm_chunk *chunk = arena->chunks;
    while (chunk != NULL) {
        gm_chunk *previous = chunk->previous;
        arena->allocator.release(arena->allocator.context, chunk);
        chunk = previous;
    }
    arena->chunks = NULL;
    arena->next = arena->limit = NULL;
    arena->total = 0;
}

_Noreturn void gm_arena_fail(gm_arena *arena) {
    longjmp(*arena->out_of_memory, 1);
}

void *gm_arena_alloc_slow(gm_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) {
        gm_arena_fail(arena);
    }
    size_t rounded = (size + 7U) & ~(size_t)7U;
    size_t body = rounded > arena->chunk_size ? rounded : arena->chunk_size;
    gm_work(arena, (uint64_t)body * WORK_PER_BYTE);
    if (arena->exhausted != NULL && (arena->total > arena->most || body > arena->most - arena->total)) {
        gm_work_exhausted(arena);
    }
    gm_chunk *chunk = arena->allocator.allocate(arena->allocator.context, sizeof(gm_chunk) + body);
    if (chunk == NULL) {
        gm_arena_fail(arena);
    }
    *chunk = (gm_chunk){arena->chunks, body};
    arena->chunks = chunk;
    arena->total += sizeof(gm_chunk) + body;
    if (arena->chunk_size < LARGE_CHUNK) {
        arena->chunk_size *= 2;
    }
    char *start = (char *)(chunk + 1);
#ifndef NDEBUG
    memset(start, FRESH, body);
#endif
    /* A block that fills a chunk of its own leaves the room of the current chunk usable. */
    if (arena->next == NULL || body - rounded > (size_t)(arena->limit - arena->next)) {
        arena->next = start + rounded;
        arena->limit = start + body;
    }
    return start;
}

void *gm_arena_grow(gm_arena *arena, void *memory, size_t old_size, size_t new_size) {
    if (new_size > SIZE_MAX / 2) {
        gm_arena_fail(arena);
    }
    size_t old_rounded = (old_size + 7U) & ~(size_t)7U;
    size_t new_rounded = (new_size + 7U) & ~(size_t)7U;
    if (memory != NULL && (char *)memory + old_rounded == arena->next && (size_t)(arena->limit - (char *)memory) >= new_rounded) {
        arena->next = (char *)memory + new_rounded;
        return memory;
    }
    if (memory != NULL && new_size <= old_size) {
        return memory;
    }
    void *grown = gm_arena_alloc(arena, new_size);
    gm_work(arena, old_size / sizeof(uint64_t));
    if (old_size > 0) {
        memcpy(grown, memory, old_size < new_size ? old_size : new_size);
    }
    return grown;
}

char *gm_arena_copy(gm_arena *arena, const char *bytes, size_t length) {
    char *copy = gm_arena_alloc(arena, length + 1);
    if (length > 0) {
        memcpy(copy, bytes, length);
    }
    copy[length] = '\0';
    return copy;
}
