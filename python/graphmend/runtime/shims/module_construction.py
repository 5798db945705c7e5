"""Modules that a call makes for itself, such as a loss with its matcher.

Dynamo traces the making of a module like that of any object, but for a few things that it takes for something else.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import torch
from torch.fx import GraphModule

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "modules that a call makes")

MODES = {torch.no_grad: False, torch.enable_grad: True}


@FEATURE.hook("skipped.call")
def call_init(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """The `__init__` of a module."""
    from ..base.torch_names import UserFunctionVariable

    init = original_init(self.value)
    return UserFunctionVariable(init).call_function(tx, args, kwargs) if init else call(self, tx, args, kwargs)


@FEATURE.hook("method.hasattr")
def has_attribute(has: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """A bound method has a function and an object."""
    from ..base.torch_names import ConstantVariable

    return ConstantVariable.create(True) if name in ("__func__", "__self__") else has(self, tx, name)


@FEATURE.hook("tensor.getattr")
def read_persistent(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Whether a buffer is persistent."""
    from ..base.torch_names import ConstantVariable

    node = self.as_proxy().node
    if name == "persistent" and node.target is torch.nn.Buffer:
        return ConstantVariable.create(node.kwargs.get("persistent", True))
    return read(self, tx, name)


@FEATURE.hook("variable.sourceless")
def make_variable(create: Any, trace: trace_state.Trace, tx: Any, value: Any) -> Any:
    """The `clone` of a mode of tensors."""
    if type(value) is types.MethodType and type(value.__self__) in MODES and value.__name__ == "clone":
        return clone_class()(MODES[type(value.__self__)])
    return create(tx, value)


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
    from ..base.torch_names import GradModeVariable, VariableTracker

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
        raise trace_state.SiteRefused("a buffer that is made in the call outlives it")
