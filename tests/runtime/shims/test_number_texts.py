"""Texts of numbers that a trace does not know, and comparisons of truth values: as Python has them."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from harness import compare

NUMBERS = {
    "real": lambda x, n: x[0].item(),
    "whole": lambda x, n: int(x[1]),
    "truth": lambda x, n: (x > 0).any().item(),
    "argument": lambda x, n: n,
}
TEXTS = {
    "plain": lambda a: f"{a}",
    "wide": lambda a: f"{a:6}|{a:>6}",
    "alone": lambda a: f"{a:6}",
    "converted": lambda a: f"{a!r:6}|{a!s:>6}",
    "sum": lambda a: f"{a + 1:5}",
    "both": lambda a: f"{a=}",
}
CALLS = [
    lambda: (torch.tensor([1.5, 2.0]), 3),
    lambda: (torch.tensor([-1.0, -7.0]), 4),
    lambda: (torch.tensor([0.25, 120.0]), 12),
]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_number_in_a_text_is_aligned_as_a_number(kind: str, text: str) -> None:
    number, show = NUMBERS[kind], TEXTS[text]

    def f(x: torch.Tensor, n: int) -> Any:
        return x * 2, show(number(x, n))

    for call in CALLS:
        compare(lambda: f, [call])


def test_a_changing_argument_in_a_text() -> None:
    def f(x: torch.Tensor, n: int) -> Any:
        return x * 2, f"{n:04d}"

    compare(lambda: f, [lambda n=n: (torch.ones(2), n) for n in (3, 4, 12, 3)])


@pytest.mark.parametrize("other", [1, 0, True, 2, 1.0, None, "x"])
@pytest.mark.parametrize("compared", [operator.ne, operator.eq, lambda a, b: [b] != [a], lambda a, b: not b == a])
def test_a_truth_value_is_compared_as_the_integer_that_it_is(other: Any, compared: Any) -> None:
    def f(x: torch.Tensor) -> Any:
        return x * 2, compared((x > 0).any().item(), other)

    compare(lambda: f, [lambda v=v: (torch.full((2,), v),) for v in (1.0, -1.0, 3.0)])
