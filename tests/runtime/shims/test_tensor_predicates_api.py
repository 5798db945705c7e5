"""Questions about tensors and numbers that data decide, in words that Dynamo gives up at."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy
import pytest
import torch
from harness import CountingBackend, compare

import graphmend.runtime as runtime

NAN, INF = math.nan, math.inf
INPUTS = [[1.0, 2.0], [1.0, NAN], [1.0, INF], [-1.0, 0.0]]


def asked_tensors(x):
    if x.equal(x + 0):
        return x + 1
    return x.allclose(x, equal_nan=True), torch.allclose(x, x), torch.equal(x, x[:1]), torch.equal(x, x.flip(0))


def asked_elements(x):
    return torch.is_nonzero(x[0]), x[1].is_nonzero(), x[1].__bool__(), operator.truth(x[1])


def predicates(x):
    value = x.mean().item()
    if math.isnan(value):
        return "not a number"
    if not math.isfinite(x.sum()):
        return x * 2
    return math.isinf(value), math.isinf(x[0])


def never_itself(x):
    value = x.mean().item()
    if value != value:
        return x * 0
    return x + 1, value == value, value <= value


def two_numbers(x):
    first, second = x[0].item(), x.sum().item()
    if first < second:
        return x * 2
    return first == second, first >= second, first is second


def with_infinity(x):
    value = x.sum().item()
    if abs(value) == INF:
        return x
    return value < INF, -INF < value, value == NAN, INF != value


def best_of_all(x):
    best = INF
    for row in x:
        if row.item() < best:
            best = row.item()
    return best


def in_containers(x):
    value = x.sum().item()
    return [value] == [value], (value, 1) != (value, 1), value in [value], [x.sum().item()] == [value]


def listed(x):
    rows = x.view(2, 1).tolist()
    return rows, (x > 0).tolist(), x[1].tolist(), x.numpy().tolist(), max(x.tolist(), key=abs)


def ordered(x):
    numbers = [-1.5, 2.0]
    rows = sorted([x, x - 1, x * 0], key=lambda row: row.sum())
    places = sorted(range(2), key=lambda i: x[i].item(), reverse=True)
    pairs = [(value, i) for i, value in enumerate(x.tolist())] + [(number, 9) for number in numbers]
    pairs.sort()
    return rows, places, pairs


def extremes(x):
    named = {"a": x[0], "b": x[1]}
    return max(named, key=named.get), min(x, 2 * x, key=lambda row: row.sum()), max([], key=abs, default=None)


def mathematics(x):
    first, last = x[0].item(), x[1].item()
    close = math.isclose(first, 0.9, rel_tol=0.2), math.isclose(first, 1.0), math.isclose(first, 1, abs_tol=3)
    count = math.log((x > 0).sum().item() + 1), math.log(x.shape[0])
    return math.exp(first), math.hypot(first, 3), math.pow(2, first), math.copysign(first, last), close, count


def whole_numbers(x):
    first, total = x[0].item(), x[:2].sum()
    count = int(total) % 3
    kept, table = [0, 1, 2, 3], [*range(4)]
    kept[count : count + 1] = [7, 8]
    for _ in range(int(abs(first))):
        x = x + 1
    made = round(first), math.floor(first / 2), math.ceil(first), math.trunc(-first), divmod(int(total), -4)
    return x[:count], table[count], kept, made, x * int(first * 10)


def no_whole_number(x):
    return int(x[0] / 0 if x[0] > 0 else x[0])


def out_of_range(x):
    try:
        value = math.log(x[1].item() - 2)
    except ValueError:
        value = None
    math.exp(x[1].item() * 1e3)
    return value, x * 2


def decided_by_mathematics(x):
    return x * 2 if math.exp(x[0].item()) > 2 else x * math.exp(-x[0].item())


def arrays(x):
    if numpy.isnan(x.sum().item()):
        return x * 0
    found = x.numpy()
    if numpy.allclose(found, found[::-1].copy()):
        return x
    return numpy.array_equal(found, found + 0), numpy.array_equal(found, found[:1]), x * 2


PROGRAMS = [
    asked_tensors,
    asked_elements,
    predicates,
    never_itself,
    two_numbers,
    with_infinity,
    best_of_all,
    in_containers,
    listed,
    ordered,
    extremes,
    mathematics,
    whole_numbers,
    no_whole_number,
    decided_by_mathematics,
    arrays,
]


def outcome(function: Any, numbers: list) -> str:
    """What a function gives or raises."""
    try:
        return repr(function(torch.tensor(numbers)))
    except Exception as error:
        return repr(error)


def check(function: Any, inputs: list, backend: str = "eager") -> str:
    """Compare results with those of Python, twice over; gives the mode of the call."""
    runtime.registry.reset()
    counting = CountingBackend(backend)
    compiled = torch.compile(function, backend=counting)
    for numbers in inputs * 2:
        assert outcome(compiled, numbers) == outcome(function, numbers), numbers
    assert counting.graphs
    return runtime.report()["callables"][0]["mode"]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_whole(function: Any) -> None:
    assert check(function, INPUTS) == "whole"


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_compiled(function: Any) -> None:
    check(function, INPUTS, "aot_eager")


def test_mathematics_that_fail() -> None:
    """Exceptions are those of Python, where the program handles them and where it does not."""
    check(out_of_range, [[1.0, 3.0], *INPUTS, [1.0, 1e4], [1.0, 3.0]])


@pytest.mark.parametrize("reverse", [False, True])
def test_sorted_as_python_does(reverse: bool) -> None:
    """Equal keys keep their order; where NaN makes no order of it, the comparisons are those of Python."""

    def program(x):
        numbers = x.tolist()
        return sorted(range(len(numbers)), key=lambda i: numbers[i], reverse=reverse), sorted(numbers, reverse=reverse)

    for numbers in ([2.0, 1.0, 2.0, 1.0, 0.0], [3.0, NAN, 2.0, NAN, 1.0], [5.0, 4.0, 3.0, 3.0, 9.0, -1.0], [0.0, -0.0]):
        torch._dynamo.reset()
        assert check(program, [numbers]) == "whole"


def test_keys_are_found_once() -> None:
    """A function that gives the keys is called once for each item, as Python calls it."""
    seen: list = []

    def key(row):
        seen.append(row.shape[0])
        return row.sum()

    def program(x):
        return sorted([x, x[:1]], key=key), max([x[:1], x], key=key)

    compiled = torch.compile(program, backend="eager")
    x = torch.tensor([1.0, 2.0])
    expected = repr(program(x)), list(seen)
    for _ in range(2):
        seen.clear()
        assert (repr(compiled(x)), list(seen)) == expected


def test_shapes_that_differ() -> None:
    """`torch.equal` of other shapes is false, of other types what Python makes of it."""

    def program(x):
        return torch.equal(x, x[:1]), torch.equal(x, x.view(1, 2))

    assert check(program, INPUTS) == "whole"


def sizes(x: torch.Tensor) -> Any:
    rows, columns = x.shape
    side = math.isqrt(x.numel())
    return (
        x.flatten()[: side * side].view(side, side),
        math.gcd(rows, columns),
        math.comb(rows, 2) + math.factorial(rows),
    )


def test_mathematics_of_sizes() -> None:
    """Sizes that change from call to call are known to each graph."""
    counting = CountingBackend()
    compiled = torch.compile(sizes, backend=counting)
    for shape in ((2, 4), (3, 6), (4, 4), (2, 4), (3, 6)):
        x = torch.rand(shape)
        assert repr(compiled(x)) == repr(sizes(x))
    assert len(counting.graphs) == 3
    assert runtime.report()["callables"][0]["mode"] == "whole"


def asked_for_type(x, text):
    return (x * 2 if isinstance(text, str) else x), text


def test_values_that_are_only_asked_for_their_type_may_change() -> None:
    outcome = compare(lambda: asked_for_type, [lambda i=i: (torch.ones(2), f"text {i}") for i in range(20)])
    assert outcome.graphs == 1


EXTREMES = {
    "largest": lambda a, b: max(a, 1),
    "smallest": lambda a, b: min(0, a),
    "clipped": lambda a, b: min(max(b, -1), 1),
    "of_three": lambda a, b: max(a, b, 0),
    "of_a_list": lambda a, b: max([a, 1, int(b)]),
    "of_a_generator": lambda a, b: min(v for v in (a, 0)),
    "with_a_default": lambda a, b: max([a, 1], default=0) + min([], default=int(b)),
    "of_a_generator_with_a_default": lambda a, b: max((v for v in (a, 0) if v is None), default=a),
    "of_a_truth_value": lambda a, b: max(a > 0, int(b)),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_the_largest_of_integers_and_others_is_one_of_them(name: str) -> None:
    """Python gives back one of the numbers that it compares, as what it is."""

    def f(x: torch.Tensor) -> tuple:
        found = EXTREMES[name](x[0].item(), x[1].item())
        return x * 2, found, type(found).__name__

    for row in ([0.5, -2.0], [3.0, 1.5], [-0.0, 0.5]):
        assert compare(lambda: f, [lambda row=row: (torch.tensor(row),)]).graphs > 0


def test_the_smallest_of_an_argument_and_a_number_is_one_of_them() -> None:
    def f(x: torch.Tensor, step: int) -> tuple:
        return x * 2, min(step / 5, 1), max(step, 2.5)

    calls = [lambda step=step: (torch.ones(2), step) for step in (0, 3, 4, 7, 2, 9)]
    assert compare(lambda: f, calls).graphs > 0


LISTED = {
    "truths": lambda x: (x > 0).tolist(),
    "reals": lambda x: x.tolist(),
    "rows": lambda x: torch.stack([x, -x]).tolist(),
    "selected": lambda x: x[x > 0].tolist(),
}


@pytest.mark.parametrize("kind", LISTED)
def test_lists_of_tensors_of_many_sizes(kind: str) -> None:
    def f(x: torch.Tensor) -> Any:
        found = LISTED[kind](x.detach())
        return x * len(found), found

    rows = ([1.0, -1.0, 2.0], [1.5, 2.5], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0, -4.0], [0.5, math.inf])
    compare(lambda: f, [lambda row=row: (torch.tensor(row),) for row in rows])
    torch._dynamo.reset()
    runtime.registry.reset()
    backend = CountingBackend()
    compiled = torch.compile(f, backend=backend)
    for row in rows * 2:
        assert compiled(torch.tensor(row))[1] == f(torch.tensor(row))[1]
    assert len(backend.graphs) <= len(rows)
    assert runtime.report()["callables"][0]["mode"] == "whole"


def test_lists_of_many_integers_of_many_sizes() -> None:
    def f(n: torch.Tensor) -> Any:
        return torch.ones(2) * sum(n.tolist())

    for size in (40, 50, 45, 40):
        compare(lambda: f, [lambda size=size: (torch.arange(size),)])
    compare(lambda: f, [lambda size=size: (torch.arange(size),) for size in (40, 50, 45)])
    assert runtime.report()["callables"][0]["mode"] == "whole"
