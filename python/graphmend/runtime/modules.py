"""Modules that a call makes for itself, such as a loss with its matcher.

Dynamo traces the making of a module like that of any object, but for a few things that it takes for something else.
"""

from __future__ import annotations

import functools
import types
from typing import Any, Iterator

import torch
from torch.fx import GraphModule

from . import state

MODES = {torch.no_grad: False, torch.enable_grad: True}


@state.in_whole_calls
def modules_made(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block make modules."""
    from torch._dynamo.variables import ConstantVariable, SkipFunctionVariable, UserFunctionVariable
    from torch._dynamo.variables.builder import SourcelessBuilder
    from torch._dynamo.variables.functions import UserMethodVariable
    from torch._dynamo.variables.tensor import TensorVariable

    call, has = SkipFunctionVariable.call_function, UserMethodVariable.call_obj_hasattr
    read, create = TensorVariable.var_getattr, SourcelessBuilder.create

    def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        init = original_init(self.value)
        return UserFunctionVariable(init).call_function(tx, args, kwargs) if init else call(self, tx, args, kwargs)

    def having(self: Any, tx: Any, name: str) -> Any:
        return ConstantVariable.create(True) if name in ("__func__", "__self__") else has(self, tx, name)

    def reading(self: Any, tx: Any, name: str) -> Any:
        node = self.as_proxy().node
        if name == "persistent" and node.target is torch.nn.Buffer:
            return ConstantVariable.create(node.kwargs.get("persistent", True))
        return read(self, tx, name)

    def creating(tx: Any, value: Any) -> Any:
        if type(value) is types.MethodType and type(value.__self__) in MODES and value.__name__ == "clone":
            return clone_class()(MODES[type(value.__self__)])
        return create(tx, value)

    with state.replaced(
        (SkipFunctionVariable, "call_function", calling),
        (UserMethodVariable, "call_obj_hasattr", having),
        (TensorVariable, "var_getattr", reading),
        (SourcelessBuilder, "create", staticmethod(creating)),
    ):
        yield


def original_init(function: Any) -> Any:
    """`Module.__init__` as it was before Dynamo wrapped it to note which modules are young; None for anything else."""
    if function is not torch.nn.Module.__init__ or function.__module__ != "torch._dynamo.mutation_guard":
        return None
    return dict(zip(function.__code__.co_freevars, function.__closure__))["init"].cell_contents


@functools.lru_cache(maxsize=None)
def clone_class() -> type:
    """The class of Dynamo's variables for `no_grad().clone`; made late because Dynamo is loaded late.

    A function under `@torch.no_grad()` asks for a block of its own each time it is called.
    """
    from torch._dynamo.variables import VariableTracker
    from torch._dynamo.variables.ctx_manager import GradModeVariable

    class Clone(VariableTracker):
        """A function that gives a block with or without gradients."""

        _nonvar_fields = {"mode", *VariableTracker._nonvar_fields}

        def __init__(self, mode: bool, **options: Any) -> None:
            super().__init__(**options)
            self.mode = mode

        def call_function(self, tx: Any, args: Any, kwargs: Any) -> Any:
            return GradModeVariable.create(tx, self.mode, initialized=False)

    return Clone


def refuse_buffers(module: GraphModule) -> None:
    """Refuse a graph that hands out a buffer made in it: a compiler makes a mere tensor of it."""
    if any(node.target is torch.nn.Buffer for node in module.graph.output_node().all_input_nodes):
        raise state.SiteRefused("a buffer that is made in the call outlives it")
