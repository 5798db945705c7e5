"""Facts about the call of a node: does the call draw random numbers, and which memory does the call write to?

The name of the function does not tell:

    F.multi_head_attention_forward(q, k, v, ..., dropout_p=0.1)    # draws
    F.hardsigmoid(x, True)                                         # writes to `x`
    F.hardsigmoid(x)                                               # only computes

So the call is made a second time, on stand-ins of the node's fake tensors, under a mode that records the ATen calls.
Their schemas and tags have the facts (`aten_facts.py`). The second call leaves no trace: stand-ins share the memory of
fake tensors, which is empty, and guards are suppressed.

Facts are cached by function and kinds of arguments. A function of the program, or a function that fails on fake
tensors, counts as drawing and as writing to all its arguments.
"""

from __future__ import annotations

import contextlib
import dataclasses
import operator
import re
import sys
import warnings
import weakref
from typing import Any, Callable, Iterable, Iterator, Optional

import torch
from torch.fx import Node

from ..base import torch_names
from ..base.marker_ops import kind_of
from ..base.torch_names import FakeTensor, TorchDispatchMode, temporarily_clear_interpreter_stack
from . import allowed_functions, aten_facts, custom_op_purity
from .marker_regions import tensor_of

# Modules whose functions only wrap and unwrap tensors for function transforms.
TRANSFORMS = ("torch._C._functorch", "torch._functorch")
SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
PLAIN: tuple[type, ...] = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type(Ellipsis),
    torch.dtype,
    torch.device,
    torch.layout,
)
PLAIN += (torch.memory_format,)
SPEAKERS = re.compile(r"(graphmend|torch)\b")
MAX_CACHED = 4096  # cached calls

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
Call = tuple[Any, Args, Kwargs, Any]  # an operator, its arguments, its result


@dataclasses.dataclass(frozen=True)
class Facts:
    """Whether a call draws random numbers, the positions of the tensors among the arguments that the call writes to,
    and whether torch's own Python shows a warning.
    """

    draws: bool
    writes: frozenset[int]
    warns: bool = False


NOTHING = Facts(False, frozenset())
cache: dict[Any, Facts] = {}
calls: weakref.WeakKeyDictionary[Node, tuple[tuple[Any, ...], Facts]] = weakref.WeakKeyDictionary()  # by the call then


def storage_of(value: Any) -> Optional[int]:
    """Identity of the memory behind a fake tensor; None for values without strided memory."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    while torch_names.is_functorch_wrapped_tensor(value):
        value = torch_names.get_unwrapped(value)
    memory: int = value.untyped_storage()._cdata
    return memory


def storages_of(node: Node) -> set[int]:
    """Identities of the memory behind the tensors that a node produced."""
    value = tensor_of(node)
    values = value if isinstance(value, (tuple, list)) else [value]
    return {storage for storage in map(storage_of, values) if storage is not None}


def storages_in(nodes: Iterable[Node]) -> set[int]:
    """Union of the storages behind several nodes."""
    return set().union(*map(storages_of, nodes))


class Recorder(TorchDispatchMode):
    """A dispatch mode that records operators with arguments and results."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Args = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, result))
        return result


# ---- Draws and writes of a node ----


def nodes_behind(nodes: list[Node], last: Node) -> list[Node]:
    """The nodes behind one of them; none behind a node of an attempt that Dynamo has given up."""
    return nodes[nodes.index(last) + 1 :] if last in nodes else []


def draws(node: Node) -> bool:
    """Whether a node may draw random numbers from the generators of torch."""
    return facts_of(node).draws


def warns(node: Node) -> bool:
    """Whether the call of a node shows a warning, such as `F.softmax(x)` without a dimension."""
    return facts_of(node).warns


def records_gradient(node: Node) -> bool:
    """Whether a value of a node requires a gradient."""
    return any(tensor.requires_grad for tensor in tensors_in(tensor_of(node)))


def writes_of(node: Node) -> set[int]:
    """The storages that a node may write to."""
    facts = facts_of(node)
    if not facts.writes:
        return set()
    tensors = tensors_in(traced_arguments(node))
    return {storage for place in facts.writes if (storage := storage_of(tensors[place])) is not None}


def facts_of(node: Node) -> Facts:
    """The facts about the call of a node; found once for as long as the node makes the same call."""
    call = node.target, node.args, node.kwargs
    last = calls.get(node)
    if last is not None and all(one is other for one, other in zip(last[0], call)):
        return last[1]
    facts = facts_of_call(node)
    if "example_value" in node.meta:  # else the trace has not made the call yet
        calls[node] = call, facts
    return facts


def facts_of_call(node: Node) -> Facts:
    """The facts about the call of a node, from the cache of signatures or from a second call."""
    if node.op not in ("call_function", "call_method", "call_module") or kind_of(node) is not None:
        return NOTHING
    args, kwargs = traced_arguments(node)
    tensors = tensors_in((args, kwargs))
    if not tensors and not tensors_in(tensor_of(node)):
        return Facts(is_of_generators(node.target), frozenset())
    key = call_key(node, args, kwargs)
    facts = cache.get(key) if key is not None else None
    if facts is None:
        facts = derive_facts(node, args, kwargs, tensors)
        if facts is None:  # not kept: `item` fails in a trace that may break, and works in the trace of a whole call
            return unknown_facts(tensors)
        if key is not None:
            if len(cache) >= MAX_CACHED:
                cache.clear()
            cache[key] = facts
    return facts


# ---- The second call ----


def traced_arguments(node: Node) -> tuple[Args, Kwargs]:
    """The arguments of a node, with fake values in the place of nodes."""
    arguments: tuple[Args, Kwargs] = torch.fx.map_arg((node.args, node.kwargs), traced)
    return arguments


def traced(node: Node) -> Any:
    """The value of a node in the trace."""
    return node.meta.get("example_value")


def tensors_in(tree: Any) -> list[torch.Tensor]:
    """The tensors in arguments or in a result, in order."""
    return [leaf for leaf in torch_names.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def is_of_generators(target: Any) -> bool:
    """Whether a function without tensors sets or reads random generators."""
    home = sys.modules.get(getattr(target, "__module__", None) or "")
    return hasattr(home, "manual_seed") and home is not torch


def unknown_facts(tensors: list[torch.Tensor]) -> Facts:
    """The facts about a call that may draw, and write to each of its tensors."""
    return Facts(True, frozenset(range(len(tensors))))


def derive_facts(node: Node, args: Args, kwargs: Kwargs, tensors: list[torch.Tensor]) -> Optional[Facts]:
    """Derive the facts about a call from its schema, or from a second call; None where the second call fails."""
    unknown = unknown_facts(tensors)
    target: Any = node.target
    if isinstance(target, torch_names.HigherOrderOperator) or node.op == "call_module":
        return unknown
    if isinstance(target, (torch_names.OpOverload, torch_names.OpOverloadPacket)):
        if is_custom(target):
            return facts_of_schemas(target, args, kwargs, tensors)
    elif node.op == "call_function" and not allowed_functions.is_vouched_for(target):
        return unknown
    if aten_facts.changes_shape(str(target if node.op == "call_method" else getattr(target, "__name__", ""))):
        return Facts(False, frozenset({0}))  # a second call would meet the shape from behind the first one
    if target is operator.getitem and isinstance(args[0], (tuple, list)):
        return NOTHING
    if target is torch.autograd.grad:  # stand-ins have no backward graph; derivatives neither draw nor write
        return NOTHING
    if str(getattr(target, "__module__", None)).startswith(TRANSFORMS):
        return NOTHING
    try:
        with warnings_heard() as heard:
            facts = facts_of_calls(*recorded_call(node, args, kwargs, tensors))
    except Exception:
        return None
    return Facts(facts.draws, facts.writes | declared_writes(target, args, kwargs, tensors), bool(heard))


def declared_writes(target: Any, args: Args, kwargs: Kwargs, tensors: list[torch.Tensor]) -> frozenset[int]:
    """The positions of the tensors that the schema declares as written; some operators skip the write on fake
    tensors.
    """
    tensors_written = tensors_in(kwargs.get("out"))
    if isinstance(target, torch_names.OpOverload):
        tensors_written = aten_facts.written_tensors(target, args, kwargs)
    places = set(map(id, tensors_written))
    return frozenset(place for place, tensor in enumerate(tensors) if id(tensor) in places)


def is_custom(target: Any) -> bool:
    """Whether a program may have defined the operator."""
    return str(target).partition(".")[0] not in aten_facts.PURE_LIBRARIES


def facts_of_schemas(target: Any, args: Args, kwargs: Kwargs, tensors: list[torch.Tensor]) -> Facts:
    """Facts about a custom operator: a draw unless the kernel only computes, and the writes of the schema."""
    overloads = (
        [target] if isinstance(target, torch_names.OpOverload) else [getattr(target, n) for n in target.overloads()]
    )
    draws = any(map(aten_facts.draws, overloads)) or not custom_op_purity.only_computes(target)
    if len(overloads) > 1:
        mutable = any(overload._schema.is_mutable for overload in overloads)
        return Facts(draws, frozenset(range(len(tensors)) if mutable else ()))
    return Facts(draws, declared_writes(overloads[0], args, kwargs, tensors))


def facts_of_calls(calls: list[Call], memory: list[Optional[int]]) -> Facts:
    """Facts about ATen calls; `memory` has the storages of the arguments of the outer call."""
    draws_any = False
    storages: set[Optional[int]] = set()
    for overload, args, kwargs, _ in calls:
        draws_any = draws_any or aten_facts.draws(overload, args, kwargs)
        storages.update(map(storage_of, aten_facts.written_tensors(overload, args, kwargs)))
    return Facts(
        draws_any,
        frozenset(place for place, storage in enumerate(memory) if storage is not None and storage in storages),
    )


def call_on_stand_ins(
    node: Node, args: Args, kwargs: Kwargs, tensors: list[torch.Tensor]
) -> tuple[list[Call], list[Optional[int]]]:
    """Make the call of a node on stand-ins of its arguments; returns the ATen calls behind it, and the storages of the
    stand-ins. Warnings are dropped.
    """
    with without_warnings():
        return recorded_call(node, args, kwargs, tensors)


def recorded_call(
    node: Node, args: Args, kwargs: Kwargs, tensors: list[torch.Tensor]
) -> tuple[list[Call], list[Optional[int]]]:
    """The same as `call_on_stand_ins`, with warnings."""
    fakes = [
        value for value in map(innermost, [*tensors, *tensors_in(tensor_of(node))]) if isinstance(value, FakeTensor)
    ]
    if not fakes:
        if tensors:
            raise ValueError("a call with other tensors than fake ones")
        function, positional = function_and_arguments(node, list(args))
        with Recorder() as recorder:
            function(*positional, **kwargs)
        return recorder.calls, []
    mode = fakes[0].fake_mode
    with (
        temporarily_clear_interpreter_stack(),
        fake_dispatch(),
        mode,
        without_guards(mode.shape_env),
        torch.no_grad(),
    ):
        copies = {id(tensor): stand_in(tensor) for tensor in tensors}
        if not all(isinstance(copy, FakeTensor) for copy in copies.values()):
            raise ValueError("a stand-in that has memory to be read")
        stand_ins = torch_names.tree_map(lambda leaf: copies.get(id(leaf), leaf), (list(args), kwargs))
        function, positional = function_and_arguments(node, stand_ins[0])
        recorder = Recorder()
        with recorder:
            function(*positional, **stand_ins[1])
    return recorder.calls, [storage_of(copies[id(tensor)]) for tensor in tensors]


@contextlib.contextmanager
def fake_dispatch() -> Iterator[None]:
    """Let calls reach fake tensors although a kernel of a fake tensor is running: real kernels would read missing
    memory.
    """
    with torch_names._PreserveDispatchKeyGuard():
        for key in (torch_names.DispatchKey.Python, torch_names.DispatchKey.PythonTLSSnapshot):
            torch_names._dispatch_tls_set_dispatch_key_excluded(key, False)
        yield


def function_and_arguments(node: Node, args: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """The function that a node calls, and the positional arguments."""
    if node.op == "call_method":
        return getattr(args[0], str(node.target)), args[1:]
    assert not isinstance(node.target, str)
    return node.target, args


@contextlib.contextmanager
def without_guards(shapes: Any) -> Iterator[None]:
    """Keep neither guards nor symbols of the calls inside the block."""
    if shapes is None:
        yield
        return
    with shapes.suppress_guards(), shapes.ignore_fresh_unbacked_symbols():
        yield


@contextlib.contextmanager
def filtered(action: str) -> Iterator[None]:
    """Put a filter for warnings of torch and of this module in force inside the block.

    `warnings.catch_warnings` would make Python forget which warnings of the program were shown; a filter does not.
    """
    row = (action, None, Warning, SPEAKERS, 0)
    warnings.filters.insert(0, row)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        warnings.filters.remove(row)  # type: ignore[attr-defined]


def without_warnings() -> contextlib.AbstractContextManager[None]:
    """Drop warnings of torch and of this module inside the block."""
    return filtered("ignore")


@contextlib.contextmanager
def warnings_heard() -> Iterator[list[type]]:
    """Keep warnings of torch and of this module from being shown inside the block; yields their categories."""
    heard: list[type] = []
    shown = warnings.showwarning
    with filtered("always"):
        warnings.showwarning = lambda message, category, *rest, **options: heard.append(category)
        try:
            yield heard
        finally:
            warnings.showwarning = shown


def innermost(value: torch.Tensor) -> torch.Tensor:
    """The tensor inside the wrappers that function transforms (`vmap`, `grad`) put around a tensor."""
    while torch_names.is_functorch_wrapped_tensor(value):
        value = torch_names.get_unwrapped(value)
    return value


def stand_in(value: torch.Tensor) -> torch.Tensor:
    """A tensor with the same memory that counts its own writes; inside a transform, an empty tensor of the same
    size.
    """
    if torch_names.is_functorch_wrapped_tensor(value):
        copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
    else:
        copy = value.data
    return copy.requires_grad_() if value.requires_grad else copy


# ---- Keys of the cache ----


def call_key(node: Node, args: Args, kwargs: Kwargs) -> Any:
    """The cache key of a call; None where an argument is of an unknown kind."""
    try:
        return node.op, node.target, argument_key(args), argument_key(kwargs)
    except TypeError:
        return None


def argument_key(value: Any) -> Any:
    """The part of a cache key for one argument: kind and size of a tensor, type and value of a number."""
    if isinstance(value, torch.Tensor):
        shape = tuple(map(str, value.shape)) if value.layout != torch.jagged else None
        return type(value), value.dtype, value.device, value.layout, value.requires_grad, shape
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(argument_key, value))
    if isinstance(value, dict):
        return tuple((name, argument_key(item)) for name, item in value.items())
    if isinstance(value, slice):
        return slice, argument_key(value.start), argument_key(value.stop), argument_key(value.step)
    if isinstance(value, SYMBOLS):
        return type(value), str(value)
    if isinstance(value, PLAIN):
        return type(value), value
    raise TypeError
