#include "flow/sets.h"

#include "base/work.h"

enum { LEAF_BITS = 6, LEVEL_BITS = 2, CHILDREN = 1 << LEVEL_BITS, NODE_WORK = 4 };

/* Children are sets of the height below. No node is empty: that is 0. */
typedef struct node {
    gm_set children[CHILDREN];
} node;

static const node empty = {{0, 0, 0, 0}};

static const node *node_of(gm_set set) {
    return set == 0 ? &empty : (const node *)(uintptr_t)set;
}

/* The bits of a number that choose among what lies below a height. */
static uint32_t shift_at(uint32_t height) {
    return LEAF_BITS + (height - 1) * LEVEL_BITS;
}

gm_sets gm_sets_of(gm_arena *arena, uint32_t count) {
    gm_sets sets = {arena, 0};
    while (count > (uint64_t)1 << (LEAF_BITS + sets.height * LEVEL_BITS)) {
        sets.height++;
    }
    return sets;
}

/* The node with these children: one of the two that they come from, where it is the same. */
static gm_set keep(const gm_sets *sets, const node *made, gm_set left, gm_set right) {
    if (memcmp(made, node_of(left), sizeof *made) == 0) {
        return left;
    }
    if (memcmp(made, node_of(right), sizeof *made) == 0) {
        return right;
    }
    if (memcmp(made, &empty, sizeof *made) == 0) {
        return 0;
    }
    node *copy = gm_arena_alloc(sets->arena, sizeof *copy);
    *copy = *made;
    return (gm_set)(uintptr_t)copy;
}

bool gm_set_has_below(gm_set set, uint32_t height, uint32_t index) {
    for (; height > 0 && set != 0; height--) {
        set = node_of(set)->children[index >> shift_at(height) & (CHILDREN - 1)];
    }
    return (set >> (index & 63U) & 1) != 0;
}

static gm_set change(const gm_sets *sets, gm_set set, uint32_t height, uint32_t index, bool has) {
    if (height == 0) {
        gm_set bit = (gm_set)1 << (index & 63U);
        return has ? set | bit : set & ~bit;
    }
    node made = *node_of(set);
    gm_set *child = &made.children[index >> shift_at(height) & (CHILDREN - 1)];
    *child = change(sets, *child, height - 1, index, has);
    return keep(sets, &made, set, set);
}

gm_set gm_set_change(const gm_sets *sets, gm_set set, uint32_t index, bool has) {
    if (gm_set_has(sets, set, index) == has) {
        return set;
    }
    gm_work(sets->arena, (uint64_t)sets->height * NODE_WORK);
    return change(sets, set, sets->height, index, has);
}

static gm_set join(const gm_sets *sets, gm_set left, gm_set right, uint32_t height) {
    if (left == right || right == 0) {
        return left;
    }
    if (left == 0 || height == 0) {
        return left | right;
    }
    gm_work(sets->arena, NODE_WORK);
    node made;
    for (uint32_t i = 0; i < CHILDREN; i++) {
        made.children[i] = join(sets, node_of(left)->children[i], node_of(right)->children[i], height - 1);
    }
    return keep(sets, &made, left, right);
}

gm_set gm_set_join_trees(const gm_sets *sets, gm_set left, gm_set right) {
    return join(sets, left, right, sets->height);
}

static gm_set meet(const gm_sets *sets, gm_set left, gm_set right, uint32_t height) {
    if (left == right || left == 0 || right == 0) {
        return left == right ? left : 0;
    }
    if (height == 0) {
        return left & right;
    }
    gm_work(sets->arena, NODE_WORK);
    node made;
    for (uint32_t i = 0; i < CHILDREN; i++) {
        made.children[i] = meet(sets, node_of(left)->children[i], node_of(right)->children[i], height - 1);
    }
    return keep(sets, &made, left, right);
}

gm_set gm_set_meet_trees(const gm_sets *sets, gm_set left, gm_set right) {
    return meet(sets, left, right, sets->height);
}

static uint32_t lowest_bit(uint64_t bits) {
    uint32_t at = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if ((bits & (((uint64_t)1 << step) - 1)) == 0) {
            bits >>= step;
            at += step;
        }
    }
    return at;
}

static uint32_t next(gm_set set, uint32_t height, uint32_t from) {
    if (set == 0) {
        return GM_SET_END;
    }
    if (height == 0) {
        uint64_t bits = set & ~(((uint64_t)1 << from) - 1);
        return bits == 0 ? GM_SET_END : lowest_bit(bits);
    }
    uint32_t shift = shift_at(height);
    uint32_t below = from & (((uint32_t)1 << shift) - 1);
    for (uint32_t i = from >> shift; i < CHILDREN; i++, below = 0) {
        uint32_t found = next(node_of(set)->children[i], height - 1, below);
        if (found != GM_SET_END) {
            return i << shift | found;
        }
    }
    return GM_SET_END;
}

uint32_t gm_set_next(const gm_sets *sets, gm_set set, uint32_t from) {
    bool beyond = (uint64_t)from >> (LEAF_BITS + sets->height * LEVEL_BITS) != 0;
    return beyond ? GM_SET_END : next(set, sets->height, from);
}

uint32_t gm_set_count(const gm_sets *sets, gm_set set) {
    uint32_t count = 0;
    for (uint32_t at = gm_set_next(sets, set, 0); at != GM_SET_END; at = gm_set_next(sets, set, at + 1)) {
        count++;
    }
    return count;
}
