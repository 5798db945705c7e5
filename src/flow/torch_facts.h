/* What PyTorch's names do, from data/torch/<version>/ops.def, which tools/make_torch_facts.py generates from PyTorch itself.
 *
 * Static, immutable, found by binary search; a table for each release. Nothing here is typed in by hand. */
#ifndef GM_FLOW_TORCH_FACTS_H
#define GM_FLOW_TORCH_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/releases.h"

/* Where a name is looked up. */
typedef enum gm_torch_space {
    GM_TORCH_FUNCTION, /* torch.NAME; also "linalg.norm", "special.expit", "fft.fft" below torch */
    GM_TORCH_METHOD,   /* Tensor.NAME, attributes included */
    GM_TORCH_NN,       /* torch.nn.functional.NAME */
} gm_torch_space;

/* What it returns. */
typedef enum gm_torch_result {
    GM_TORCH_UNKNOWN,
    GM_TORCH_TENSOR,
    GM_TORCH_TENSORS, /* a tuple, named tuple or list of tensors */
    GM_TORCH_BOOL,    /* Python bool */
    GM_TORCH_INT,
    GM_TORCH_FLOAT,
    GM_TORCH_SCALAR,  /* Python number of the tensor's type: item() */
    GM_TORCH_SIZE,    /* torch.Size or a tuple of int */
    GM_TORCH_STRING,
    GM_TORCH_DTYPE,
    GM_TORCH_DEVICE,
    GM_TORCH_NONE,
    GM_TORCH_OTHER,   /* some other Python object */
} gm_torch_result;

enum {
    GM_TORCH_MUTATES = 1 << 0,      /* the receiver or first argument: trailing underscore, `(a!)` in the schema */
    GM_TORCH_HAS_OUT = 1 << 1,      /* mutates `out=` when that is given */
    GM_TORCH_RANDOM = 1 << 2,       /* draws from a random generator (dropout only in training) */
    GM_TORCH_DATA = 1 << 3,         /* a Python value made from tensor data: item, equal, tolist, is_nonzero */
    GM_TORCH_DYNAMIC_SHAPE = 1 << 4, /* the result's shape depends on data: nonzero, unique, masked_select */
    GM_TORCH_VIEW = 1 << 5,         /* the result may share storage with an argument */
    GM_TORCH_POINTWISE = 1 << 6,
    GM_TORCH_REDUCES = 1 << 7,      /* 0-d when called without dim: sum, mean, any, all, max, min, norm */
    GM_TORCH_BOOLEAN = 1 << 8,      /* the result's dtype is bool: isnan, eq, any, logical_and */
    GM_TORCH_NUMPY = 1 << 9,        /* numpy.ndarray has an attribute of that name: no proof of a tensor */
    GM_TORCH_PROPERTY = 1 << 10,    /* an attribute, not a method: shape, T, device */
    GM_TORCH_CREATES = 1 << 11,     /* needs no tensor argument: zeros, arange, tensor */
    GM_TORCH_INPLACE_VIEW = 1 << 12, /* changes the metadata of its receiver: squeeze_, t_ */
    GM_TORCH_EITHER = 1 << 13,      /* one tensor or several, by the arguments: max(dim=...), where(condition) */
    GM_TORCH_INPLACE_ARGUMENT = 1 << 14, /* mutates its input with `inplace=True` */
};

typedef struct gm_torch_op {
    const char *name;
    uint8_t space;  /* gm_torch_space */
    uint8_t result; /* gm_torch_result */
    uint16_t flags;
} gm_torch_op;

/* What the operators of a release do. */
typedef struct gm_torch_facts gm_torch_facts;
const gm_torch_facts *gm_torch_facts_of(gm_release release);

/* The facts of a name, or NULL for one that the release does not have. */
const gm_torch_op *gm_torch_find(const gm_torch_facts *facts, gm_torch_space space, const char *name);

/* The facts behind a qualified name as gm_flow_qualified gives it: "torch.where", "torch.nn.functional.relu", "torch.Tensor.add". */
const gm_torch_op *gm_torch_find_qualified(const gm_torch_facts *facts, const char *name);

#endif
