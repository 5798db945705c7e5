/* Sets of variables that share what they have in common: a set is a number, or the root of a tree whose nodes never change.
 *
 *     gm_set with = gm_set_add(sets, set, 17);      `set` stays as it was
 *     if (gm_set_join(sets, old, with) == old) ...  it brought nothing new
 *
 * In a function of up to 64 variables a set is its bits. In a larger one it is a tree, and what two sets have in common is one subtree: what
 * data flow keeps of a branch then costs what the branch changes, however many variables the function has. */
#ifndef GM_FLOW_SETS_H
#define GM_FLOW_SETS_H

#include "base/arena.h"

/* Bits or the address of a node; 0 is the empty set. */
typedef uint64_t gm_set;

typedef struct gm_sets {
    gm_arena *arena;
    uint32_t height; /* of the trees; 0: up to 64 variables */
} gm_sets;

#define GM_SET_END UINT32_MAX /* an enumerator of C17 is an int */

/* Sets of numbers below `count`. */
gm_sets gm_sets_of(gm_arena *arena, uint32_t count);

bool gm_set_has_below(gm_set set, uint32_t height, uint32_t index);
gm_set gm_set_change(const gm_sets *sets, gm_set set, uint32_t index, bool has);

/* All of both, what is in both. Where the answer is `left` itself, it is `left` that comes back. */
gm_set gm_set_join_trees(const gm_sets *sets, gm_set left, gm_set right);
gm_set gm_set_meet_trees(const gm_sets *sets, gm_set left, gm_set right);

/* The first number in a set from `from` on, or GM_SET_END; how many there are. */
uint32_t gm_set_next(const gm_sets *sets, gm_set set, uint32_t from);
uint32_t gm_set_count(const gm_sets *sets, gm_set set);

static inline bool gm_set_has(const gm_sets *sets, gm_set set, uint32_t index) {
    return sets->height == 0 ? (set >> index & 1) != 0 : gm_set_has_below(set, sets->height, index);
}
static inline gm_set gm_set_add(const gm_sets *sets, gm_set set, uint32_t index) {
    return sets->height == 0 ? set | (gm_set)1 << index : gm_set_change(sets, set, index, true);
}
static inline gm_set gm_set_remove(const gm_sets *sets, gm_set set, uint32_t index) {
    return sets->height == 0 ? set & ~((gm_set)1 << index) : gm_set_change(sets, set, index, false);
}
static inline gm_set gm_set_join(const gm_sets *sets, gm_set left, gm_set right) {
    return sets->height == 0 ? left | right : gm_set_join_trees(sets, left, right);
}
static inline gm_set gm_set_meet(const gm_sets *sets, gm_set left, gm_set right) {
    return sets->height == 0 ? left & right : gm_set_meet_trees(sets, left, right);
}

#endif
