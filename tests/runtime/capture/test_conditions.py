"""Conditions: the tests that become tensors in the graph mean what they mean in Python."""

from __future__ import annotations

import functools
import operator
from typing import Any, Callable

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm

SITE = "m.py:1:0:GM101"
OPERATORS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def pick(test: Callable[[], Any], plain: Callable[[], Any], x: torch.Tensor) -> torch.Tensor:
    """`x * 2 if plain() else x - 1`, with `test` as what the compiler core writes for `plain`."""
    if _gm.on(SITE):
        return _gm.branch(SITE, test(), lambda x: x * 2, lambda x: x - 1, (x,))
    return x * 2 if plain() else x - 1


def values_of(dtype: torch.dtype) -> list[torch.Tensor]:
    """Values of a dtype around the numbers that tests compare with."""
    if dtype == torch.bool:
        return [torch.tensor(False), torch.tensor([[True]])]
    if dtype.is_floating_point:
        numbers = [0.1, 0.5, -2.0, float("nan"), float("inf"), -0.0, 3.0]
        return [torch.tensor(number, dtype=dtype) for number in numbers] + [torch.tensor([0.1], dtype=dtype)]
    numbers = [0, 1, 3, 100] + ([2**53 + 1, 2**53, -(2**53) - 1, 16777217] if dtype == torch.int64 else [])
    return [torch.tensor(number, dtype=dtype) for number in numbers]


DTYPES = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
]


@pytest.mark.parametrize("number", [0.1, 0, 3, 0.5, -2, 16777216, 16777216.0, True])
def test_item_compares_as_python_does(number: Any) -> None:
    def program(ways, value, x):
        return [way(op, value, x) for op, way in zip(OPERATORS, ways)]

    def one_way(op, value, x):
        return pick(lambda: op(_gm.item(SITE, value), number), lambda: op(value.item(), number), x)

    def other_way(op, value, x):
        return pick(lambda: op(number, _gm.item(SITE, value)), lambda: op(number, value.item()), x)

    for place, dtype in enumerate(DTYPES):  # half of the operators one way, half the other way
        ways = [one_way if (place + at) % 2 else other_way for at in range(len(OPERATORS))]
        calls = [lambda value=value: (value.clone(), torch.ones(2)) for value in values_of(dtype)]
        outcome = compare(lambda ways=ways: functools.partial(program, ways), calls, False)
        assert outcome.mended("GM101"), outcome.report
        assert outcome.graphs <= 3  # two ranks; Dynamo itself guards on NaN in 0-d doubles


@pytest.mark.parametrize(
    "value, number",
    [
        (torch.ones(2), 1.0),
        (torch.ones(()), 2**53),
        (torch.tensor(2**60 + 1), 2.0**60),
        (torch.tensor(1), 2**70),
        (torch.tensor(1j), 1),
    ],
    ids=["elements", "large", "rounded", "huge", "complex"],
)
def test_item_that_is_left_as_written(value: torch.Tensor, number: Any) -> None:
    def program(value, x):
        return pick(lambda: _gm.item(SITE, value) == number, lambda: value.item() == number, x)

    outcome = compare(lambda: program, [lambda: (value, torch.ones(2))], False)
    assert not outcome.mended("GM101") and outcome.refusals("GM101")


def test_item_of_other_objects() -> None:
    class Holder:
        def item(self):
            return 3

    holder = Holder()
    outcome = compare(
        lambda: lambda x: pick(lambda: _gm.item(SITE, holder) > 2, lambda: holder.item() > 2, x),
        [lambda: (torch.ones(2),)],
    )
    assert outcome.graphs == 1 and not outcome.refusals("GM101")


NAN = float("nan")
PAIRS = [
    (torch.ones(3), torch.ones(3)),
    (torch.ones(3), torch.tensor([1.0, 1.0, 1.0 + 1e-6])),
    (torch.tensor([NAN]), torch.tensor([NAN])),
    (torch.ones(3), torch.zeros(3)),
    (torch.empty(0), torch.empty(0)),
    (torch.tensor(float("inf")), torch.tensor(float("inf"))),
    (torch.tensor([1, 2]), torch.tensor([1, 2])),
    (torch.tensor([True]), torch.tensor([False])),
]


def equality(a, b, x):
    return pick(lambda: _gm.equal(SITE, a, b), lambda: torch.equal(a, b), x)


def closeness(a, b, x):
    return pick(lambda: _gm.allclose(SITE, a, b), lambda: torch.allclose(a, b), x)


def loose(a, b, x):
    return pick(
        lambda: _gm.allclose(SITE, a, b, rtol=0.0, atol=2.0, equal_nan=True),
        lambda: torch.allclose(a, b, rtol=0.0, atol=2.0, equal_nan=True),
        x,
    )


def pair(a: torch.Tensor, b: torch.Tensor) -> Callable[[], tuple]:
    """A call with copies of two tensors."""
    return lambda: (a.clone(), b.clone(), torch.ones(2))


@pytest.mark.parametrize("program", [equality, closeness, loose], ids=lambda program: program.__name__)
def test_equality(program: Callable) -> None:
    for a, b in PAIRS:
        outcome = compare(lambda: program, [pair(a, b)], a.is_floating_point())
        assert outcome.mended("GM101") and outcome.graphs == 1, outcome.report


def test_equality_with_itself() -> None:
    def program(a, x):
        return pick(lambda: _gm.equal(SITE, a, a), lambda: torch.equal(a, a), x)

    outcome = compare(lambda: program, [lambda: (torch.tensor([NAN]), torch.ones(2))], False)
    assert outcome.graphs == 1


def test_equality_of_different_shapes_is_no_test() -> None:
    outcome = compare(lambda: equality, [lambda: (torch.ones(2), torch.ones(3), torch.ones(2))])
    assert outcome.graphs == 1 and "where" not in outcome.backend.targets()


@pytest.mark.parametrize("program", [equality, closeness], ids=lambda program: program.__name__)
@pytest.mark.parametrize(
    "a, b",
    [(torch.ones(2), torch.ones(2).double()), (torch.ones(2), [1.0, 1.0]), (torch.ones(2), torch.ones(3, 3))],
    ids=["dtypes", "list", "shapes"],
)
def test_equality_that_fails_or_converts(program: Callable, a: Any, b: Any) -> None:
    compare(lambda: program, [lambda: (a, b, torch.ones(2))], False)


@pytest.mark.parametrize("numbers", [[1, 2], (0.5, 3), [-1]], ids=str)
def test_membership(numbers: Any) -> None:
    def program(value, x):
        y = pick(lambda: _gm.member(SITE, value, numbers), lambda: value in numbers, x)
        return y + pick(lambda: _gm.not_(SITE, _gm.member(SITE, value, numbers)), lambda: value not in numbers, x)

    for dtype in DTYPES:
        calls = [lambda value=value: (value.clone(), torch.ones(2)) for value in values_of(dtype)]
        outcome = compare(lambda: program, calls, False)
        assert outcome.mended("GM101"), outcome.report
    compare(lambda: program, [lambda: (3, torch.ones(2)), lambda: (torch.ones(3), torch.ones(2))], False)
