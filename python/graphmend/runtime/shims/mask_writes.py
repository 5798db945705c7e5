"""Writes through a mask without dimensions.

    score[total == 0] = 0        # `total` is a 0-d tensor, and so is the mask

PyTorch reads the value of such a mask, and Dynamo would need the value, too. `masked_fill_` and `where` write the same
without reading the mask: all elements where the mask is True, and no element where it is False.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline
from ..capture.implicit_bool import constant
from .tensor_indexing import is_plain

FEATURE = hooks.Feature(__name__, hooks.GAIN, "writes through masks without dimensions")

SMALL = 127  # fits into every integer dtype


@FEATURE.hook("tensor.method")
def write(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Write all elements or none, as the mask decides."""
    if name != "__setitem__" or len(args) != 2 or kwargs or not is_plain(self):
        return hooks.DECLINED
    target, mask, item = example(self), example(args[0].realize()), args[1].realize()
    if (
        target is None
        or mask is None
        or mask.dim()
        or mask.dtype != torch.bool
        or mask.device != target.device
        or overlaps(target)
    ):
        return hooks.DECLINED
    if is_number_of(item, target.dtype):
        inline(tx, fill, [self, args[0], item], {})
    elif (shape := shape_of(item, target)) is not None:
        inline(tx, put, [self, args[0], item, shape_variable(tx, shape)], {})
    else:
        return hooks.DECLINED
    return constant(None)


def fill(target: torch.Tensor, mask: torch.Tensor, number: Any) -> None:
    """Write a number."""
    target.masked_fill_(mask, number)


def put(target: torch.Tensor, mask: torch.Tensor, item: torch.Tensor, shape: tuple[Any, ...]) -> None:
    """Write a tensor, reshaped to this shape."""
    target.copy_(torch.where(mask, item.reshape(shape), target))


def example(variable: Any) -> Optional[torch.Tensor]:
    """The fake tensor behind the variable of a plain tensor."""
    return variable.as_proxy().node.meta["example_value"] if is_plain(variable) else None


def overlaps(target: torch.Tensor) -> bool:
    """Whether elements of a tensor may share memory; PyTorch's warnings about writes differ between functions."""
    return any(stride == 0 for stride in target.stride())


def is_number_of(item: Any, dtype: torch.dtype) -> bool:
    """Whether the written value is a number with an exact form in this dtype."""
    from ..base.torch_names import SymNodeVariable

    is_float = dtype.is_floating_point or dtype.is_complex
    if isinstance(item, SymNodeVariable):
        return is_float if isinstance(item.sym_num, torch.SymFloat) else is_float or dtype == torch.int64
    value = item.as_python_constant() if item.is_python_constant() else None
    if type(value) is int and dtype not in (torch.int64, torch.float32, torch.float64):
        return 0 <= value <= (1 if dtype == torch.bool else SMALL)
    return type(value) in (bool, int) or (type(value) is float and is_float)


def shape_of(item: Any, target: torch.Tensor) -> Optional[tuple[Any, ...]]:
    """The shape of the written tensor without leading ones, as PyTorch reads the shape; None if the tensor does not
    fit.
    """
    value = example(item)
    if value is None or value.dtype != target.dtype or value.device != target.device:
        return None
    shape = tuple(value.shape)
    while shape and type(shape[0]) is int and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > target.dim() or not all(type(size) is int for size in (*shape, *target.shape)):
        return None
    fits = all(size in (1, target_size) for size, target_size in zip(reversed(shape), reversed(target.shape)))
    return shape if fits else None


def shape_variable(tx: Any, shape: tuple[Any, ...]) -> Any:
    """Dynamo's variable for a shape."""
    from ..base.torch_names import VariableTracker

    return VariableTracker.build(tx, shape)
