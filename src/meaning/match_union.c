/* Unions: the branch that costs least, and what is remembered about it. */
#include "meaning/match.h"

static uint32_t hash(uint32_t tape, uint32_t node, uint32_t type) {
    uint64_t mixed = ((uint64_t)tape << 32 ^ node) * 0x9E3779B97F4A7C15U ^ (uint64_t)type * 0xC2B2AE3D27D4EB4FU;
    return (uint32_t)(mixed >> 29);
}

static gm_match_memo *find_slot(gm_match_memo *memos, uint32_t capacity, uint32_t tape, uint32_t node, uint32_t type) {
    uint32_t slot = hash(tape, node, type) & (capacity - 1);
    while (memos[slot].used && (memos[slot].tape != tape || memos[slot].node != node || memos[slot].type != type)) {
        slot = (slot + 1) & (capacity - 1);
    }
    return &memos[slot];
}

static void grow(gm_match *in) {
    uint32_t capacity = in->memo_capacity == 0 ? 64 : in->memo_capacity * 2;
    gm_match_memo *memos = GM_NEW_ARRAY(in->arena, gm_match_memo, capacity);
    for (uint32_t i = 0; i < in->memo_capacity; i++) {
        const gm_match_memo *memo = &in->memos[i];
        if (memo->used) {
            *find_slot(memos, capacity, memo->tape, memo->node, memo->type) = *memo;
        }
    }
    in->memos = memos;
    in->memo_capacity = capacity;
}

gm_match_memo *gm_match_remembered(gm_match *in, uint32_t type, uint32_t node) {
    if (in->memo_count * 2 >= in->memo_capacity) {
        grow(in);
    }
    gm_match_memo *memo = find_slot(in->memos, in->memo_capacity, in->tape_number, node, type);
    if (!memo->used) {
        *memo = (gm_match_memo){.tape = in->tape_number, .node = node, .type = type, .used = true};
        in->memo_count++;
    }
    return memo;
}

/* Costs of the branches, without writing anything. */
static gm_match_memo weigh(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    gm_buffer *out = in->out;
    bool explain = in->explain;
    gm_match_memo best = {.known = true, .cost = GM_NO_FIT};
    in->out = NULL;
    in->explain = false;
    const gm_bound_link *bounds = in->bounds;
    for (uint32_t i = 0; i < type->items.count; i++) {
        uint32_t ambiguities = in->ambiguities;
        in->bounds = bounds;
        gm_cost cost = gm_match_type(in, type->items.items[i], node);
        best.ambiguous |= cost == GM_NO_FIT && in->ambiguities > ambiguities;
        if (cost < best.cost) {
            best.cost = cost;
            best.branch = i;
            best.tie = false;
        } else if (cost == best.cost && cost != GM_NO_FIT) {
            best.tie = true;
            best.other = i;
        }
    }
    in->bounds = bounds;
    in->out = out;
    in->explain = explain;
    /* Beside a branch that could be two things only one that needs no repair is certain. */
    if (best.ambiguous && best.cost >= GM_COST(1)) {
        best.cost = GM_NO_FIT;
    }
    return best;
}

static gm_match_memo decide(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    if (in->bounds != NULL) {
        return weigh(in, type, node); /* what a value costs depends on the bounds around it */
    }
    uint32_t index = (uint32_t)(type - in->meaning->types.items);
    gm_match_memo *memo = gm_match_remembered(in, index, node);
    if (memo->known) {
        return *memo;
    }
    gm_match_memo best = weigh(in, type, node);
    memo = gm_match_remembered(in, index, node);
    best.tape = memo->tape;
    best.node = memo->node;
    best.type = memo->type;
    best.used = true;
    *memo = best;
    return best;
}

static const char *branch_name(gm_match *in, const gm_meaning_type *type, uint32_t branch) {
    return gm_match_name(in, &in->meaning->types.items[type->items.items[branch]]);
}

enum { BRANCHES_TOLD = 8, UNIONS_EXPLAINED = 3 };

/* Each branch with its own reason. */
static gm_cost no_branch(gm_match *in, const gm_meaning_type *type, uint32_t node, bool ambiguous) {
    in->ambiguities += ambiguous;
    if (!in->explain || in->reading->problem != GM_READ_OK) {
        return GM_NO_FIT;
    }
    if (in->explained == UNIONS_EXPLAINED) {
        return ambiguous ? gm_match_refuse_two(in, node, "no branch fits") : gm_match_refuse(in, node, "no branch fits");
    }
    in->explained++;
    gm_buffer words;
    gm_buffer_init(&words, in->arena);
    gm_buffer *out = in->out;
    gm_reading *reading = in->reading;
    in->out = NULL;
    for (uint32_t i = 0; i < type->items.count && i < BRANCHES_TOLD; i++) {
        gm_reading one = {0};
        gm_buffer_init(&one.message, in->arena);
        gm_buffer_init(&one.path, in->arena);
        in->reading = &one;
        gm_match_type(in, type->items.items[i], node);
        const char *reason = one.problem == GM_READ_OK ? "it fits with repairs" : gm_buffer_text(&one.message);
        gm_buffer_printf(&words, "%s%s: %s", i == 0 ? "" : "; ", branch_name(in, type, i), reason);
    }
    in->reading = reading;
    in->out = out;
    in->explained--;
    return ambiguous ? gm_match_refuse_two(in, node, "no branch fits (%s)", gm_buffer_text(&words))
                     : gm_match_refuse(in, node, "no branch fits (%s)", gm_buffer_text(&words));
}

gm_cost gm_match_union(gm_match *in, const gm_meaning_type *type, uint32_t node) {
    gm_match_memo best = decide(in, type, node);
    if (best.cost == GM_NO_FIT) {
        return no_branch(in, type, node, best.ambiguous);
    }
    if (best.tie) {
        return gm_match_refuse_two(in, node, "could be %s as well as %s", branch_name(in, type, best.branch),
                                   branch_name(in, type, best.other));
    }
    if (in->out == NULL) {
        in->bounds = NULL;
        return best.cost;
    }
    bool tagged = !in->options.plain && !in->plain[type - in->meaning->types.items];
    if (tagged) {
        gm_buffer_printf(in->out, "[%u,", best.branch);
    }
    gm_cost cost = gm_match_type(in, type->items.items[best.branch], node);
    gm_match_put(in, "]", tagged ? 1 : 0);
    return cost;
}
