"""Which values a program sees end: asked of the values alone, as the code behind a graph asks."""

from __future__ import annotations

import asyncio
import collections
import functools
import random
import re
import types
import weakref
from typing import Any, Callable

import pytest
import torch
from live_traces import Begun, in_a_trace, traced
from torch._dynamo.comptime import comptime

from graphmend.runtime.base import hooks
from graphmend.runtime.base.trace_state import SiteRefused, Trace
from graphmend.runtime.effects import finalizers


class Plain:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Ending:
    number = 1

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


MANY = [*range(2 * finalizers.MOST)]  # more than the objects that are looked at; numbers do not count
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
    "far inside, beside many numbers": (lambda: [deep(3, Ending()), MANY], True),
    "far inside, behind many numbers": (lambda: [MANY, deep(3, Ending())], True),
    "far inside, beside many texts": (lambda: Plain(a=deep(3, Ending()), b=dict.fromkeys(MANY, "text")), True),
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


MADE = "the call makes an object with a finalizer (Ending)"
OLDER = Ending()
# What a program makes or reads, and whether its graph is refused for an object that it makes.
MAKERS: dict[str, tuple[Callable[[], Any], bool]] = {
    "nothing": (lambda: None, False),
    "an object without a finalizer": (Plain, False),
    "an object with a finalizer": (Ending, True),
    "an older object": (lambda: OLDER.number, False),
    "an older object and a new one": (lambda: (OLDER.number, Ending()), True),
    "two new ones": (lambda: [Plain(), Ending()], True),
}


def making(make: Callable[[], Any], ask: Callable[[Any], None]) -> Any:
    def program(x: torch.Tensor) -> torch.Tensor:
        made = make()
        comptime(ask)
        return x + (1 if made is None else 2)

    return program


@pytest.mark.parametrize("is_live", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_objects_of_a_trace(name: str, is_live: bool) -> None:
    make, expected = MAKERS[name]

    def body(tx: Any) -> str:
        if not is_live:  # Dynamo forgets the objects that no result needs
            tx.symbolic_locals.clear()
            tx.output.side_effects.prune_dead_object_new(tx)
        try:
            finalizers.refuse_finalized(tx.output)
        except SiteRefused as refused:
            return str(refused)
        return ""

    assert in_a_trace(body, functools.partial(making, make)) == (MADE if expected else "")


TOLD = "the function is told of the end of an object"
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
@traced()
def test_classes_that_are_called(graph: Begun, name: str) -> None:
    whole, kind, values, reason = CLASS_CALLS[name]
    trace, called = Trace(whole, frozenset()), graph.variable("kind", kind)
    call = print, trace, called, graph.tx, [graph.variable(f"x{place}", value) for place, value in enumerate(values)]
    if reason:
        with pytest.raises(SiteRefused, match=f"^{re.escape(reason)}$"):
            finalizers.watch_callback(*call, {})
    else:
        assert finalizers.watch_callback(*call, {}) is hooks.DECLINED
