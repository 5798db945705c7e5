"""Autograd functions (`torch.autograd.Function`) where no gradient is recorded: whether `forward` takes a context.

    class Matmul(torch.autograd.Function):
        @staticmethod
        def forward(ctx, tree, left, *parts): ...

    with torch.no_grad(): Matmul.apply(tree, left, a, b)

There Dynamo calls `forward` itself, and leaves the context out where as many arguments are given as `forward` has
parameters. `*parts` is one parameter, and so is one with a default. A class without `setup_context` takes the context,
and a class with `setup_context` does not: the hook asks for that, where the count says something else.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import torch

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "autograd.Function with any number of arguments, without gradients")


@FEATURE.hook("autograd_function.apply")
def call_forward(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """What `forward` gives for the arguments."""
    from ..base.torch_names import AttrSource, AutogradFunctionContextVariable, VariableTracker

    forward = self.fn_cls.forward
    if kwargs or type(forward) is not types.FunctionType or records_gradient(args):
        return hooks.DECLINED
    takes_context = self.fn_cls.setup_context is torch.autograd.Function.setup_context
    if takes_context == (len(args) != len(inspect.signature(forward).parameters)):
        return hooks.DECLINED
    source = AttrSource(self.source, "forward") if self.source else None
    function = VariableTracker.build(tx, forward, source=source).realize()
    context = [AutogradFunctionContextVariable.create(tx, args, kwargs)] if takes_context else []
    return function.call_function(tx, [*context, *args], {})


def records_gradient(arguments: Any) -> bool:
    """Whether Dynamo will make a call with a backward pass; in doubt it does."""
    from ..base.torch_names import TensorVariable, VariableTracker

    if not torch.is_grad_enabled():
        return False
    found = []

    def visit(variable: Any) -> None:
        gives = isinstance(variable, TensorVariable) and variable.requires_grad is not False
        if gives or hasattr(variable, "is_training"):  # a module
            found.append(variable)

    VariableTracker.visit(visit, arguments)
    return bool(found)
