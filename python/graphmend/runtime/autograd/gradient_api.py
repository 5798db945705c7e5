"""Hooks at the gradient functions of torch: `requires_grad_`, `backward`, `.grad`, optimizers.

    x.requires_grad_()                       # Dynamo breaks at each of these lines
    loss.backward()                          # becomes `torch.autograd.grad` in the graph, then `leaf.grad = ...`
    self.optimizer.zero_grad()               # becomes a Python function that Dynamo traces

Each hook recognises one function or attribute, refuses the cases without a proof, and hands the rest to
`inner_gradients.py`, `requires_grad_inputs.py` and `retain_grad.py`.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Iterator

import torch

from ..base import hooks, torch_names, trace_state
from ..base.dynamo_values import bound_method, inline
from . import function_bodies, retain_grad
from .inner_gradients import backward, backward_of, changes_gradients, note_leaf, own_variable, zero_grad
from .requires_grad_inputs import SKIPS_GUARDS
from .requires_grad_inputs import switch as switch_input

OPTIMIZER = inspect.getfile(torch.optim.Optimizer)


@dataclasses.dataclass
class Program:
    """The use of gradients by the program in one trace."""

    accumulates: bool = False  # the program called `backward`, which writes to the gradients of its leaves


FEATURE = hooks.Feature(
    __name__,
    hooks.GAIN,
    "gradients that a program asks for",
    wanted=lambda trace: can_trace_gradients(),
    state=Program,
)


def can_trace_gradients() -> bool:
    """Whether Dynamo can trace `torch.autograd.grad`: from torch 2.11 on."""
    return hasattr(torch_names.dynamo_config, "trace_autograd_ops")


@FEATURE.scope
def trace_gradients(trace: trace_state.Trace) -> Iterator[None]:
    """Let Dynamo trace `torch.autograd.grad`. The option for guards gets its old value back when the trace ends."""
    options = {"trace_autograd_ops": True, SKIPS_GUARDS: getattr(torch_names.dynamo_config, SKIPS_GUARDS)}
    with torch_names.dynamo_config.patch(options):
        yield


def constant(value: Any) -> Any:
    """Dynamo's variable of a constant."""
    from ..base.torch_names import ConstantVariable

    return ConstantVariable.create(value)


def is_true(variable: Any) -> bool:
    """Whether a variable of Dynamo is a true constant; False for a missing argument."""
    return variable is not None and variable.is_python_constant() and bool(variable.as_python_constant())


def switch_computed(trace: trace_state.Trace, tx: Any, tensor: Any, wanted: bool) -> None:
    """Note that the program makes a tensor of the graph a leaf; refuse unsupported places."""
    node = tensor.as_proxy().node
    if tensor.source or bool(node.meta["example_value"].requires_grad) is wanted:
        return
    if not wanted or trace.open or not function_bodies.may_hold_leaf(tx.output.current_tracer):
        raise trace_state.SiteRefused("`requires_grad` of a tensor is changed in a place where it cannot be followed")
    note_leaf(trace, node)


# ---- Methods and attributes of tensors ----


@FEATURE.method("requires_grad_")
def switch_requirement(switch: Any, trace: trace_state.Trace, self: Any, tx: Any, requires_grad: Any = None) -> Any:
    """`requires_grad_` of an input, or of a computed tensor."""
    requires_grad = constant(True) if requires_grad is None else requires_grad
    wanted = bool(requires_grad.as_python_constant())
    if self.source and self.as_proxy().node.meta["example_value"].is_leaf:
        return switch_input(trace, tx, self, wanted)
    switch_computed(trace, tx, self, wanted)
    return switch(self, tx, requires_grad)


@FEATURE.method("backward")
def run_back(differentiate: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
    """`backward` inside a call. Dynamo's own form does nothing where an optimizer knows the leaves first."""
    FEATURE.of(trace).accumulates = True
    if not self.requires_grad:
        return differentiate(self, tx, *args, **kwargs)
    if trace.open:
        raise trace_state.SiteRefused("`backward` on one side of a branch")
    return backward(tx, self, *args, **kwargs)


@FEATURE.hook("tensor.getattr")
def read_of_tensor(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """`.grad` of a tensor that the call has computed or made a leaf."""
    from ..base.torch_names import VariableTracker

    item = retain_grad.entry_of(trace, self)
    if item is not None and name in ("grad", "retains_grad", "_backward_hooks"):
        if name != "grad":
            raise trace_state.SiteRefused("whether a tensor keeps its gradient is asked for")
        return item.gradient
    if name == "grad" and not self.source:
        first_variable = own_variable(tx, self)
        if first_variable is not self:
            return VariableTracker.build(tx, getattr).call_function(tx, [first_variable, constant(name)], {})
    if name == "_version" and FEATURE.of(trace).accumulates:
        raise trace_state.SiteRefused("how often a tensor was written to is asked for behind `backward`")
    return hooks.DECLINED


# ---- Functions, and assignments to attributes ----


@FEATURE.hook("torch_function.call")
def make_leaf(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """A function of torch with `requires_grad=True`."""
    from ..base.torch_names import TensorVariable

    if not is_true(kwargs.get("requires_grad")):
        return hooks.DECLINED
    options = {name: value for name, value in kwargs.items() if name != "requires_grad"}
    result = call(self, tx, args, options)
    return result.call_method(tx, "requires_grad_", [], {}) if isinstance(result, TensorVariable) else result


@FEATURE.hook("torch_function.call")
def compute_gradients(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`torch.autograd.grad`: of the tensors of an iterator too, such as `model.parameters()`.

    Behind a hook that the call puts on an input, gradients are refused: Dynamo registers such a hook behind the graph.
    """
    from ..base.torch_names import BaseListVariable, TensorVariable, VariableTracker

    if self.value is not torch.autograd.grad:
        return hooks.DECLINED
    if tx.output.side_effects.tensor_hooks:
        raise trace_state.SiteRefused("gradients are computed behind a hook that the call puts on an input")
    by_name = "inputs" in kwargs
    if not by_name and len(args) < 2:
        return hooks.DECLINED
    inputs = kwargs["inputs"] if by_name else args[1]
    if not isinstance(inputs.realize(), (BaseListVariable, TensorVariable)):
        inputs = VariableTracker.build(tx, tuple).call_function(tx, [inputs], {})
    if by_name:
        kwargs = {**kwargs, "inputs": inputs}
    else:
        args = [args[0], inputs, *args[2:]]
    with tx.output.shape_env.ignore_fresh_unbacked_symbols():  # the backward pass of `y[mask]` counts the mask again
        return call(self, tx, args, kwargs)


@FEATURE.hook("attribute.set")
def set_attribute(store: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any, name: Any, value: Any) -> Any:
    """`tensor.requires_grad = True`, and further attributes of a computed tensor."""
    from ..base.torch_names import TensorVariable

    if isinstance(item, TensorVariable):
        if retain_grad.entry_of(trace, item) is not None:
            raise trace_state.SiteRefused("an attribute of a tensor that keeps its gradient is set")
        item = item if item.source else own_variable(tx, item)
        sets_flag = name.is_python_constant() and name.as_python_constant() == "requires_grad"
        if sets_flag and item.as_proxy().node.meta["example_value"].is_leaf:  # Python raises for tensors with a history
            item.call_method(tx, "requires_grad_", [value], {})
            return constant(None)
    return store(self, tx, item, name, value)


@FEATURE.hook("skipped.call")
def call_backward(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`torch.autograd.backward`, and the graph break inside optimizers."""
    if self.value is torch.autograd.backward and not trace.open:
        return backward_of(tx, *args, **kwargs)
    if self.value is torch_names.graph_break and tx.f_code.co_filename == OPTIMIZER:
        return constant(None)  # the graph break saves memory, and changes no result
    return hooks.DECLINED


@FEATURE.hook("graph.check_gradients", needed=False)
def check_no_gradients(check: Any, trace: trace_state.Trace, *_: Any) -> None:
    """Skip Dynamo's check of outputs that are leaves: the graph of a whole call may return leaves."""


# ---- Methods of optimizers ----


# Functions to trace in the place of methods, which stand under a decorator that skips them.
METHODS = {"zero_grad": zero_grad, "add_param_group": inspect.unwrap(torch.optim.Optimizer.add_param_group)}


@FEATURE.hook("optimizer.getattr")
def read_of_optimizer(get: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """`zero_grad` and `add_param_group` of an optimizer."""
    if name in METHODS and getattr(type(self.value), name) is getattr(torch.optim.Optimizer, name):
        return bound_method(METHODS[name], self)
    return hooks.DECLINED


@FEATURE.hook("optimizer.init_group")
def prepare_group(call: Any, trace: trace_state.Trace, self: Any, tx: Any, *rest: Any) -> Any:
    """`_init_group` of an optimizer whose gradients the call changes.

    Dynamo passes the name of the method, or, from its table of methods, no name.
    """
    name, args, kwargs = rest if len(rest) == 3 else ("_init_group", *rest)
    if name == "_init_group" and changes_gradients(self, tx):
        prepare = inspect.unwrap(type(self.value)._init_group)
        return inline(tx, prepare, [self, *args], kwargs)
    return hooks.DECLINED
