"""Numbers and sizes that depend on data: they stay in a graph that holds the whole call, wherever that is exact."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from harness import compare, same
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

import graphmend.runtime as _gm

SITE = "m.py:1:0:GM101"


def scale(x, n):
    k = n.item()
    return x * k, k


def head(x, n):
    return x[: n.item()].sum(0) + 1


def selected(x, n):
    return x[x > 0].mean() + x.nonzero().float().sum(), x[x > n]


def fraction(x, n):
    rate = round(float((x > 0).float().mean()), 2)
    return x * rate + int(n) / 4


CALLS = [
    lambda value=value, n=n: (torch.ones(4, 2) * value, torch.tensor(n)) for value, n in ((1, 3), (2, -1), (-1, 9))
]


@pytest.mark.parametrize("program", [scale, head, selected, fraction], ids=lambda program: program.__name__)
def test_one_graph(program: Any) -> None:
    outcome = compare(lambda: program, CALLS)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"] and outcome.graphs <= 3
    assert compare(lambda: program, CALLS, False).report["callables"][0]["mode"] == "whole"


def test_assumption_of_the_trace_that_fails() -> None:
    """The trace asks for four selected numbers; where there are others, the call ends as in eager Python."""

    def program(x):
        y = torch.zeros(4)
        x.add_(1)
        y[x > 0] = x[x > 1][:4].reshape(2, 2).flatten()
        return y + torch.rand(4)

    calls = [lambda: (torch.tensor([1.0, 2, 3, 4]),), lambda: (torch.tensor([-3.0, 2, 3, 4]),)]
    compare(lambda: program, calls, False)


def test_number_that_is_an_object() -> None:
    """Dynamo takes it for none that Python has; with dynamic floats it does so without us, too."""

    def program(x):
        positive = x.sum().item() > 0
        if positive is True:
            return x + 1
        return x - 1

    compare(lambda: program, [lambda: (torch.ones(3),), lambda: (-torch.ones(3),)], dynamic=False)


def test_number_that_the_path_knows() -> None:
    """Where `n == 0` holds, `n > 3` is false for all that Dynamo knows, and still no object to it."""

    def program(x):
        n = int(x.sum().item())
        y = x + 1 if n == 0 else x * 2
        large = n > 3
        return y + 10 if large is False else y + 100

    calls = [lambda: (torch.zeros(3),), lambda: (torch.ones(3),), lambda: (torch.ones(4),)]
    compare(lambda: program, calls, False, dynamic=False)


def test_comparison_that_rounds() -> None:
    def program(value, x):
        return x * 2 if value.item() == 2.0**60 else x * 0

    outcome = compare(lambda: program, [lambda: (torch.tensor(2**60 + 1), torch.ones(2))], False)
    assert outcome.report["callables"][0]["mode"] == "whole"  # the integer is a constant


def test_settings_are_the_users() -> None:
    def program(x):
        k = x.sum().item()
        torch._dynamo.graph_break()
        return x * k

    before = torch._dynamo.config.capture_scalar_outputs
    outcome = compare(lambda: program, [lambda: (torch.ones(2),)])
    assert outcome.report["callables"][0]["mode"] == "partial"
    assert torch._dynamo.config.capture_scalar_outputs is before is False


def test_programs_without_sites() -> None:
    _gm.registry.known = 0
    compare(lambda: lambda x: (print("hello"), x * 2), [lambda: (torch.ones(2),)])


def test_assumption_that_seldom_holds() -> None:
    """The trace takes the selected numbers for four; where there is one it is broadcast, call after call."""

    def program(x):
        return torch.zeros(4) + x[x > 1]

    calls = [lambda n=n: (torch.tensor([2.0] * n + [0.0] * (6 - n)),) for n in (4, 1, 1)]
    outcome = compare(lambda: program, calls * 10, False)
    record = outcome.report["callables"][0]
    assert record["mode"] == "partial" and 8 < record["replays"] < 20, record


def by_threshold(x, n):
    mean = x.mean().item()
    if _gm.on(SITE):
        return _gm.branch(SITE, mean > 0.5, lambda x: x * 2, lambda x: x + 1, (x,))
    return x * 2 if mean > 0.5 else x + 1


def by_count(x, n):
    count = int((x > 0.5).sum())
    if _gm.on(SITE):
        test = _gm.and_(SITE, lambda: count, lambda: _gm.not_(SITE, bool(n > 5)))
        return _gm.branch(SITE, test, lambda x: x.sin(), lambda x: x - 1, (x,))
    return x.sin() if count and not bool(n > 5) else x - 1


def guarded(x, n):
    lowest = x.min().item()
    if _gm.on("m.py:2:0:GM401") and _gm.check("m.py:2:0:GM401", lowest < -0.5):
        pass
    else:
        if lowest < -0.5:
            raise ValueError(f"too low: {lowest}")
    return x * 3


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("program", [by_threshold, by_count, guarded], ids=lambda program: program.__name__)
def test_decisions_on_numbers(program: Any, backend: str) -> None:
    outcome = compare(lambda: program, CALLS, backend=backend)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"] and outcome.graphs == 1
    assert outcome.mended("GM401" if program is guarded else "GM101")


@pytest.mark.parametrize("program, grad", [(selected, True), (selected, False), (head, True)])
def test_compiled_backward(program: Any, grad: bool) -> None:
    """Numbers from the data reach a compiled backward pass."""
    outcome = compare(lambda: program, CALLS, grad, backend="inductor")
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"]


def divided(x, n):
    return x * (1 / x.max().item())


def whole_part(x, n):
    return x * (7 // int(x.max())), int(x.min()) * 10**20


def root(x, n):
    return x * math.sqrt(x.max().item()), math.floor(x.min().item())


STRANGE = [0.0, 2.5, -3.0, math.inf, math.nan, 1e20]


@pytest.mark.parametrize("program", [divided, whole_part, root], ids=lambda program: program.__name__)
def test_arithmetic_is_pythons(program: Any, capfd: Any) -> None:
    """Where a backend runs the graph as it is, numbers overflow, divide and fail as they do in Python."""
    calls = [lambda value=value: (torch.tensor([value, value]), 0) for value in STRANGE]
    outcome = compare(lambda: program, calls, False)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"]
    assert "Traceback" not in capfd.readouterr().err


def test_arithmetic_of_a_compiler() -> None:
    """A compiler's numbers are not Python's."""
    outcome = compare(lambda: fraction, CALLS, False, backend="inductor")
    assert [item["mode"] for item in outcome.report["callables"]] == ["partial"]


def filled(x: torch.Tensor) -> torch.Tensor:
    return x + torch.full((2,), x.max().item() / 3, dtype=torch.float64)


def test_numbers_are_refused_before_they_are_compiled() -> None:
    """By its name it is known what the backend does, here with a number of double precision."""
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    x = torch.ones(2).double() * 2
    with torch.no_grad():
        found = torch.compile(filled, backend="aot_eager")(x)
    assert torch.equal(found, filled(x))
    assert counters["aot_autograd"]["total"] == 2  # the two parts of the function


def is_nan(x: torch.Tensor) -> torch.Tensor:
    value = x.sum().item()
    return torch.zeros(1) if value != value else x + 1


def is_number(x: torch.Tensor) -> torch.Tensor:
    value = x.sum().item()
    return x + 1 if value == value else torch.zeros(1)


def is_finite(x: torch.Tensor) -> torch.Tensor:
    value = x.sum().item()
    return x + 1 if value - value == 0 else torch.zeros(1)


def product(x: torch.Tensor) -> torch.Tensor:
    first, second = x.sum().item(), x.max().item()
    return x + 1 if first * second == second * first else torch.zeros(1)


@pytest.mark.parametrize("function", [is_nan, is_number, is_finite, product])
def test_what_holds_for_all_numbers_but_nan(function: Any) -> None:
    """Dynamo takes `v == v` and `v - v == 0` for true."""
    compiled = torch.compile(function, backend="eager")
    for value in (1.0, float("nan"), float("inf"), -2.0, float("nan")):
        x = torch.full((2,), value)
        assert same(compiled(x), function(x)), value


def crops(images, sizes):
    """As models of images of several sizes do."""
    parts = [image[:, :height, :width].flatten(1).t() for image, (height, width) in zip(images, sizes)]
    whole = torch.cat(parts)
    mask = torch.ones(whole.shape[0], whole.shape[0], dtype=torch.bool)
    ends = torch.tensor([part.shape[0] for part in parts]).cumsum(-1)
    for start, end in zip([0, *ends[:-1].tolist()], ends.tolist()):
        mask[start:end, start:end] = False
    return (whole @ whole.t()).masked_fill(mask, 0.0).softmax(-1) @ whole, [part.shape[0] for part in parts]


def heads(x, sizes):
    return [x[:size].sum(0) for size in sizes.tolist()]


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_many_numbers_are_constants(backend: str) -> None:
    """With gradients, too: nothing of the numbers is needed in the backward graph."""
    images, sizes = torch.arange(48.0).view(3, 1, 4, 4) / 48, torch.tensor([[2, 4], [3, 2], [4, 3]])
    outcome = compare(lambda: crops, [lambda: (images.clone(), sizes.clone())], True, backend)
    assert outcome.graphs == 1
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"]
    nodes = outcome.backend.graphs[0].graph.nodes
    sizes = [size for node in nodes for size in getattr(node.meta.get("example_value"), "shape", ())]
    assert not any(map(free_unbacked_symbols, sizes))
    assert not any(isinstance(node.meta.get("example_value"), torch.SymInt) for node in nodes)


@pytest.mark.parametrize("count, rounds", [(10, (0, 0, 1, 2, 3, 4, 1, 5)), (20, [0] * 10 + [1] * 10)])
def test_many_numbers_that_change(count: int, rounds: Any) -> None:
    """There is one more graph, for all numbers, or for the new ones if there are far too many."""
    numbers = [[2 + (i * n) % 7 for i in range(count)] for n in rounds]
    calls = [lambda n=n: (torch.arange(36.0).view(12, 3), torch.tensor(n)) for n in numbers]
    outcome = compare(lambda: heads, calls)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"] and outcome.graphs == 2


@pytest.mark.parametrize(
    "rounds, mode", [([0] * 8 + [1] * 6 + [2] * 6, "whole"), ([0, 1, 2, 3, 4, 5, 0, 6], "partial")]
)
def test_numbers_that_never_come_back(rounds: Any, mode: str) -> None:
    """Far too many of them are a graph for each set, which ends with the fourth set."""
    numbers = [[2 + (i * n) % 7 for i in range(40)] for n in rounds]
    calls = [lambda n=n: (torch.arange(36.0).view(12, 3), torch.tensor(n)) for n in numbers]
    outcome = compare(lambda: heads, calls)
    (record,) = outcome.report["callables"]
    assert (record["mode"], record["paths"]) == (mode, 3)


def test_elements_are_assigned_where_tensors_say() -> None:
    """Assigning, Dynamo fetches the numbers of its own accord, and does not tell which symbols they get."""

    def program(x, places):
        y = x.clone()
        row, column = places[0], places[1]
        y[row, column] = 7.0
        return y * 2

    calls = [lambda p=p: (torch.arange(24.0).view(4, 6), torch.tensor(p)) for p in ([1, 2], [1, 2])]
    outcome = compare(lambda: program, calls)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"]
