"""Conversions that convert nothing: `x.to(x.dtype)` is `x` itself, with all that Python has put on it.

Dynamo makes another tensor of it, which has lost whose it is: a buffer that the program moves to the device of its
input, where it is already, could not be put back into its module.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import hooks, torch_names, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "conversions that convert nothing")

PLAIN = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))
OPTIONS = frozenset(("device", "dtype", "non_blocking", "copy"))


def is_plain(variable: Any, tx: Any) -> bool:
    """Whether nothing but torch itself decides what a method of a tensor does."""
    modes = getattr(tx, "symbolic_torch_function_state", None)
    return modes is not None and not modes.in_torch_function_mode() and variable.class_type in PLAIN


def is_idle(variable: Any, args: Any, kwargs: Any) -> bool:
    """Whether `.to()` with these arguments gives the tensor itself."""
    given = [*args, *kwargs.values()]
    if not given or not OPTIONS.issuperset(kwargs) or not all(item.is_python_constant() for item in given):
        return False
    example = variable.as_proxy().node.meta.get("example_value")
    if not isinstance(example, torch.Tensor) or example.layout != torch.strided:
        return False
    values = [item.as_python_constant() for item in args]
    options = {name: item.as_python_constant() for name, item in kwargs.items()}
    if values and isinstance(values[0], (str, int, torch.device)):
        options.setdefault("device", values.pop(0))
    if values and isinstance(values[0], torch.dtype):
        options.setdefault("dtype", values.pop(0))
    if values or options.pop("copy", False):
        return False
    device, dtype = options.get("device"), options.get("dtype")
    if device is not None and not is_on(example.device, device):
        return False
    return dtype in (None, example.dtype) and (device is not None or dtype is not None)


def is_on(device: torch.device, wanted: Any) -> bool:
    """Whether a tensor on a device would not be moved."""
    if type(wanted) is bool:
        return False
    wanted = torch.device(wanted)
    return wanted == device or (wanted.type == device.type == "cpu")


@FEATURE.hook("tensor.method")
def convert(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The tensor itself where `to` converts nothing."""
    if name == "to" and type(self) is torch_names.TensorVariable and is_plain(self, tx) and is_idle(self, args, kwargs):
        return self
    return call(self, tx, name, args, kwargs)
