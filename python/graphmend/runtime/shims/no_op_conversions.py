"""Conversions without effect: `x.to(x.dtype)` is `x` itself, attributes included.

    self.mask = self.mask.to(x.device)     # the mask is on this device already

Dynamo makes a new tensor here, which has lost its place in the module: the graph could not put the buffer back. The
hook returns the tensor itself where dtype and device stay the same.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import hooks, torch_names, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "conversions that convert nothing")

PLAIN = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))
OPTIONS = frozenset(("device", "dtype", "non_blocking", "copy"))


def is_plain(variable: Any, tx: Any) -> bool:
    """Whether torch alone decides the meaning of a tensor's method: no subclass, no mode."""
    modes = getattr(tx, "symbolic_torch_function_state", None)
    return modes is not None and not modes.in_torch_function_mode() and variable.class_type in PLAIN


def is_idle(variable: Any, args: Any, kwargs: Any) -> bool:
    """Whether `.to()` with these arguments returns the tensor itself."""
    arguments = [*args, *kwargs.values()]
    if not arguments or not OPTIONS.issuperset(kwargs) or not all(item.is_python_constant() for item in arguments):
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
    """Whether a tensor on a device stays there."""
    if type(wanted) is bool:
        return False
    target = torch.device(wanted)
    return target == device or (target.type == device.type == "cpu")


@FEATURE.hook("tensor.method")
def convert(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Return the tensor itself where `to` has no effect."""
    if name == "to" and type(self) is torch_names.TensorVariable and is_plain(self, tx) and is_idle(self, args, kwargs):
        return self
    return hooks.DECLINED
