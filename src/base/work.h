/* Work and memory bounded by the text that causes them: a budget for each thing that is done with one file.
 *
 *     static void analyse(void *context) { ... gm_work(arena, words); ... }
 *     if (!gm_work_within(arena, length, analyse, &state)) ... too large
 *
 * Passes over a graph, sets of variables and searches in a tree can take time by the square of a text that somebody chose. Each of them takes
 * what it does from the budget of its arena: a unit for about a word that is read or written, before or after the fact. Memory counts by itself,
 * and has a bound of its own: of all that the arena holds, so that budgets one after the other do not add up.
 * When the budget is used up, control leaves to gm_work_within, as it does when memory runs out. Counts alone decide, never a clock, so a file
 * is too large on every machine or on none. Outside of gm_work_within nothing is counted. */
#ifndef GM_BASE_WORK_H
#define GM_BASE_WORK_H

#include "base/arena.h"

/* The budget for a text of `length` bytes, and what the arena of a file of this length may hold: at least three times what ordinary files take. */
uint64_t gm_work_for(size_t length);
size_t gm_memory_for(size_t length);

/* Runs `body(context)`; false when it has used up the budget for `length`. What it has made stays in the arena, half done. Within another
 * budget, that one counts alone. */
bool gm_work_within(gm_arena *arena, size_t length, void (*body)(void *context), void *context);

/* A further text of `length` bytes is read for the one that has the budget: what it stands for is added. */
void gm_work_add(gm_arena *arena, size_t length);

/* Leave to gm_work_within. */
_Noreturn void gm_work_exhausted(gm_arena *arena);

/* Where in the text the work is that follows: what is told when it is too much. */
static inline void gm_work_at(gm_arena *arena, uint32_t offset) {
    arena->work_at = offset;
}

static inline void gm_work(gm_arena *arena, uint64_t units) {
    if (arena->exhausted == NULL) {
        return;
    }
    if (arena->work < units) {
        gm_work_exhausted(arena);
    }
    arena->work -= units;
}

#endif
