"""Writes through a mask without dimensions: `score[total == 0] = 0` where `total` is a number in a tensor.

PyTorch asks such a mask for its value, so Dynamo would have to know it. `masked_fill_` and `where` write the same
without asking: everything where the mask is true, and nothing where it is false.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline
from ..capture.assumptions import numbers_of
from ..capture.implicit_bool import constant
from .tensor_indexing import is_plain

FEATURE = hooks.Feature(__name__, hooks.GAIN, "writes through masks without dimensions")

SMALL = 127  # fits into every type of integers


@FEATURE.hook("tensor.method")
def write(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Write everything or nothing, as the mask decides."""
    if name != "__setitem__" or len(args) != 2 or kwargs or numbers_of(trace).fixed or not is_plain(self):
        return call(self, tx, name, args, kwargs)
    target, mask, item = example(self), example(args[0].realize()), args[1].realize()
    if (
        target is None
        or mask is None
        or mask.dim()
        or mask.dtype != torch.bool
        or mask.device != target.device
        or overlaps(target)
    ):
        return call(self, tx, name, args, kwargs)
    if is_number_of(item, target.dtype):
        inline(tx, fill, [self, args[0], item], {})
    elif (shape := shape_of(item, target)) is not None:
        inline(tx, put, [self, args[0], item, shape_variable(tx, shape)], {})
    else:
        return call(self, tx, name, args, kwargs)
    return constant(None)


def fill(target: torch.Tensor, mask: torch.Tensor, number: Any) -> None:
    """Write a number."""
    target.masked_fill_(mask, number)


def put(target: torch.Tensor, mask: torch.Tensor, item: torch.Tensor, shape: tuple[Any, ...]) -> None:
    """Write a tensor, which is taken for one of this shape."""
    target.copy_(torch.where(mask, item.reshape(shape), target))


def example(variable: Any) -> Optional[torch.Tensor]:
    """The fake tensor behind Dynamo's variable of a plain tensor."""
    return variable.as_proxy().node.meta["example_value"] if is_plain(variable) else None


def overlaps(target: torch.Tensor) -> bool:
    """Whether a tensor may hold an element twice: PyTorch warns of writes to it, each function in its words."""
    return any(stride == 0 for stride in target.stride())


def is_number_of(item: Any, dtype: torch.dtype) -> bool:
    """Whether what is written is a number that a tensor of this type holds as it is."""
    from ..base.torch_names import SymNodeVariable

    real = dtype.is_floating_point or dtype.is_complex
    if isinstance(item, SymNodeVariable):
        return real if isinstance(item.sym_num, torch.SymFloat) else real or dtype == torch.int64
    value = item.as_python_constant() if item.is_python_constant() else None
    if type(value) is int and dtype not in (torch.int64, torch.float32, torch.float64):
        return 0 <= value <= (1 if dtype == torch.bool else SMALL)
    return type(value) in (bool, int) or (type(value) is float and real)


def shape_of(item: Any, target: torch.Tensor) -> Optional[tuple[Any, ...]]:
    """The shape for which a written tensor is taken: without leading ones, as PyTorch does. None if it does not fit."""
    value = example(item)
    if value is None or value.dtype != target.dtype or value.device != target.device:
        return None
    shape = tuple(value.shape)
    while shape and type(shape[0]) is int and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > target.dim() or not all(type(size) is int for size in (*shape, *target.shape)):
        return None
    fits = all(size in (1, known) for size, known in zip(reversed(shape), reversed(target.shape)))
    return shape if fits else None


def shape_variable(tx: Any, shape: tuple[Any, ...]) -> Any:
    """Dynamo's variable of a shape."""
    from ..base.torch_names import VariableTracker

    return VariableTracker.build(tx, shape)
