"""`retain_grad()`: gradients of computed tensors, left in `.grad` by `backward` inside the same call.

    h = self.encoder(x)
    h.retain_grad()                       # `h` joins the tensors that `backward` differentiates by
    self.loss(h).backward(); g = h.grad   # the trace has the gradient at hand for `h.grad`

`Trace.retained` has each tensor with the gradient so far. A tensor with hooks, a tensor written to, or a tensor
returned to the caller needs more, and sends the call to eager Python.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule

from ..analysis.marker_regions import tensor_of
from ..base import hooks, trace_state
from ..base.dynamo_values import inline


@dataclasses.dataclass
class Retained:
    """A computed tensor with a kept gradient: Dynamo's variables of tensor and gradient, and the fake tensor with its
    version at the call of `retain_grad()`.
    """

    tensor: Any
    fake: torch.Tensor
    version: int
    gradient: Any


@dataclasses.dataclass
class Gradients:
    """The gradients that tensors keep in one trace."""

    retained: list[Retained] = dataclasses.field(default_factory=list)  # computed tensors with `.grad`
    hooked: list[Any] = dataclasses.field(default_factory=list)  # fake tensors with hooks, which may keep none
    differentiates: bool = False  # gradients are computed for `backward`


FEATURE = hooks.Feature(__name__, hooks.GAIN, "`retain_grad` of tensors that a call computes", state=Gradients)


def fake_of(variable: Any) -> Any:
    """The fake tensor of a variable of Dynamo."""
    return variable.as_proxy().node.meta.get("example_value")


def entry_of(trace: trace_state.Trace, variable: Any) -> Optional[Retained]:
    """The entry of a tensor among the retained tensors; None without an entry."""
    retained = FEATURE.of(trace).retained
    fake = fake_of(variable) if retained else None
    return next((item for item in retained if item.fake is fake), None)


def retained_tensors(trace: trace_state.Trace) -> list[Any]:
    """Dynamo's variables of the tensors that keep their gradients."""
    return [item.tensor for item in FEATURE.of(trace).retained]


@FEATURE.hook("tensor.getattr")
def ask_to_retain(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Note a tensor at the call of `retain_grad()`."""
    if name != "retain_grad":
        return hooks.DECLINED
    from ..base.torch_names import ConstantVariable, LambdaVariable

    def retaining() -> Any:
        if any(fake_of(self) is fake for fake in FEATURE.of(trace).hooked):
            raise trace_state.SiteRefused("a tensor with a hook keeps its gradient")
        retain(trace, tx, self)
        return ConstantVariable.create(None)

    return LambdaVariable(retaining)


@FEATURE.method("register_hook", "register_post_accumulate_grad_hook")
def add_hook(hook: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuse hooks on tensors that keep their gradients."""
    if entry_of(trace, self) is not None:
        raise trace_state.SiteRefused("a tensor that keeps its gradient has a hook")
    FEATURE.of(trace).hooked.append(fake_of(self))
    return hook(self, tx, *args, **kwargs)


@FEATURE.hook("torch_function.call")
def refuse_grad(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Refuse `torch.autograd.grad` where tensors keep their gradients."""
    gradients = FEATURE.of(trace)
    if self.value is torch.autograd.grad and gradients.retained and not gradients.differentiates:
        raise trace_state.SiteRefused("gradients are computed where tensors keep theirs")
    return hooks.DECLINED


def retain(trace: trace_state.Trace, tx: Any, variable: Any) -> None:
    """Note a computed tensor as retained."""
    from ..base.torch_names import ConstantVariable

    fake = fake_of(variable)
    if variable.source or fake.is_leaf or trace.open or tx.output.current_tracer.parent is not None:
        raise trace_state.SiteRefused("`retain_grad` of a leaf, or where it cannot be followed")
    if entry_of(trace, variable) is None:
        FEATURE.of(trace).retained.append(Retained(variable, fake, fake._version, ConstantVariable.create(None)))


def gradients_for_backward(trace: trace_state.Trace, differentiate: Callable[[], Any]) -> Any:
    """The result of `torch.autograd.grad` on behalf of `backward`."""
    gradients = FEATURE.of(trace)
    if any(item.fake._version != item.version for item in gradients.retained):
        raise trace_state.SiteRefused("a tensor that keeps its gradient is written to")
    gradients.differentiates = True
    try:
        return differentiate()
    finally:
        gradients.differentiates = False


def keep_gradients(trace: trace_state.Trace, tx: Any, gradients: list[Any]) -> None:
    """Add new gradients to the kept gradients."""
    for item, gradient in zip(FEATURE.of(trace).retained, gradients):
        item.gradient = inline(tx, add_gradient, [item.gradient, gradient], {})


def add_gradient(before: Optional[torch.Tensor], gradient: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
    """The kept gradient of a tensor after one more gradient."""
    with torch.no_grad():
        if gradient is None:
            return before
        if before is None:
            return gradient.clone(memory_format=torch.contiguous_format)
        return before + gradient


def refuse_leaving(module: GraphModule, trace: trace_state.Trace) -> None:
    """Refuse a graph with a retained tensor among the outputs."""
    fakes = [item.fake for item in FEATURE.of(trace).retained]
    for node in module.graph.output_node().all_input_nodes if fakes else ():
        value = tensor_of(node)
        base = value._base if isinstance(value, torch.Tensor) else None
        if any(fake is value or fake is base for fake in fakes):
            raise trace_state.SiteRefused("a tensor that keeps its gradient leaves the call")
