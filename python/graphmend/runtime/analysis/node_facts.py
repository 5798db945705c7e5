"""What the call of a node does besides computing: whether it draws random numbers, and which memory it writes to.

A name says nothing: `multi_head_attention_forward` draws where it has a dropout, `hardsigmoid` writes where it is told
to by its second argument. So the call is made once more, on stand-ins of the fake tensors that the node was given, and
the ATen calls behind it are looked at; what those do is told by their schemas and tags (`aten_facts.py`). Nothing of it
stays: stand-ins share the memory of fake tensors, which is none, and no guard is added to the trace.

What is found is kept by what was called with what kind of arguments. Where it cannot be found, because the function is
the program's own or fails on fake tensors, the call is taken to draw and to write to all that it is given.
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
from . import aten_facts, custom_op_purity
from .marker_regions import tensor_of

# Functions of other modules are the program's own. C functions have no module.
KNOWN_MODULES = frozenset(["torch", "_operator", "builtins", "math", "operator", "graphmend", None])
# Functions here put tensors into transforms of functions and take them out, nothing else.
TRANSFORMS = ("torch._C._functorch", "torch._functorch")
SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), torch.dtype, torch.device, torch.layout)
PLAIN += (torch.memory_format,)
SPEAKERS = re.compile(r"(graphmend|torch)\b")
MOST = 4096  # calls that are remembered

Call = tuple[Any, tuple, dict, Any]  # an operator, its arguments, its result


@dataclasses.dataclass(frozen=True)
class Facts:
    """Whether a call draws random numbers, and the positions of the tensors among its arguments that it writes to."""

    draws: bool
    writes: frozenset[int]


NOTHING = Facts(False, frozenset())
found: dict[Any, Facts] = {}
calls: weakref.WeakKeyDictionary[Node, tuple[tuple[Any, ...], Facts]] = weakref.WeakKeyDictionary()  # by the call then


def storage_of(value: Any) -> Optional[int]:
    """Identity of the memory behind a fake tensor."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    while torch_names.is_functorch_wrapped_tensor(value):
        value = torch_names.get_unwrapped(value)
    return value.untyped_storage()._cdata


def storages_of(node: Node) -> set[int]:
    """Identities of the memory behind the tensors that a node produced."""
    value = tensor_of(node)
    values = value if isinstance(value, (tuple, list)) else [value]
    return {found for found in map(storage_of, values) if found is not None}


def storages_in(nodes: Iterable[Node]) -> set[int]:
    """Union of the storages behind several nodes."""
    return set().union(*map(storages_of, nodes))


class Recorder(TorchDispatchMode):
    """Collects the operators that a call dispatches, with what they were given and returned."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, result))
        return result


# ---- The two questions ----


def draws(node: Node) -> bool:
    """Whether a node may draw random numbers from the generators of torch."""
    return facts_of(node).draws


def writes_of(node: Node) -> set[int]:
    """The storages that a node may write to."""
    facts = facts_of(node)
    if not facts.writes:
        return set()
    tensors = tensors_in(torch.fx.map_arg((node.args, node.kwargs), tensor_of))
    return {storage for place in facts.writes if (storage := storage_of(tensors[place])) is not None}


def facts_of(node: Node) -> Facts:
    """What the call of a node does besides computing; found once, as long as the node makes the same call."""
    call = node.target, node.args, node.kwargs
    last = calls.get(node)
    if last is not None and all(one is other for one, other in zip(last[0], call)):
        return last[1]
    facts = facts_of_call(node)
    if "example_value" in node.meta:  # else the trace has not made the call yet
        calls[node] = call, facts
    return facts


def facts_of_call(node: Node) -> Facts:
    """What the call of a node does besides computing, by the signature of the call."""
    if node.op not in ("call_function", "call_method", "call_module") or kind_of(node) is not None:
        return NOTHING
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), tensor_of)
    tensors = tensors_in((args, kwargs))
    if not tensors and not tensors_in(tensor_of(node)):
        return Facts(is_of_generators(node.target), frozenset())
    key = signature(node, args, kwargs)
    known = found.get(key) if key is not None else None
    if known is None:
        known = find(node, args, kwargs, tensors)
        if key is not None:
            if len(found) >= MOST:
                found.clear()
            found[key] = known
    return known


# ---- How they are answered ----


def tensors_in(tree: Any) -> list[torch.Tensor]:
    """The tensors in arguments or in a result, in order."""
    return [leaf for leaf in torch_names.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def is_of_generators(target: Any) -> bool:
    """Whether a function that has no tensors is one of those that set or read random generators."""
    home = sys.modules.get(getattr(target, "__module__", None) or "")
    return hasattr(home, "manual_seed") and home is not torch


def find(node: Node, args: tuple, kwargs: dict, tensors: list[torch.Tensor]) -> Facts:
    """What a call does, found by its schema or by making it."""
    unknown = Facts(True, frozenset(range(len(tensors))))
    target: Any = node.target
    if isinstance(target, torch_names.HigherOrderOperator) or node.op == "call_module":
        return unknown
    if isinstance(target, (torch_names.OpOverload, torch_names.OpOverloadPacket)):
        if is_custom(target):
            return of_schemas(target, args, kwargs, tensors)
    elif node.op == "call_function" and not is_known(target):
        return unknown
    if target is operator.getitem and isinstance(args[0], (tuple, list)):
        return NOTHING
    if target is torch.autograd.grad:  # of a graph that stand-ins do not have; what it runs does none of this
        return NOTHING
    if str(getattr(target, "__module__", None)).startswith(TRANSFORMS):
        return NOTHING
    try:
        facts = of_calls(*made_again(node, args, kwargs, tensors))
    except Exception:
        return unknown
    return Facts(facts.draws, facts.writes | said(target, args, kwargs, tensors))


def said(target: Any, args: tuple, kwargs: dict, tensors: list[torch.Tensor]) -> frozenset[int]:
    """The positions of the tensors that a call is said to write to; some operators do not do it on fake tensors."""
    written = tensors_in(kwargs.get("out"))
    if isinstance(target, torch_names.OpOverload):
        written = aten_facts.written(target, args, kwargs)
    places = set(map(id, written))
    return frozenset(place for place, tensor in enumerate(tensors) if id(tensor) in places)


def is_known(function: Any) -> bool:
    """Whether a function is of torch or of Python itself, so that nobody notices when it is called once more."""
    home = getattr(function, "__module__", None)
    return not isinstance(home, str) or home.partition(".")[0] in KNOWN_MODULES


def is_custom(target: Any) -> bool:
    """Whether an operator is one that a program may have defined."""
    return str(target).partition(".")[0] not in aten_facts.PURE_LIBRARIES


def of_schemas(target: Any, args: tuple, kwargs: dict, tensors: list[torch.Tensor]) -> Facts:
    """What a custom operator does: it draws unless its code is known, and writes to what its schema says."""
    overloads = (
        [target] if isinstance(target, torch_names.OpOverload) else [getattr(target, n) for n in target.overloads()]
    )
    draws = any(map(aten_facts.draws, overloads)) or not custom_op_purity.only_computes(target)
    if len(overloads) > 1:
        mutable = any(overload._schema.is_mutable for overload in overloads)
        return Facts(draws, frozenset(range(len(tensors)) if mutable else ()))
    return Facts(draws, said(overloads[0], args, kwargs, tensors))


def of_calls(calls: list[Call], memory: list[Optional[int]]) -> Facts:
    """What ATen calls do, `memory` being that of the arguments of the call behind which they are."""
    drawn, written = False, set()
    for overload, args, kwargs, _ in calls:
        drawn = drawn or aten_facts.draws(overload, args, kwargs)
        written.update(map(storage_of, aten_facts.written(overload, args, kwargs)))
    return Facts(drawn, frozenset(place for place, own in enumerate(memory) if own is not None and own in written))


def made_again(node: Node, args: tuple, kwargs: dict, tensors: list[torch.Tensor]) -> tuple[list[Call], list]:
    """The ATen calls behind a node, made on stand-ins of its arguments, and the memory of those."""
    fakes = [
        value for value in map(innermost, [*tensors, *tensors_in(tensor_of(node))]) if isinstance(value, FakeTensor)
    ]
    if not fakes:
        if tensors:
            raise ValueError("a call with other tensors than fake ones")
        function, positional = called(node, list(args))
        with Recorder() as recorder:
            function(*positional, **kwargs)
        return recorder.calls, []
    mode = fakes[0].fake_mode
    with (
        temporarily_clear_interpreter_stack(),
        dispatched(),
        mode,
        unnoticed(mode.shape_env),
        unwarned(),
        torch.no_grad(),
    ):
        copies = {id(tensor): stand_in(tensor) for tensor in tensors}
        if not all(isinstance(copy, FakeTensor) for copy in copies.values()):
            raise ValueError("a stand-in that has memory to be read")
        own = torch_names.tree_map(lambda leaf: copies.get(id(leaf), leaf), (list(args), kwargs))
        function, positional = called(node, own[0])
        recorder = Recorder()
        with recorder:
            function(*positional, **own[1])
    return recorder.calls, [storage_of(copies[id(tensor)]) for tensor in tensors]


@contextlib.contextmanager
def dispatched() -> Iterator[None]:
    """Calls reach fake tensors, also where the kernel of one is on its way: it would read memory that they have not."""
    with torch_names._PreserveDispatchKeyGuard():
        for key in (torch_names.DispatchKey.Python, torch_names.DispatchKey.PythonTLSSnapshot):
            torch_names._dispatch_tls_set_dispatch_key_excluded(key, False)
        yield


def called(node: Node, args: list) -> tuple[Callable[..., Any], list]:
    """The function that a node calls, and its arguments by position."""
    if node.op == "call_method":
        return getattr(args[0], str(node.target)), args[1:]
    return node.target, args  # type: ignore[return-value]


@contextlib.contextmanager
def unnoticed(shapes: Any) -> Iterator[None]:
    """Neither guards nor symbols of what is called in this block are kept in the trace."""
    if shapes is None:
        yield
        return
    with shapes.suppress_guards(), shapes.ignore_fresh_unbacked_symbols():
        yield


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """Nothing is warned of that torch or this module seems to say. The program's warnings stay known as shown or not,
    which `warnings.catch_warnings` would make Python forget."""
    silence = ("ignore", None, Warning, SPEAKERS, 0)
    warnings.filters.insert(0, silence)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        warnings.filters.remove(silence)  # type: ignore[attr-defined]


def innermost(value: torch.Tensor) -> torch.Tensor:
    """The tensor inside of those that transforms of functions wrap around it."""
    while torch_names.is_functorch_wrapped_tensor(value):
        value = torch_names.get_unwrapped(value)
    return value


def stand_in(value: torch.Tensor) -> torch.Tensor:
    """A tensor with the same memory that counts its own writes, or a new one of the size seen in a transform."""
    if torch_names.is_functorch_wrapped_tensor(value):
        copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
    else:
        copy = value.data
    return copy.requires_grad_() if value.requires_grad else copy


# ---- What a call is remembered by ----


def signature(node: Node, args: tuple, kwargs: dict) -> Any:
    """What decides about the facts of a call, as a key; None where it has arguments of other kinds."""
    try:
        return node.op, node.target, part(args), part(kwargs)
    except TypeError:
        return None


def part(value: Any) -> Any:
    """What is remembered of an argument: of tensors the kind and the size, of numbers their type, too."""
    if isinstance(value, torch.Tensor):
        shape = tuple(map(str, value.shape)) if value.layout != torch.jagged else None
        return type(value), value.dtype, value.device, value.layout, value.requires_grad, shape
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(part, value))
    if isinstance(value, dict):
        return tuple((name, part(item)) for name, item in value.items())
    if isinstance(value, slice):
        return slice, part(value.start), part(value.stop), part(value.step)
    if isinstance(value, SYMBOLS):
        return type(value), str(value)
    if isinstance(value, PLAIN):
        return type(value), value
    raise TypeError
