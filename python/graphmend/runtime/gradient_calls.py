"""Where Dynamo meets what a program does about gradients, and what a trace of a whole call does there."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterator

import torch

from . import retained, state
from .gradients import backward, backward_of, changes_gradients, own_variable, zero_grad
from .leaf_flags import switch as switch_input
from .spelled import inline

OPTIMIZER = inspect.getfile(torch.optim.Optimizer)
Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


@state.in_whole_calls
def gradients_traced(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block hold gradients that the program asks for."""
    if not hasattr(torch._dynamo.config, "trace_autograd_ops"):
        yield
        return
    places = [*of_tensors(trace), *of_functions(trace), *of_optimizers()]
    changed = state.replaced(*((owner, name, wrapper(getattr(owner, name))) for owner, name, wrapper in places))
    with changed, torch._dynamo.config.patch(trace_autograd_ops=True):
        yield


def constant(value: Any) -> Any:
    """Dynamo's variable of a constant."""
    from torch._dynamo.variables import ConstantVariable

    return ConstantVariable.create(value)


def is_true(variable: Any) -> bool:
    """Whether one of Dynamo's variables is a true constant; it may have been left out."""
    return variable is not None and variable.is_python_constant() and bool(variable.as_python_constant())


def switched(trace: state.Trace, tx: Any, tensor: Any, wanted: bool) -> None:
    """Note that the program makes a tensor of the graph a leaf, or refuse to follow."""
    node = tensor.as_proxy().node
    if tensor.source or bool(node.meta["example_value"].requires_grad) is wanted:
        return
    if not wanted or trace.open or tx.output.current_tracer.parent is not None:
        raise state.SiteRefused("`requires_grad` of a tensor is changed in a place where it cannot be followed")
    trace.switched.append(node)


def of_tensors(trace: state.Trace) -> list[tuple[Any, str, Wrapper]]:
    """Methods and attributes of tensors."""
    from torch._dynamo.variables import VariableTracker
    from torch._dynamo.variables.tensor import TensorVariable

    def requires_grad_(switch: Callable[..., Any]) -> Callable[..., Any]:
        def switching(self: Any, tx: Any, requires_grad: Any = True) -> Any:
            wanted = requires_grad if isinstance(requires_grad, bool) else bool(requires_grad.as_python_constant())
            if self.source and self.as_proxy().node.meta["example_value"].is_leaf:
                return switch_input(trace, tx, self, wanted)
            switched(trace, tx, self, wanted)
            return switch(self, tx, requires_grad)

        return switching

    def run_back(differentiate: Callable[..., Any]) -> Callable[..., Any]:
        def running_back(self: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
            trace.accumulates = True
            if not self.requires_grad or trace.open:
                return differentiate(self, tx, *args, **kwargs)
            return backward(tx, self, *args, **kwargs)

        return running_back

    def attribute(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(self: Any, tx: Any, name: str) -> Any:
            item = retained.known(trace, self)
            if item is not None and name in ("grad", "retains_grad", "_backward_hooks"):
                if name != "grad":
                    raise state.SiteRefused("whether a tensor keeps its gradient is asked for")
                return item.gradient
            if name == "grad" and not self.source:
                own = own_variable(tx, self)
                if own is not self:
                    return VariableTracker.build(tx, getattr).call_function(tx, [own, constant(name)], {})
            if name == "_version" and trace.accumulates:
                raise state.SiteRefused("how often a tensor was written to is asked for behind `backward`")
            return read(self, tx, name)

        return reading

    return [
        (TensorVariable, "method_requires_grad_", requires_grad_),
        (TensorVariable, "method_backward", run_back),
        (TensorVariable, "var_getattr", attribute),
    ]


def of_functions(trace: state.Trace) -> list[tuple[Any, str, Wrapper]]:
    """Functions, and assignments to attributes."""
    from torch._dynamo.output_graph import OutputGraph
    from torch._dynamo.variables import SkipFunctionVariable, TorchInGraphFunctionVariable, builtin
    from torch._dynamo.variables.tensor import TensorVariable

    def make(call: Callable[..., Any]) -> Callable[..., Any]:
        def making(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            if not is_true(kwargs.get("requires_grad")):
                return call(self, tx, args, kwargs)
            others = {name: value for name, value in kwargs.items() if name != "requires_grad"}
            made = call(self, tx, args, others)
            return made.method_requires_grad_(tx) if isinstance(made, TensorVariable) else made

        return making

    def set_attribute(store: Callable[..., Any]) -> Callable[..., Any]:
        def storing(self: Any, tx: Any, item: Any, name: Any, value: Any) -> Any:
            if isinstance(item, TensorVariable):
                if retained.known(trace, item) is not None:
                    raise state.SiteRefused("an attribute of a tensor that keeps its gradient is set")
                item = item if item.source else own_variable(tx, item)
                known = name.is_python_constant() and name.as_python_constant() == "requires_grad"
                if known and item.as_proxy().node.meta["example_value"].is_leaf:  # Python raises for other tensors
                    item.method_requires_grad_(tx, value)
                    return constant(None)
            return store(self, tx, item, name, value)

        return storing

    def skip(call: Callable[..., Any]) -> Callable[..., Any]:
        def skipping(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            if self.value is torch.autograd.backward and not trace.open:
                return backward_of(tx, *args, **kwargs)
            if self.value is torch._dynamo.graph_break and tx.f_code.co_filename == OPTIMIZER:
                return constant(None)  # for the sake of memory, not of results
            return call(self, tx, args, kwargs)

        return skipping

    return [
        (TorchInGraphFunctionVariable, "call_function", make),
        (builtin.SetAttrBuiltinVariable, "_call_setattr", set_attribute),
        (SkipFunctionVariable, "call_function", skip),
        (OutputGraph, "_check_requires_grad_intermediate_outputs", lambda check: lambda *_: None),
    ]


def of_optimizers() -> list[tuple[Any, str, Wrapper]]:
    """Methods of optimizers."""
    from torch._dynamo.variables import UserMethodVariable
    from torch._dynamo.variables.optimizer import OptimizerVariable

    def attribute(get: Callable[..., Any]) -> Callable[..., Any]:
        def getting(self: Any, tx: Any, name: str) -> Any:
            if name == "zero_grad" and type(self.value).zero_grad is torch.optim.Optimizer.zero_grad:
                return UserMethodVariable(zero_grad, self)
            return get(self, tx, name)

        return getting

    def method(call: Callable[..., Any]) -> Callable[..., Any]:
        def calling(self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name == "_init_group" and changes_gradients(self, tx):
                prepare = inspect.unwrap(type(self.value)._init_group)
                return inline(tx, prepare, [self, *args], kwargs)
            return call(self, tx, name, args, kwargs)

        return calling

    return [(OptimizerVariable, "var_getattr", attribute), (OptimizerVariable, "call_method", method)]
