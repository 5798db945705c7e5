"""Modules constructed by the call, such as a loss with its matcher.

    criterion = SetLoss(HungarianMatcher())     # `nn.Module.__init__` in the middle of a call
    return criterion(outputs, targets)

Dynamo traces the construction of a module like the construction of any object, with a few gaps: `Module.__init__`
behind Dynamo's own wrapper, `__func__` of bound methods, `persistent` of buffers, and functions decorated with
`no_grad`.
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
    """Trace the `__init__` of a module."""
    from ..base.torch_names import UserFunctionVariable

    init = original_init(self.value)
    return UserFunctionVariable(init).call_function(tx, args, kwargs) if init else hooks.DECLINED


@FEATURE.hook("function.hasattr")
def has_attribute(has: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Answer True for `__func__` and `__self__` of a bound method."""
    from ..base.torch_names import ConstantVariable, UserMethodVariable

    is_part = name in ("__func__", "__self__") and isinstance(self, UserMethodVariable)
    return ConstantVariable.create(True) if is_part else hooks.DECLINED


@FEATURE.hook("tensor.getattr")
def read_persistent(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read whether a buffer is persistent."""
    from ..base.torch_names import ConstantVariable

    node = self.as_proxy().node
    if name == "persistent" and node.target is torch.nn.Buffer:
        return ConstantVariable.create(node.kwargs.get("persistent", True))
    return hooks.DECLINED


@FEATURE.hook("variable.sourceless")
def make_variable(create: Any, trace: trace_state.Trace, tx: Any, value: Any) -> Any:
    """Make the variable for `clone` of a gradient mode."""
    if type(value) is types.MethodType and type(value.__self__) in MODES and value.__name__ == "clone":
        return clone_class()(MODES[type(value.__self__)])
    return hooks.DECLINED


def original_init(function: Any) -> Any:
    """`Module.__init__` from inside Dynamo's wrapper, which notes new modules; None for other functions."""
    if function is not torch.nn.Module.__init__ or function.__module__ != "torch._dynamo.mutation_guard":
        return None
    return dict(zip(function.__code__.co_freevars, function.__closure__ or ()))["init"].cell_contents


@functools.lru_cache(maxsize=None)
def clone_class() -> type:
    """Dynamo's class of variables for `no_grad().clone`; imported late, because Dynamo may not be loaded yet.

    A function decorated with `@torch.no_grad()` clones the mode in each call.
    """
    from ..base.torch_names import GradModeVariable, VariableTracker

    class Clone(VariableTracker):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """A function that returns a block with or without gradients."""

        _nonvar_fields = {"mode", *VariableTracker._nonvar_fields}

        def __init__(self, mode: bool, **options: Any) -> None:
            super().__init__(**options)
            self.mode = mode

        def call_function(self, tx: Any, args: Any, kwargs: Any) -> Any:
            return GradModeVariable.create(tx, self.mode, initialized=False)

    return Clone


def refuse_buffers(module: GraphModule) -> None:
    """Refuse a graph that returns a buffer made in the graph: a compiler returns a plain tensor instead."""
    if any(node.target is torch.nn.Buffer for node in module.graph.output_node().all_input_nodes):
        raise trace_state.SiteRefused("a buffer that is made in the call outlives it")
