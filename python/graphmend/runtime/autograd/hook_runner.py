"""Hooks of one call while the backward pass runs.

A hook with side effects cannot be in the compiled backward graph (`tensor_hooks.py`). The graph has an operator in its
place, and the operator calls the program's function:

    h.register_hook(lambda g: print(g.norm()))     # in the graph: hooked(h, 0); backward: graphmend_hooks::run(g, 0)
    return h.sum()                                 # behind the graph: attach(handle, the lambda)
    # later, loss.backward(): begin -> run(g, 0) -> Run.call -> print -> end

`begin` computes, before the backward pass, the tensors with gradients. `end` raises the exception of a hook; leaves
whose gradients came before the exception get these gradients first.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import threading
from typing import Any, Callable, Iterator, Optional, Protocol, Sequence

import torch
from torch.utils.hooks import RemovableHandle

from ..base import hooks as hook_table
from ..base import torch_names
from ..base.define_op import library, register_fake
from . import inner_gradients
from .unused_gradients import EMPTY, Gradients, places_of

LIBRARY = library("graphmend_hooks")


class Hookable(Protocol):
    """A tensor, or a node of a backward graph: the typed part of torch's classes without annotations."""

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Add a hook for the gradient."""


def add_hook(target: Hookable, hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook on a tensor."""
    return target.register_hook(hook)


@dataclasses.dataclass(frozen=True)
class Hooks:
    """The hooks of a graph: tensors by number, inputs and outputs by position.

    `leads` has the hooked tensors behind each output, `inputs` the inputs behind each hooked tensor, and `early` the
    leaves that have their gradients before the hooks of a tensor run.
    """

    leads: dict[int, frozenset[int]]
    inputs: dict[int, frozenset[int]]
    early: dict[int, frozenset[int]]


class Local(threading.local):
    """State of one thread: the hooks of the running call, the call whose hooks are still handed over, and the backward
    pass.
    """

    attached: Optional[Attached] = None
    waiting: Optional[Attached] = None
    run: Optional[Run] = None


local = Local()


class Attached:
    """The hooks of one call."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.functions: dict[int, dict[int, Callable[..., Any]]] = {}
        self.handles: dict[int, Any] = {}
        self.tensors: dict[int, torch.Tensor] = {}  # tensors at hand, for backends without a backward graph
        self.leads: dict[int, frozenset[int]] = {}
        self.edges: Sequence[tuple[Any, int]] = ()
        self.places: list[Optional[int]] = []

    def watch(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        """Find the backward graph of the outputs, and put `begin` and `end` around its run."""
        backward: Any = None
        for position, reached in self.hooks.leads.items():
            function = outputs[position].grad_fn
            if not type(function).__name__.startswith("CompiledFunction") or backward not in (None, function):
                raise RuntimeError("there is no one backward graph")
            backward = function
            number = outputs[position].output_nr
            self.leads[number] = self.leads.get(number, EMPTY) | reached
        if backward is not None:
            self.edges = backward.next_functions
            self.places = places_of(self.edges, inputs)
            backward.register_prehook(self.begin)
            backward.register_hook(self.end)

    def attach(self, place: int, handle: Any, function: Callable[..., Any]) -> None:
        """Put a hook on a tensor."""
        if place not in self.tensors:
            self.functions[place][handle.id] = function
            return
        real = add_hook(self.tensors[place], function)
        handle.id, handle.hooks_dict_ref = real.id, real.hooks_dict_ref

    def handle(self, place: int, number: int) -> RemovableHandle:
        """The handle of a hook."""
        if number not in self.handles:
            table = self.functions.setdefault(place, collections.OrderedDict())
            self.handles[number] = RemovableHandle(table)
            self.handles[number].home = (self, place)  # deleted by `attach`
        handle: RemovableHandle = self.handles[number]
        return handle

    def begin(self, gradients: Gradients) -> None:
        """Start a run of the backward graph with these gradients."""
        reached = EMPTY.union(
            *(self.leads[i] for i, item in enumerate(gradients) if item is not None and i in self.leads)
        )
        wanted = {place for place, (function, _) in zip(self.places, self.edges) if is_wanted(function)}
        active = {i for i in reached if None in wanted or self.hooks.inputs[i] & wanted}
        local.run = Run(self, active, torch.is_grad_enabled())

    def end(self, gradients: Gradients, output_gradients: Gradients) -> None:
        """End the run of the backward graph; raise the exception of a hook."""
        run, local.run = local.run, None
        if run is None or run.error is None:
            return
        for place, (function, _), gradient in zip(self.places, self.edges, gradients):
            if place in self.hooks.early[run.failed] and gradient is not None and accumulates(function):
                function(gradient)
        raise run.error


@dataclasses.dataclass
class Run:
    """One run of a backward graph: the tensors that get gradients, and the exception of a hook.

    `twice`: the run is to be differentiated itself (`create_graph`), so gradients require gradients.
    """

    attached: Attached
    reached: set[int]
    twice: bool
    error: Optional[BaseException] = None
    failed: int = 0

    def call(self, place: int, gradient: torch.Tensor) -> torch.Tensor:
        """The gradient of a tensor after its hooks. Hooks get a copy, because the program may keep the gradient."""
        functions = self.attached.functions.get(place)
        if not functions or place not in self.reached or self.error is not None:
            return gradient
        with torch.enable_grad():
            probe = torch.empty_like(gradient).requires_grad_()
            value = probe.view_as(probe)
        for function in tuple(functions.values()):
            add_hook(value, function)
        try:
            copy = copy_of_gradient(gradient).requires_grad_(self.twice)
            return torch.autograd.grad(value, probe, copy, create_graph=self.twice)[0].detach()
        except BaseException as error:
            self.error, self.failed = error, place
            return gradient
        finally:
            local.run = self  # a hook may have run another backward graph


def is_wanted(function: Any) -> bool:
    """Whether the running backward pass goes on to a node; true for a leaf whose gradient the pass returns."""
    if function is None:
        return False
    try:
        return bool(torch_names._will_engine_execute_node(function))
    except RuntimeError:
        return True


def accumulates(function: Any) -> bool:
    """Whether a node is a leaf, and the running pass adds to the leaf's gradient."""
    try:
        return hasattr(function, "variable") and torch_names._will_engine_execute_node(function)
    except RuntimeError:
        return False


def copy_of_gradient(gradient: torch.Tensor) -> torch.Tensor:
    """A copy of a gradient with the same layout; repeated memory (stride 0) stays repeated."""
    small = gradient
    for dimension, (size, stride) in enumerate(zip(gradient.shape, gradient.stride())):
        if stride == 0 and size > 1:
            small = small.narrow(dimension, 0, 1)
    copy = small.clone()
    return copy if small is gradient else copy.expand_as(gradient)


def run_hooks(gradient: torch.Tensor, place: int) -> torch.Tensor:
    """Kernel of the operator."""
    if local.run is None:
        raise RuntimeError("hooks are called outside of their backward graph")
    return torch.empty_like(gradient).copy_(local.run.call(place, gradient))


TAGS = tuple(
    getattr(torch.Tag, name) for name in ("needs_exact_strides", "cudagraph_unsafe") if hasattr(torch.Tag, name)
)
LIBRARY.define("run(Tensor gradient, int place) -> Tensor", tags=TAGS)
LIBRARY.impl("run", run_hooks, "CompositeExplicitAutograd")
register_fake("graphmend_hooks::run", lambda gradient, place: torch.empty_like(gradient), lib=LIBRARY)
OPERATOR = torch.ops.graphmend_hooks.run.default


def hooked(tensor: torch.Tensor, place: int) -> None:
    """Mark a tensor with hooks, inside the graph: keep the tensor for `attach`, or register the operator as a hook."""
    if not tensor.requires_grad:
        return
    if local.attached is not None and not is_traced():
        local.attached.tensors[place] = tensor
    else:
        add_hook(tensor, lambda gradient: OPERATOR(gradient, place))


def is_traced() -> bool:
    """Whether a compiler traces the current operations."""
    modes = torch_names._TorchDispatchModeKey
    kinds = (modes.FAKE, modes.PROXY, modes.FUNCTIONAL)
    return any(torch_names._get_dispatch_mode(kind) is not None for kind in kinds)


def attach(handle: Any, function: Optional[Callable[..., Any]]) -> None:
    """Hand over a hook of the call that has just ended; remove the hook if `function` is None."""
    if function is None:
        handle.remove()
        return
    attached, place = handle.home
    del handle.home
    if local.waiting is attached:
        local.waiting = None
    attached.attach(place, handle, function)


def handle_of(place: int, number: int) -> RemovableHandle:
    """The handle of a hook of the call whose graph has just returned."""
    assert local.waiting is not None
    return local.waiting.handle(place, number)


@contextlib.contextmanager
def kept_buffers(hooks: Optional[Hooks]) -> Iterator[None]:
    """Compile graphs inside the block so that their backward pass may run twice, as the parts of a broken graph could.

    Compilers reuse the memory kept for the backward pass, and then refuse `retain_graph`. In eager Python a hooked
    tensor is never such memory, because the graph breaks there.
    """
    none = contextlib.nullcontext()
    with none if hooks is None else hook_table.replaced("compiler.donated_buffers", lambda collect, *_: []):
        yield


def with_hooks(compiled: Callable[..., Any], hooks: Hooks) -> Callable[..., Any]:
    """A compiled graph whose backward pass calls hooks."""

    def run(*inputs: Any) -> Any:
        tensors = [value for value in inputs if isinstance(value, torch.Tensor) and value.requires_grad]
        if inner_gradients.disturbed([tensor for tensor in tensors if tensor.is_leaf]):
            raise RuntimeError("a leaf has hooks")
        before, local.attached = local.attached, Attached(hooks)
        attached = local.attached
        try:
            outputs = compiled(*inputs)
        finally:
            local.attached = before
        if not attached.tensors:
            attached.watch(outputs, inputs)
        local.waiting = attached
        return outputs

    return run


torch.fx.node.has_side_effect(hooked)


@functools.lru_cache(maxsize=None)
def keep_order() -> None:
    """Make compilers keep the order of hook calls."""
    from ..base.torch_names import EffectType, _register_effectful_op

    _register_effectful_op("graphmend_hooks::run", EffectType.ORDERED)
