"""The names of torch that the dialect uses.

    import torch                         # the user's module: Dynamo names the source G['torch'], and adds guards
    from ..base import dialect_names     # the dialect's sources begin with this module's name
    dialect_names.where(c, a, b)         # recognised by `guard_filter`, which drops the guard

Dynamo names an object after the first place where a trace saw the object. A module of the runtime's own keeps names of
the dialect apart from names of the program, and only the program's names need guards.
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
    full,
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
    "full",
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
