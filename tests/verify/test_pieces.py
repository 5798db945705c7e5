"""The parts of `graphmend verify` by themselves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from graphmend.verify import figures, streams
from graphmend.verify.compare import CAPTURED, COMPILED, Comparison
from graphmend.verify.dynamo import describe_break
from graphmend.verify.store import Contents, Writer, lines_of
from graphmend.verify.streams import Hunk
from graphmend.verify.subject import SubjectError, build, calls_of
from graphmend.verify.values import BLOCKS, WHOLE, Describer

# Values as two processes see them.


def difference(folder: Path, a: Any, b: Any, tolerance: Any = CAPTURED) -> str | None:
    """What differs between two values that two processes have described."""
    described, contents = [], []
    for name, value in (("a", a), ("b", b)):
        place = folder / name
        place.mkdir()
        writer = Writer(str(place))
        described.append(Describer(writer).value(value))
        contents.append(Contents(str(place)))
        for line in lines_of(str(place)):
            contents[-1].add(line)
        writer.close()
    found = Comparison(*contents, tolerance).difference(*described)
    return None if found is None else found.text


def large(position: int, value: float) -> torch.Tensor:
    tensor = torch.zeros(WHOLE * 4 + 3)
    tensor[position] = value
    return tensor


class Holder:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.own = self


SAME = [
    (torch.ones(3), torch.ones(3) + 1e-6),
    (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf])),
    ({"a": [1, (2.0, None)]}, {"a": [1, (2.0, None)]}),
    (Holder(1), Holder(1)),
    (torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.complex64)),
    (torch.eye(3).to_sparse(), torch.eye(3).to_sparse()),
    (torch.zeros(0), torch.zeros(0)),
    ({3, 1, 2}, {2, 3, 1}),
    (large(WHOLE + 1, 1e-7), large(WHOLE + 1, 0.0)),
]
OTHER = [
    (torch.ones(3), torch.ones(3) * 1.01),
    (torch.ones(3), torch.ones(3, dtype=torch.float64)),
    (torch.ones(2, 2).t().contiguous(), torch.ones(2, 3)),
    (torch.tensor([math.nan]), torch.tensor([0.0])),
    (torch.ones(3), torch.ones(3, requires_grad=True)),
    (torch.arange(6).reshape(2, 3), torch.arange(6).reshape(2, 3) + torch.eye(2, 3, dtype=torch.int64)),
    (torch.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(3, 2).t()),
    (1, True),
    (1, 1.0),
    (0.1, 0.2),
    ([1], (1,)),
    ({"a": 1}, {"b": 1}),
    (Holder(1), Holder(2)),
    (None, torch.zeros(1)),
    ("a", "b"),
    *((large(0, 0.0), large(position, 5.0)) for position in (1, BLOCKS + 7, WHOLE * 4 + 2)),
]


@pytest.mark.parametrize("pair", SAME, ids=range(len(SAME)))
def test_same_values(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    assert difference(tmp_path, *pair) is None


@pytest.mark.parametrize("pair", OTHER, ids=range(len(OTHER)))
def test_other_values(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    assert difference(tmp_path, *pair) is not None


def test_tolerances(tmp_path: Path) -> None:
    for number, (tolerance, factor, same) in enumerate(
        [(CAPTURED, 1.00005, True), (CAPTURED, 1.0005, False), (COMPILED, 1.0005, True), (COMPILED, 1.005, False)]
    ):
        (tmp_path / str(number)).mkdir()
        found = difference(tmp_path / str(number), torch.ones(2), torch.ones(2) * factor, tolerance)
        assert (found is None) is same
    (tmp_path / "half").mkdir()
    assert difference(tmp_path / "half", torch.ones(2).half(), (torch.ones(2) * 1.005).half()) is None


# Streams.


def lines(*texts: str) -> list[tuple[str, str]]:
    return [("output", text) for text in texts]


def blame(eager: list[Any], plain: list[Any], mended: list[Any]) -> list[str]:
    return [region.whose() for region in streams.regions(eager, plain, mended)]


def test_who_is_to_blame_for_what_is_printed() -> None:
    eager = lines("a", "took 1.5 s", "b", "c")
    assert blame(eager, eager, eager) == []
    assert blame(eager, eager, lines("a", "took 1.5 s", "c")) == ["mended"]
    assert blame(eager, lines("a", "took 1.7 s", "b", "c"), lines("a", "took 1.9 s", "b", "c")) == ["unsettled"]
    assert blame(eager, lines("a", "b", "c"), lines("a", "b", "c")) == ["torch"]
    assert blame(eager, lines("a", "took 1.7 s", "b", "c"), lines("a", "took 1.9 s", "c")) == ["mended"]
    assert blame(eager, lines("a", "took 1.7 s", "b", "c"), lines("a", "b", "c")) == ["mended"]
    assert blame(eager, eager, lines("a", "b", "took 1.5 s", "c"))[0] == "mended"
    assert blame(lines("x"), lines("x"), []) == ["mended"]
    assert blame(eager, [*eager, *lines("more")], eager) == ["torch"]
    assert blame(eager, [*eager, *lines("more")], eager[1:]) == ["mended", "torch"]


def test_hunks_have_places_in_the_reference() -> None:
    assert streams.hunks(lines("a", "b"), lines("a", "x", "b")) == [Hunk(1, 1, (("output", "x"),))]
    many = lines(*map(str, range(60_000)))
    assert streams.hunks(many, many[:50_000] + lines("x") + many[50_000:]) == [Hunk(50_000, 50_000, (("output", "x"),))]


# Breaks.


def test_what_a_break_is_called() -> None:
    message = (
        "Graph break in user code at /a/model.py:7\n"
        "Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):\n\n"
        "Failed to trace builtin operator\n  Explanation: no `print`\n  Hint: none\n\n"
        " For more details about this graph break, please visit: https://x/gb/gb0059.html\n\n"
        'User code traceback:\n  File "/a/model.py", line 7, in forward\n    print(x)\n'
    )
    assert describe_break(message) == {
        "file": "/a/model.py",
        "line": 7,
        "break_id": "GB0059",
        "reason": "Failed to trace builtin operator",
        "explanation": "no `print`",
    }
    start = "Graph break (user stack suppressed due to duplicate graph break) in user code at"
    again = f"{start} /a/model.py:8\nGraph Break Reason: Why"
    assert (describe_break(again)["line"], describe_break(again)["reason"]) == (8, "Why")


# What is worse.


def side(**changed: Any) -> dict[str, Any]:
    """The figures of a callable that is one graph."""
    whole = {"whole": True, "reason": None}
    return {"breaks": 0, "graphs": 1, "skipped_frames": 0, "recompiles": 0, "fullgraph": whole, **changed}


NO = {"whole": False, "reason": "why"}
WORSE = [
    (side(), side(), []),
    (side(), side(breaks=1, graphs=2, fullgraph=NO), ["breaks", "fullgraph"]),
    (side(breaks=2, graphs=3, fullgraph=NO), side(), []),
    (side(breaks=2, graphs=3), side(breaks=3, graphs=4), ["breaks"]),
    (side(breaks=1, graphs=0, skipped_frames=1), side(breaks=2, graphs=3), []),  # more of it is captured
    (side(), side(graphs=0), ["graphs"]),
    (side(), side(graphs=3, recompiles=2), ["recompiles"]),
    (side(breaks=2, graphs=5, fullgraph=NO), side(graphs=3, recompiles=2), []),  # a graph for each path
    (side(breaks=1, graphs=0, skipped_frames=1, fullgraph=NO), side(graphs=3, recompiles=2), []),
    (side(), side(skipped_frames=1), ["skipped"]),
    (side(fullgraph=None), side(fullgraph=None), []),
]


@pytest.mark.parametrize(("plain", "mended", "kinds"), WORSE)
def test_what_is_worse(plain: dict[str, Any], mended: dict[str, Any], kinds: list[str]) -> None:
    found = figures.worse([{"name": "f", "plain": plain, "mended": mended}])
    assert [entry["kind"] for entry in found] == kinds
    assert all(entry["callable"] == 0 and entry["text"].startswith("f ") for entry in found)


def test_spread() -> None:
    assert figures.spread([]) is None
    assert figures.spread([2.0]) == {"calls": 1, "median": 2.0, "low": 2.0, "high": 2.0}
    assert figures.spread([1.0, 2.0, 3.0, 4.0, 5.0]) == {"calls": 5, "median": 3.0, "low": 2.0, "high": 4.0}


# What is compiled.


def double(x: Any, scale: float = 2.0) -> Any:
    return x * scale


def make(size: int = 2) -> torch.nn.Module:
    return torch.nn.Linear(size, size)


class Double:
    def __call__(self, x: Any) -> Any:
        return x * 2


def test_what_stands_behind_a_name() -> None:
    linear = torch.nn.Linear(2, 2)
    assert build(double, (1,)) is double and build(double, {"x": 1, "scale": 3}) is double
    assert build(linear, (1,)) is linear
    assert isinstance(build(make, {"x": 1}), torch.nn.Linear)  # it does not take the inputs
    assert isinstance(build(torch.nn.ReLU, (1,)), torch.nn.ReLU)
    assert build(Double, (3,))(3) == build(Double(), (3,))(3) == 6
    with pytest.raises(SubjectError):
        build(lambda x, y: None, (1,))
    with pytest.raises(SubjectError):
        build(3, (1,))


def test_the_calls_that_inputs_ask_for() -> None:
    assert calls_of([1, (2, 3)]) == [1, (2, 3)]
    assert calls_of({"x": 1}) == [{"x": 1}] and calls_of((1, 2)) == [(1, 2)] and calls_of(3) == [3]
