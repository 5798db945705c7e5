"""The self-check's judgement: what two runs of a call may differ in, and the state that is compared."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import io
import math
import types
from typing import Any

import pytest
import torch

from graphmend.runtime.driver import check_equality, observed_state
from graphmend.runtime.driver.check_equality import SAME, Outcome


class Color(enum.IntEnum):
    RED = 1


class Word(str):
    def __repr__(self) -> str:
        return "another"


class Real(float):
    def __float__(self) -> float:
        return 9.0


def entry(value: Any, before: Any = None) -> Any:
    return check_equality.entry(value, before)


def near(number: float, share: float) -> Any:
    """A tensor entry beside one that is as far from it as a share of the tolerance."""
    return entry(torch.tensor([number])), entry(torch.tensor([number + share * (1e-5 + 1e-4 * abs(number))]))


ONES = torch.ones(2, 2)
SAME_ENTRIES: dict[str, tuple[Any, Any]] = {
    "numbers": (1, 1),
    "near floats": (100.0, 100.009),
    "no numbers": (math.nan, math.nan),
    "infinities": (math.inf, math.inf),
    "near complex numbers": (1 + 1j, 1 + 1.00005j),
    "small ones": (0.0, 0.9e-5),
    "texts": ("loss 0.50001 of 3", "loss 0.50002 of 3"),
    "texts with signs and powers": ("-1.5e-3 and +2.", "-1.5001e-3 and +2.0001"),
    "near numbers in texts": ("loss 100.0", "loss 100.0999"),
    "tensors": (entry(ONES), entry(ONES.clone())),
    "near tensors": near(10.0, 0.9),
    "near half tensors": (entry(torch.tensor([1.0]).half()), entry(torch.tensor([1.02]).half())),
    "near bfloat16 tensors": (entry(torch.tensor([1.0]).bfloat16()), entry(torch.tensor([1.02]).bfloat16())),
    "tensors without numbers": (entry(torch.tensor([math.nan])), entry(torch.tensor([math.nan]))),
    "complex tensors": (entry(torch.tensor([1 + 1j])), entry(torch.tensor([1 + 1.00005j]))),
    "integer tensors": (entry(torch.tensor([1, 2])), entry(torch.tensor([1, 2]))),
    "bytes": (b"a", b"a"),
}
OTHER_ENTRIES: dict[str, tuple[Any, Any]] = {
    "a number and a truth": (1, True),
    "a number and a float": (1, 1.0),
    "numbers": (1, 2),
    "floats": (100.0, 100.02),
    "small floats": (0.0, 1.1e-5),
    "a float and none": (1.0, math.nan),
    "infinities": (math.inf, -math.inf),
    "an infinity and a float": (math.inf, 1.0),
    "texts": ("loss 0.5", "loss 0.6"),
    "numbers in texts that are not near": ("loss 100.0", "loss 100.105"),
    "texts in words": ("loss 0.5", "cost 0.5"),
    "texts of more numbers": ("1 2", "1 2 3"),
    "later numbers": ("1 2", "1 3"),
    "tensors": (entry(ONES), entry(ONES * 2)),
    "tensors that are not near": near(10.0, 1.1),
    "half tensors": (entry(torch.tensor([1.0]).half()), entry(torch.tensor([1.04]).half())),
    "complex tensors of other real parts": (entry(torch.tensor([1 + 1j])), entry(torch.tensor([2 + 1j]))),
    "complex tensors of other imaginary parts": (entry(torch.tensor([1 + 1j])), entry(torch.tensor([1 + 2j]))),
    "shapes": (entry(ONES), entry(torch.ones(4))),
    "shapes that broadcast": (entry(ONES), entry(torch.ones(1, 2))),
    "dtypes": (entry(ONES), entry(ONES.double())),
    "gradients": (entry(ONES), entry(ONES.clone().requires_grad_())),
    "integer tensors": (entry(torch.tensor([100_000])), entry(torch.tensor([100_001]))),
    "truths": (entry(torch.tensor([True])), entry(torch.tensor([False]))),
    "a tensor that is no number": (entry(torch.tensor([math.nan])), entry(torch.tensor([1.0]))),
    "changed and unchanged": (SAME, entry(ONES)),
    "bytes": (b"a", b"b"),
}


@pytest.mark.parametrize("name", SAME_ENTRIES)
def test_same(name: str) -> None:
    one, other = SAME_ENTRIES[name]
    assert check_equality.same(one, other) and check_equality.same(other, one)


@pytest.mark.parametrize("name", OTHER_ENTRIES)
def test_other(name: str) -> None:
    one, other = OTHER_ENTRIES[name]
    assert not check_equality.same(one, other) and not check_equality.same(other, one)


def test_entries() -> None:
    """What a call leaves as it was is not carried between processes."""
    given = torch.ones(2)
    before = observed_state.digest(given)
    assert entry(given, before) == SAME and entry(3, 3) == 3 and entry("a", "a") == "a"
    dtype, gradient, values = entry(given + 1, before)
    assert (dtype, gradient, values.tolist()) == ("torch.float32", False, [2.0, 2.0])
    assert values.data_ptr() != given.data_ptr()
    assert entry(given.clone().requires_grad_(), before) != SAME
    assert entry(torch.empty(2, device="meta"), before) == SAME
    assert observed_state.digest(torch.empty(2, device="meta")) == "unreadable"
    assert observed_state.digest(torch.empty(0)) == ("torch.float32", (0,), False, 0)
    assert observed_state.digest(ONES) != observed_state.digest(torch.ones(4))
    assert observed_state.digest(ONES) != observed_state.digest(ONES.int()) and observed_state.digest(5) == 5


def outcome(table: Any = None, error: str = "", out: str = "", err: str = "") -> Outcome:
    return Outcome(table or {}, error, [out, err])


def test_differences() -> None:
    """Each place with what each run has there, in order."""
    one = outcome({"a": 1, "b": 2, "c": 3}, "ValueError 1.0", "so\n", "x")
    other = outcome({"a": 1, "b": 5, "d": 4}, "", "so\n", "y")
    assert list(check_equality.differences(one, one)) == []
    assert list(check_equality.differences(one, other)) == [
        ("exception", "ValueError 1.0", "none"),
        ("standard error", "x", "y"),
        ("b", 2, 5),
        ("c", 3, "nothing"),
        ("d", "nothing", 4),
    ]
    assert list(check_equality.differences(outcome(error=" 1.00001 "), outcome(error=" 1.00002 "))) == []


def test_unsteady_places() -> None:
    """Texts of two eager runs are compared to the letter, tables but for rounding."""
    one, other = outcome({"a": 1.0, "b": 1}, out="1.00001"), outcome({"a": 1.00001, "b": 2}, out="1.00002")
    assert check_equality.unsteady_places(one, other) == {"standard output", "b"}
    assert check_equality.unsteady_places(one, one) == set()
    assert check_equality.unsteady_places(outcome(err="1"), outcome(err="2")) == {"standard error"}


def test_short_entries() -> None:
    assert check_equality.short("a\n  b") == "a b" and check_equality.short(3) == "3"
    assert check_equality.short(SAME) == "as before the call"
    assert check_equality.short("x" * 120) == "x" * 120
    assert check_equality.short("x" * 121) == "x" * 117 + "..."
    assert check_equality.short(("torch.int64", False, torch.tensor([1]))) == "tensor([1])"


class Held:
    shared = [1]
    __slots__ = ("__dict__",)

    def __init__(self, part: Any) -> None:
        self.part = part
        self._compiled_call_impl = "not the program's"

    def method(self) -> Any:
        return self.part


def made(outer: Any) -> Any:
    def inner(a: Any = 5, *, b: Any = "six") -> Any:
        return outer, LIST, a, b, math.pi

    return inner


LIST = [7]


def walked(value: Any) -> dict[str, Any]:
    walk = observed_state.Walk()
    walk.add("v", value)
    return walk.table


PARTS: list[tuple[Any, dict[str, Any]]] = [
    (None, {"v": None}),
    (True, {"v": True}),
    (2.5, {"v": 2.5}),
    (b"a", {"v": b"a"}),
    (Color.RED, {"v": "Color 1"}),
    (Word("w"), {"v": "Word 'w'"}),
    (Real(2.5), {"v": 2.5}),
    (torch.float32, {"v": "torch.float32"}),
    (torch.Size([1, 2]), {"v": "torch.Size([1, 2])"}),
    (slice(1, 2), {"v": "slice(1, 2, None)"}),
    (..., {"v": "Ellipsis"}),
    (range(3), {"v": "range(0, 3)"}),
    ([1, (2,)], {"v": "a list", "v[0]": 1, "v[1]": "a tuple", "v[1][0]": 2}),
    ({"k": 1, (1,): 2}, {"v": "a dict", "v['k']": 1, "v[item 1]": 2, "v[key 1]": "a tuple", "v[key 1][0]": 1}),
    ({3, 1}, {"v": "a set", "v as a list": "a list", "v as a list[0]": "1", "v as a list[1]": "3"}),
    (frozenset([(1,)]), {"v": "a frozenset", "v as a list": 1}),
    (collections.deque([1]), {"v": "a deque", "v[0]": 1}),
    (types.SimpleNamespace(a=1), {"v": "a SimpleNamespace", "v.a": 1}),
    (functools.partial(max, 1), {"v": "a partial"}),
]


@pytest.mark.parametrize(("value", "table"), PARTS, ids=lambda value: repr(value)[:30])
def test_walks(value: Any, table: dict[str, Any]) -> None:
    assert walked(value) == table


def test_walk_of_objects() -> None:
    """Attributes, classes of the program, and an object that is met again."""
    part = [1]
    table = walked([Held(part), part])
    assert table == {
        "v": "a list",
        "v[0]": "a Held",
        "v[0].part": "a list",
        "v[0].part[0]": 1,
        "v[1]": "the same object as v[0].part",
        **{name: told for name, told in table.items() if name.startswith("class Held")},
    }
    assert table["class Held.shared"] == "a list" and table["class Held.shared[0]"] == 1
    assert not [name for name in table if name.endswith(("__", "_compiled_call_impl"))]
    cycle: list[Any] = []
    cycle.append(cycle)
    assert walked(cycle) == {"v": "a list", "v[0]": "the same object as v"}


def test_what_a_walk_makes_is_no_object_that_is_met_again() -> None:
    """A walk makes a list of each set. A list that has ended would leave its identity to the next one."""
    table = walked([{number} for number in range(4)])
    assert [table[f"v[{number}] as a list"] for number in range(4)] == ["a list"] * 4
    assert [table[f"v[{number}] as a list[0]"] for number in range(4)] == ["0", "1", "2", "3"]


def test_walk_of_functions() -> None:
    """Closures, defaults, globals that the code names; functions of libraries are no state."""
    assert walked(made([3])) == {
        "v: outer": "a list",
        "v: outer[0]": 3,
        "v: default 0": 5,
        "v: default 1": "six",
        "global LIST": "a list",
        "global LIST[0]": 7,
    }
    assert walked(Held(1).method)["v.self.part"] == 1
    assert walked(torch.nn.functional.relu) == {}
    assert walked(collections.OrderedDict) == {}


def test_walk_of_tensors() -> None:
    leaf = torch.ones(2, requires_grad=True)
    assert list(walked(leaf)) == ["v"]
    leaf.sum().backward()
    table = walked({"k": leaf})
    assert table["v['k']"] is leaf and table["v['k'].grad"] is leaf.grad
    generator = torch.Generator()
    assert torch.equal(walked(generator)["v"], generator.get_state())
    numpy = pytest.importorskip("numpy")
    assert walked(numpy.arange(3))["v"].tolist() == [0, 1, 2]
    assert walked(numpy.array(["a"])) == {"v": "array(['a'], dtype='<U1')"}
    stream = io.StringIO("text")
    assert walked(stream) == {"v": "text"}
    stream.close()
    assert walked(stream) == {"v": "closed"}


@dataclasses.dataclass
class Record:
    number: int


def test_tables() -> None:
    """Roots in order, and the generators that everything shares."""
    table = observed_state.table_of({"a": Record(1), "b": torch.nn.Linear(1, 1)})
    assert table["a.number"] == 1 and isinstance(table["b._parameters['weight']"], torch.Tensor)
    assert {"generator of torch", "generator of random", "generator of NumPy"} <= table.keys()
    assert torch.equal(table["generator of torch"], torch.get_rng_state())


def test_walks_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed_state, "MOST", 5)
    assert len(walked(list(range(100)))) == 5


def test_values() -> None:
    """In new memory, also of layouts that are not strided."""
    values = observed_state.values_of(torch.tensor([[0.0, 1.0]]).to_sparse())
    assert values is not None and values.tolist() == [[0.0, 1.0]]
    given = torch.ones(2, requires_grad=True)
    values = observed_state.values_of(given)
    assert values is not None and not values.requires_grad and values.data_ptr() != given.data_ptr()
    assert observed_state.values_of(torch.empty(1, device="meta")) is None
