"""Modules of torch around a module of the program: DistributedDataParallel, whose own `forward` no graph can hold.

Compiling `DDP(model)` means compiling `model`; the calls of the reducer stay in eager Python, for torch.compile breaks
around these calls, too. So the wrapper runs in eager Python, and the inner module is the compiled callable. torch has a
slot for the compiled form of a module, which `model.compile()` fills; here the slot is filled for the time of a call.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

import torch

SLOT = "_compiled_call_impl"


def module_inside(function: Any) -> Optional[torch.nn.Module]:
    """The module inside a wrapper of torch; None where a callable is no wrapper."""
    distributed = sys.modules.get("torch.nn.parallel.distributed")
    owner = getattr(function, "__self__", None) or getattr(function, "__wrapped__", None)
    if distributed is None or not isinstance(owner, distributed.DistributedDataParallel):
        return None
    inside: torch.nn.Module = owner.module
    plain = type(owner).forward is distributed.DistributedDataParallel.forward and isinstance(inside, torch.nn.Module)
    if not plain or owner._use_python_reducer or owner._delay_all_reduce_all_params or SLOT in vars(inside):
        return None
    return inside


def compiled_inside(module: torch.nn.Module, function: Any, compile_module: Callable[[Any], Any]) -> Callable[..., Any]:
    """A callable that runs a wrapper in eager Python with the module inside it compiled."""
    compiled: list[Any] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        if not compiled:
            compiled.append(compile_module(module._call_impl))
        table = vars(module)
        if SLOT in table:  # compiled by the program in the meantime
            return function(*args, **kwargs)
        table[SLOT] = compiled[0]
        try:
            return function(*args, **kwargs)
        finally:
            table.pop(SLOT, None)

    return call
