#include "flow/torch_facts.h"

#include <string.h>

/* A release is a table here, a line of releases.def and a folder of data/torch. Each table undefines the macro. */

#define GM_TORCH_ROW(space, name, result, flags) {name, GM_TORCH_##space, GM_TORCH_##result, (uint16_t)(flags)},

static const gm_torch_op ops_2_13[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.13.0/ops.def"
};

static const gm_torch_op ops_2_9[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.9.1/ops.def"
};

static const gm_torch_op ops_2_10[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.10.0/ops.def"
};

static const gm_torch_op ops_2_11[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.11.0/ops.def"
};

static const gm_torch_op ops_2_12[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.12.1/ops.def"
};

static const gm_torch_op ops_2_14[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.14.1/ops.def"
};

static const gm_torch_op ops_2_15[] = {
#define GM_TORCH_OP GM_TORCH_ROW
#include "../../data/torch/2.15.0/ops.def"
};

struct gm_torch_facts {
    const gm_torch_op *ops;
    size_t count;
};

#define GM_TORCH_TABLE(ops) {ops, sizeof ops / sizeof ops[0]}

static const gm_torch_facts all[GM_RELEASES] = {
    [GM_RELEASE_2_13] = GM_TORCH_TABLE(ops_2_13), [GM_RELEASE_2_9] = GM_TORCH_TABLE(ops_2_9),
    [GM_RELEASE_2_10] = GM_TORCH_TABLE(ops_2_10), [GM_RELEASE_2_11] = GM_TORCH_TABLE(ops_2_11),
    [GM_RELEASE_2_12] = GM_TORCH_TABLE(ops_2_12), [GM_RELEASE_2_14] = GM_TORCH_TABLE(ops_2_14),
    [GM_RELEASE_2_15] = GM_TORCH_TABLE(ops_2_15),
};

const gm_torch_facts *gm_torch_facts_of(gm_release release) {
    return &all[release < GM_RELEASES ? release : 0];
}

static int compare_op(const gm_torch_op *op, gm_torch_space space, const char *name) {
    if (op->space != space) {
        return (int)op->space - (int)space;
    }
    int first = (unsigned char)op->name[0] - (unsigned char)name[0]; /* most need no more */
    return first != 0 ? first : strcmp(op->name, name);
}

const gm_torch_op *gm_torch_find(const gm_torch_facts *facts, gm_torch_space space, const char *name) {
    size_t low = 0;
    size_t high = facts->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_op(&facts->ops[middle], space, name);
        if (order == 0) {
            return &facts->ops[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const gm_torch_op *gm_torch_find_qualified(const gm_torch_facts *facts, const char *name) {
    static const struct {
        const char *prefix;
        gm_torch_space space;
    } places[] = {
        {"torch.nn.functional.", GM_TORCH_NN},
        {"torch.Tensor.", GM_TORCH_METHOD},
        {"torch.functional.", GM_TORCH_FUNCTION},
        {"torch.", GM_TORCH_FUNCTION},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        size_t length = strlen(places[i].prefix);
        if (strncmp(name, places[i].prefix, length) == 0) {
            return gm_torch_find(facts, places[i].space, name + length);
        }
    }
    return NULL;
}
