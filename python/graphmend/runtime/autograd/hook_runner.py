"""The hooks of one call (tensor_hooks.py) while its backward pass runs, and what an error of theirs leaves behind."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import threading
from typing import Any, Callable, Iterator, Optional, Sequence

import torch
from torch.utils.hooks import RemovableHandle

from ..base import hooks as hook_table
from ..base import torch_names
from . import inner_gradients
from .unused_gradients import EMPTY, places_of

LIBRARY = torch.library.Library("graphmend_hooks", "DEF")


@dataclasses.dataclass(frozen=True)
class Hooks:
    """Where the hooks of a graph are: tensors by number, inputs and outputs by position.

    `leads` has the tensors that outputs depend on, `inputs` the inputs that a tensor depends on, and `early` the leaves
    that have got their gradients when the hooks of a tensor run.
    """

    leads: dict[int, frozenset]
    inputs: dict[int, frozenset]
    early: dict[int, frozenset]


class Local(threading.local):
    """State of one thread: the hooks of the call that runs, and the backward pass that does."""

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
        self.tensors: dict[int, torch.Tensor] = {}  # those that hooks can be put on
        self.leads: dict[int, frozenset] = {}
        self.edges: Sequence[tuple] = ()
        self.places: list[Optional[int]] = []

    def watch(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        """Find the backward graph of the outputs, and be told when it runs."""
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
        real = self.tensors[place].register_hook(function)
        handle.id, handle.hooks_dict_ref = real.id, real.hooks_dict_ref

    def handle(self, place: int, number: int) -> RemovableHandle:
        """The handle of a hook."""
        if number not in self.handles:
            table = self.functions.setdefault(place, collections.OrderedDict())
            self.handles[number] = RemovableHandle(table)
            self.handles[number].home = (self, place)  # until the hook is handed over
        return self.handles[number]

    def begin(self, given: tuple) -> None:
        """The backward graph is about to run, with these gradients."""
        reached = EMPTY.union(*(self.leads[i] for i, item in enumerate(given) if item is not None and i in self.leads))
        wanted = {place for place, (function, _) in zip(self.places, self.edges) if is_wanted(function)}
        reached = {i for i in reached if None in wanted or self.hooks.inputs[i] & wanted}
        local.run = Run(self, reached, torch.is_grad_enabled())

    def end(self, found: tuple, given: tuple) -> None:
        """The backward graph has run."""
        run, local.run = local.run, None
        if run is None or run.error is None:
            return
        for place, (function, _), gradient in zip(self.places, self.edges, found):
            if place in self.hooks.early[run.failed] and gradient is not None and accumulates(function):
                function(gradient)
        raise run.error


@dataclasses.dataclass
class Run:
    """One run of a backward graph: the tensors to which gradients come, and what a hook has raised.

    In a run that is to be differentiated itself (`create_graph`), gradients say so.
    """

    attached: Attached
    reached: set[int]
    twice: bool
    error: Optional[BaseException] = None
    failed: int = 0

    def call(self, place: int, gradient: torch.Tensor) -> torch.Tensor:
        """The gradient of a tensor behind its hooks. It is the program's to keep, so it is memory of its own."""
        functions = self.attached.functions.get(place)
        if not functions or place not in self.reached or self.error is not None:
            return gradient
        with torch.enable_grad():
            probe = torch.empty_like(gradient).requires_grad_()
            value = probe.view_as(probe)
        for function in tuple(functions.values()):
            value.register_hook(function)
        try:
            given = own(gradient).requires_grad_(self.twice)
            return torch.autograd.grad(value, probe, given, create_graph=self.twice)[0].detach()
        except BaseException as error:
            self.error, self.failed = error, place
            return gradient
        finally:
            local.run = self  # a hook may have run another backward graph


def is_wanted(function: Any) -> bool:
    """Whether the pass that runs goes on to a node; a leaf that it is asked to give the gradient of counts."""
    if function is None:
        return False
    try:
        return torch_names._will_engine_execute_node(function)
    except RuntimeError:
        return True


def accumulates(function: Any) -> bool:
    """Whether a node is a leaf to whose gradient the pass that runs adds."""
    try:
        return hasattr(function, "variable") and torch_names._will_engine_execute_node(function)
    except RuntimeError:
        return False


def own(gradient: torch.Tensor) -> torch.Tensor:
    """A copy of a gradient, laid out as it is; what is repeated in memory stays so."""
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
torch.library.register_fake("graphmend_hooks::run", lambda gradient, place: torch.empty_like(gradient), lib=LIBRARY)
OPERATOR = torch.ops.graphmend_hooks.run.default


def hooked(tensor: torch.Tensor, place: int) -> None:
    """What the graph calls for a tensor with hooks: put one on it, or have it at hand."""
    if not tensor.requires_grad:
        return
    if local.attached is not None and not is_traced():
        local.attached.tensors[place] = tensor
    else:
        tensor.register_hook(lambda gradient: OPERATOR(gradient, place))


def is_traced() -> bool:
    """Whether a compiler looks at what happens."""
    modes = torch_names._TorchDispatchModeKey
    kinds = (modes.FAKE, modes.PROXY, modes.FUNCTIONAL)
    return any(torch_names._get_dispatch_mode(kind) is not None for kind in kinds)


def attach(handle: Any, function: Optional[Callable[..., Any]]) -> None:
    """Hand over a hook of the call that has just ended, or take one back."""
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
    """Let a graph be compiled inside the block whose backward pass may run twice, as that of its parts could.

    Compilers write over what is kept for the backward pass, and then refuse `retain_graph`. What hooks are put on is
    never such memory where the graph breaks there.
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
    """Have compilers keep the order in which hooks are called."""
    from ..base.torch_names import EffectType, _register_effectful_op

    _register_effectful_op("graphmend_hooks::run", EffectType.ORDERED)
