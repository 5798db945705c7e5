#include "flow/walk.h"

#include "base/vec.h"

const gm_node *gm_left_operand(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_BinOp: return gm_as_BinOp(node)->left;
    case GM_KIND_Attribute: return gm_as_Attribute(node)->value;
    case GM_KIND_Call: return gm_as_Call(node)->func;
    case GM_KIND_Subscript: return gm_as_Subscript(node)->value;
    default: return NULL;
    }
}

const gm_node *gm_condition(const gm_node *node) {
    switch ((gm_kind)node->kind) {
    case GM_KIND_If: return gm_as_If(node)->test;
    case GM_KIND_While: return gm_as_While(node)->test;
    case GM_KIND_IfExp: return gm_as_IfExp(node)->test;
    case GM_KIND_Assert: return gm_as_Assert(node)->test;
    default: return NULL;
    }
}

typedef struct pending {
    const gm_node *node;
    const gm_node *parent;
} pending;

typedef struct walker {
    gm_arena *arena;
    const gm_node *parent;
    GM_VEC(pending) stack;
} walker;

static bool push_child(const gm_node *child, void *context) {
    walker *state = context;
    gm_vec_push(state->arena, &state->stack, ((pending){child, state->parent}));
    return true;
}

/* Children are pushed in order and taken from the end: turned around, they come out in order. */
static void reverse(pending *items, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        pending swap = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = swap;
    }
}

void gm_walk(gm_arena *arena, const gm_node *root, bool (*visit)(const gm_node *node, const gm_node *parent, void *context),
             void *context) {
    walker state = {.arena = arena};
    gm_vec_push(arena, &state.stack, ((pending){root, NULL}));
    while (state.stack.count > 0) {
        pending next = state.stack.items[--state.stack.count];
        gm_work(arena, 8);
        if (visit(next.node, next.parent, context)) {
            uint32_t base = state.stack.count;
            state.parent = next.node;
            gm_node_children(next.node, push_child, &state);
            reverse(state.stack.items + base, state.stack.count - base);
        }
    }
}
