"""What the dialect uses of torch.

Dynamo names everything after the place where it saw it first. Seen through a module of our own, it can be told apart
from what the user's program uses, and needs no guard: see `own_guards`.
"""

from __future__ import annotations

import torch
from torch import (
    Tensor,
    allclose,
    as_tensor,
    bfloat16,
    bool,
    equal,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    is_grad_enabled,
    isclose,
    strided,
    uint8,
    where,
    zeros,
)

alias = torch.ops.aten.alias

__all__ = [
    "Tensor",
    "alias",
    "allclose",
    "as_tensor",
    "bfloat16",
    "bool",
    "equal",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_grad_enabled",
    "isclose",
    "strided",
    "uint8",
    "where",
    "zeros",
]
