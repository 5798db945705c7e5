"""Modules of torch around a module of the program, whose own `forward` no graph can hold: DistributedDataParallel.

Compiling `DDP(model)` means compiling `model` inside of it, where the calls of the reducer stay what they are:
torch.compile breaks around them, too. So the wrapper runs in eager Python, and the module inside it is the compiled
callable. torch has a place for the compiled form of a module, which `model.compile()` fills; it is filled for the time
of a call.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

import torch

SLOT = "_compiled_call_impl"


def module_inside(function: Any) -> Optional[torch.nn.Module]:
    """The module that a wrapper of torch hands its calls on to; None where a callable is no such wrapper."""
    distributed = sys.modules.get("torch.nn.parallel.distributed")
    owner = getattr(function, "__self__", None) or getattr(function, "__wrapped__", None)
    if distributed is None or not isinstance(owner, distributed.DistributedDataParallel):
        return None
    inside = owner.module
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
