"""Context managers at which Dynamo gives up, though they change nothing that the graph computes.

`torch.backends.cudnn.flags` says how a GPU computes. For a graph that stays on the CPU, and does not ask for what is
said, it is a block like any other.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Iterator

import torch
from torch.fx import GraphModule

from . import state
from .regions import tensor_of

CUDNN = torch.backends.cudnn


@state.in_whole_calls
def contexts_entered(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block enter such context managers."""
    from torch._dynamo.variables import PythonModuleVariable, TorchInGraphFunctionVariable

    call, read = TorchInGraphFunctionVariable.call_function, PythonModuleVariable.var_getattr

    def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if (
            self.value is not CUDNN.flags
            or args
            or not kwargs.keys() <= inspect.signature(CUDNN.flags).parameters.keys()
        ):
            return call(self, tx, args, kwargs)
        if not all(item.is_python_constant() for item in kwargs.values()):
            raise state.SiteRefused("flags of cuDNN that are no constants")
        return flags_class()(trace)

    def reading(self: Any, tx: Any, name: str) -> Any:
        if trace.flags and self.value is CUDNN and name != "flags":
            raise state.SiteRefused("the flags of cuDNN are looked at where the function sets them")
        return read(self, tx, name)

    with state.replaced(
        (TorchInGraphFunctionVariable, "call_function", calling), (PythonModuleVariable, "var_getattr", reading)
    ):
        yield


@functools.lru_cache(maxsize=None)
def flags_class() -> type:
    """The class of Dynamo's variables for blocks that set flags of cuDNN; made late because Dynamo is loaded late."""
    from torch._dynamo.variables.ctx_manager import NullContextVariable

    class Flags(NullContextVariable):
        """A block of which the trace knows only how many of its kind it is in."""

        _nonvar_fields = {"trace", "entered", *NullContextVariable._nonvar_fields}

        def __init__(self, trace: state.Trace, **options: Any) -> None:
            super().__init__(**options)
            self.trace = trace
            self.entered = False

        def enter(self, tx: Any) -> Any:
            if self.entered:
                raise state.SiteRefused("a context manager is entered twice")
            self.entered = True
            self.trace.flags += 1
            self.trace.on_cpu = True
            return super().enter(tx)

        def exit(self, tx: Any, *args: Any) -> Any:
            self.trace.flags -= 1
            return super().exit(tx, *args)

        def reconstruct_type(self, codegen: Any) -> None:
            raise state.SiteRefused("a graph breaks where flags of cuDNN are set")

        reconstruct = reconstruct_type

    return Flags


def refuse_devices(module: GraphModule) -> None:
    """Refuse a graph in which something is computed elsewhere than on the CPU."""
    for node in module.graph.nodes:
        values = tensor_of(node)
        for value in values if isinstance(values, (tuple, list)) else (values,):
            if isinstance(value, torch.Tensor) and value.device.type not in ("cpu", "meta"):
                raise state.SiteRefused("the function sets flags of cuDNN for a device")
