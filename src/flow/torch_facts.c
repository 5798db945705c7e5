#include "flow/torch_facts.h"

#include <string.h>

/* One version is compiled in; the next one is a line here and in data/torch. */

static const gm_torch_op ops[] = {
#define GM_TORCH_OP(space, name, result, flags) {name, GM_TORCH_##space, GM_TORCH_##result, (uint16_t)(flags)},
#include "../../data/torch/2.13.0/ops.def"
};

enum { OP_COUNT = sizeof ops / sizeof ops[0] };

static int compare_op(const gm_torch_op *op, gm_torch_space space, const char *name) {
    if (op->space != space) {
        return (int)op->space - (int)space;
    }
    int first = (unsigned char)op->name[0] - (unsigned char)name[0]; /* most need no more */
    return first != 0 ? first : strcmp(op->name, name);
}

const gm_torch_op *gm_torch_find(gm_torch_space space, const char *name) {
    size_t low = 0;
    size_t high = OP_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_op(&ops[middle], space, name);
        if (order == 0) {
            return &ops[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const gm_torch_op *gm_torch_find_qualified(const char *name) {
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
            return gm_torch_find(places[i].space, name + length);
        }
    }
    return NULL;
}
