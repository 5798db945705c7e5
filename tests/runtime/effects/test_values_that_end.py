"""Which values a program sees end: asked of the values alone, as the code behind a graph asks."""

from __future__ import annotations

import asyncio
import collections
import random
import re
import types
import weakref
from typing import Any, Callable

import pytest
import torch

from graphmend.runtime.base import hooks
from graphmend.runtime.base.trace_state import SiteRefused, Trace
from graphmend.runtime.effects import finalizers


class Plain:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Ending:
    def __del__(self) -> None:
        pass


class Slots:
    __slots__ = ("item",)


class EndingList(list):  # type: ignore[type-arg]
    def __del__(self) -> None:
        pass


class EndingModule(torch.nn.Module):
    def __del__(self) -> None:
        pass


class Quiet(Ending):
    __del__ = None  # type: ignore[assignment]


def steps() -> Any:
    yield 1


async def waits() -> None:
    pass


async def rows() -> Any:
    yield 1


def slots(item: Any) -> Slots:
    made = Slots()
    made.item = item
    return made


def deep(levels: int, last: Any) -> Any:
    return last if levels == 0 else [deep(levels - 1, last)]


VALUES: dict[str, tuple[Callable[[], Any], bool]] = {
    "None": (lambda: None, False),
    "numbers": (lambda: [1, 2.0, "text", True, b"b", 1j], False),
    "a tensor": (lambda: torch.ones(1), False),
    "a module": (lambda: torch.nn.Linear(1, 1), False),
    "a class": (lambda: Ending, False),
    "a function": (lambda: steps, False),
    "an object": (Plain, False),
    "an object with objects": (lambda: Plain(a=Plain(), b=[Plain()]), False),
    "a finalizer": (Ending, True),
    "a list with a finalizer": (EndingList, True),
    "a module with a finalizer": (EndingModule, True),
    "no finalizer any more": (Quiet, False),
    "in a list": (lambda: [1, Ending()], True),
    "in a tuple": (lambda: (1, Ending()), True),
    "in a set": (lambda: {1, Ending()}, True),
    "in a frozen set": (lambda: frozenset([1, Ending()]), True),
    "in a dictionary": (lambda: {"a": 1, "b": Ending()}, True),
    "in an attribute": (lambda: Plain(a=1, b=Ending()), True),
    "in an attribute of an item": (lambda: {"a": [Plain(b=Ending())]}, True),
    "behind numbers": (lambda: [[1, 2], (3,), Ending()], True),
    "in a slot": (lambda: slots(Ending()), False),
    "a generator": (steps, True),
    "an asynchronous generator": (rows, True),
    "far inside": (lambda: deep(20, Ending()), True),
}


@pytest.mark.parametrize("name", VALUES)
def test_ends_that_are_noticed(name: str) -> None:
    make, expected = VALUES[name]
    assert finalizers.ends_noticed([make()]) is expected
    assert finalizers.ends_noticed((1, "quiet", make())) is expected


def test_a_coroutine_ends_noticed() -> None:
    begun = waits()
    assert finalizers.ends_noticed([begun])
    asyncio.run(begun)


def test_nothing_ends() -> None:
    assert finalizers.ends_noticed([]) is False


@pytest.mark.parametrize(
    "places", [(finalizers.MOST - 1, True), (finalizers.MOST, False), (finalizers.MOST + 1, False)], ids=str
)
def test_how_many_are_looked_at(places: tuple[int, bool]) -> None:
    """A finalizer inside of the last object counts, and inside of one behind it does not."""
    before, expected = places
    assert finalizers.ends_noticed([*([Plain()] * (before - 1)), Plain(item=Ending())]) is expected


@pytest.mark.parametrize("kind", [Plain, list, int, type, EndingList, Ending, Quiet, torch.Tensor, torch.nn.Linear])
def test_kinds(kind: Any) -> None:
    ends = kind in (EndingList, Ending)
    assert finalizers.has_finalizer(kind) is ends
    assert finalizers.is_quiet(kind) is (kind in (int, type, torch.Tensor, torch.nn.Linear))


def test_a_quiet_kind_with_a_finalizer_is_none() -> None:
    assert finalizers.has_finalizer(EndingModule) and not finalizers.is_quiet(EndingModule)


def test_the_reason_names_the_class() -> None:
    with pytest.raises(SiteRefused, match=r"^the call makes an object with a finalizer \(Ending\)$"):
        finalizers.refuse(Ending)


class Keyed(dict):  # type: ignore[type-arg]
    pass


ITEM = object()
filled, empty = types.CellType(ITEM), types.CellType()
keyed = Keyed(a=1)
keyed.b = ITEM  # type: ignore[attr-defined]
HELD: dict[str, tuple[Any, Any, list[Any]]] = {
    "items of a list": ([1, ITEM], None, [1, ITEM]),
    "items of a dictionary": ({"a": ITEM}, None, [ITEM]),
    "items of a derived dictionary": (keyed, None, [1]),
    "items of a queue": (collections.deque([ITEM]), None, [ITEM]),
    "a generator of numbers": (random.Random(1), None, []),
    "a cell": (filled, ["cell_contents"], [ITEM]),
    "an empty cell": (empty, ["cell_contents"], []),
    "attributes": (Plain(a=1, b=ITEM), ["b", "c"], [ITEM]),
    "attributes of a table": ({"a": ITEM, "b": 1}, ["a", "c"], [ITEM]),
    "attributes of a derived dictionary": (keyed, ["a", "b"], [ITEM]),
    "attributes of slots": (slots(1), ["item"], []),
}


@pytest.mark.parametrize("name", HELD)
def test_values_that_a_target_holds(name: str) -> None:
    target, names, expected = HELD[name]
    found = list(finalizers.values_held(target, names))
    assert len(found) == len(expected) and all(one is other for one, other in zip(found, expected))


def effects_of(values: list[Any], older: list[Any]) -> Any:
    """What Dynamo keeps of a trace: the values, and how each of them has come."""
    from graphmend.runtime.base.torch_names import AttributeMutationExisting, AttributeMutationNew

    def variable(value: Any) -> Any:
        old = any(value is one for one in older)
        return types.SimpleNamespace(mutation_type=AttributeMutationExisting() if old else AttributeMutationNew(None))

    known = {id(value): variable(value) for value in values if type(value) is not EndingList}
    return types.SimpleNamespace(side_effects=types.SimpleNamespace(keepalive=values, id_to_variable=known))


def test_objects_of_a_trace() -> None:
    old, new, plain, unknown = Ending(), Ending(), Plain(), EndingList()
    finalizers.refuse_finalized(effects_of([], []))
    finalizers.refuse_finalized(effects_of([old, plain], [old]))
    for values in ([new], [plain, new], [old, new], [unknown]):
        with pytest.raises(SiteRefused, match="with a finalizer"):
            finalizers.refuse_finalized(effects_of(values, [old]))


TOLD = "the function is told of the end of an object"
MADE = "the call makes an object with a finalizer (Ending)"
# A call of a class: whether the graph is that of a whole call, the class, its arguments, the reason to refuse it.
CLASS_CALLS: dict[str, tuple[bool, Any, list[Any], str]] = {
    "a callback": (True, weakref.ref, [ITEM, print], TOLD),
    "a weak reference alone": (True, weakref.ref, [ITEM], ""),
    "another class with two arguments": (True, Plain, [ITEM, print], ""),
    "a finalizer": (True, Ending, [], MADE),
    "a finalizer and two arguments": (True, Ending, [ITEM, print], MADE),
    "a callback in a part of a call": (False, weakref.ref, [ITEM, print], ""),
    "a finalizer in a part of a call": (False, Ending, [], ""),
}


@pytest.mark.parametrize("name", CLASS_CALLS)
def test_classes_that_are_called(name: str) -> None:
    whole, kind, args, reason = CLASS_CALLS[name]
    trace, variable = Trace(whole, frozenset()), types.SimpleNamespace(value=kind)
    if reason:
        with pytest.raises(SiteRefused, match=f"^{re.escape(reason)}$"):
            finalizers.watch_callback(print, trace, variable, None, args, {})
    else:
        assert finalizers.watch_callback(print, trace, variable, None, args, {}) is hooks.DECLINED
