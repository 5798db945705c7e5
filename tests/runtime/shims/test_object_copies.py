"""Copies of objects whose state is more than a `__dict__`: the copy has all parts, and shares what Python shares."""

from __future__ import annotations

import collections
import copy
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend, same

from graphmend.runtime.base import torch_names


class Table(dict):
    """A dictionary of a class of the program."""


class Row(list):
    """A list of a class of the program."""


class Pair(collections.namedtuple("Pair", "first second")):  # noqa: SLOT002
    """A named tuple of a class of the program."""


class Slots:
    __slots__ = ("value", "unset")

    def __init__(self, value: Any) -> None:
        self.value = value


class Both(Slots):
    def __init__(self, value: Any) -> None:
        self.value = value
        self.further = 3


class State:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.lock = 5

    def __getstate__(self) -> dict:
        return {"value": self.value}


class Restored(State):
    def __setstate__(self, state: dict) -> None:
        self.value = state["value"]
        self.lock = 9


class Reduced:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple:
        return (Reduced, (self.value,))


class Arguments(State):
    def __new__(cls, value: Any = 7) -> Any:
        return object.__new__(cls)

    def __getnewargs__(self) -> tuple:
        return (self.value,)


MAKERS: dict[str, Callable[[torch.Tensor], Any]] = {
    "ordered": lambda x: collections.OrderedDict(b=x, a=2),
    "counter": lambda x: collections.Counter("aab"),
    "default": lambda x: collections.defaultdict(list, a=[1]),
    "dict": lambda x: Table(a=x),
    "list": lambda x: Row([x, 1]),
    "tuple": lambda x: Pair(x, [1]),
    "slots": Slots,
    "both": Both,
    "state": State,
    "restored": Restored,
    "reduced": Reduced,
    "arguments": Arguments,
}


def parts(value: Any) -> Any:
    """All that a copy holds, in a form that can be compared."""
    held = [value] if isinstance(value, (tuple, dict)) else list(value) if isinstance(value, list) else []
    names = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ()), "value", "further"]
    return type(value).__name__, held, {name: getattr(value, name) for name in names if hasattr(value, name)}


@pytest.mark.parametrize("how", ["copy", "deepcopy"])
@pytest.mark.parametrize("place", ["made", "given"])
@pytest.mark.parametrize("kind", MAKERS)
def test_a_copy_has_all_parts(kind: str, place: str, how: str) -> None:
    torch._dynamo.reset()
    make, copier = MAKERS[kind], getattr(copy, how)

    def program(x: torch.Tensor, given: Any) -> Any:
        copied = copier(make(x) if given is None else given)
        return copied, x + 1

    x = torch.ones(2)
    given = make(x) if place == "given" else None
    expected, computed = program(x, given), torch.compile(program, backend="eager")(x, given)
    assert same(list(parts(computed[0])), list(parts(expected[0])))
    assert torch.equal(computed[1], expected[1])


class Best(torch.nn.Module):
    """A module that keeps its best weights."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.kept: Any = None

    def forward(self, x: torch.Tensor) -> Any:
        if self.kept is None:
            self.kept = copy.deepcopy(self.layer.state_dict())
        return self.layer(x), len(self.kept)


def test_the_weights_of_a_module() -> None:
    torch._dynamo.reset()
    net = Best()
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(1, 2))
    assert list(net.kept) == ["weight", "bias"]
    assert net.kept["weight"] is not net.layer.weight
    assert torch.equal(net.kept["weight"], net.layer.weight)
    assert compiled(torch.ones(1, 2))[1] == 2


def copied(x: torch.Tensor) -> Any:
    return copy.deepcopy([x, {"a": x}])


@pytest.mark.skipif(torch_names.release().version < (2, 10), reason="torch 2.9 breaks at a deep copy of a tensor")
def test_deep_copies_of_arguments_are_one_graph() -> None:
    torch._dynamo.reset()
    counting = CountingBackend()
    compiled = torch.compile(copied, backend=counting)
    for number in range(3):
        first, second = compiled(torch.full((2,), float(number)))
        assert first is second["a"]
        assert first.tolist() == [number, number]
    assert len(counting.graphs) == 1


def sharing(x: torch.Tensor, first: Any, second: Any) -> Any:
    pair = copy.deepcopy([first, second])
    return x + 1, pair[0] is pair[1]


@pytest.mark.parametrize("make", [lambda: torch.ones(1), lambda: [1], lambda: State(1), lambda: {"a": [1]}])
def test_copies_share_what_the_arguments_share(make: Callable[[], Any]) -> None:
    one, other = make(), make()
    for order in ([(one, other), (one, one)], [(one, one), (one, other)]):
        torch._dynamo.reset()
        compiled = torch.compile(sharing, backend="eager")
        for first, second in order * 2:
            assert compiled(torch.ones(1), first, second)[1] is (first is second)
