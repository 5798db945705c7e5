"""Gradients through branches: the side not taken leaves no trace, neither a NaN nor a zero where eager has None."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm

SITE = "m.py:1:0:GM101"


def pick(test: Any, then: Callable, orelse: Callable, *operands: Any) -> Any:
    """A conditional expression as the compiler core writes it."""
    if _gm.on(SITE):
        return _gm.branch(SITE, test, then, orelse, operands)
    return then(*operands) if test else orelse(*operands)


def logarithm(x):
    return pick((x > 0).all(), lambda x: x.log(), lambda x: x * 2, x)


def square_root(x):
    return pick((x > 0).all(), lambda x: x.sqrt(), lambda x: x * 2, x)


def division(x):
    return pick(x.abs().min() > 0, lambda x: 1 / x, lambda x: x * 2, x)


def norm_of_zero(x):
    return pick(x.abs().sum() > 0, lambda x: x / x.norm(), lambda x: x * 1, x)


def exponential(x):
    return pick(x.max() < 10, lambda x: x.exp(), lambda x: x * 2, x)


def infinite_product(x):
    return pick(torch.isfinite(x).all(), lambda x: x * x, lambda x: torch.clamp(x, -5, 5), x)


def infinite_softmax(x):
    return pick(torch.isfinite(x).all(), lambda x: torch.softmax(x, 0), lambda x: torch.nan_to_num(x) * 0.5, x)


def clamp_infinite(x):
    y = x * 3
    y = pick(torch.isinf(y).any(), lambda y: torch.clamp(y, min=-10.0, max=10.0), lambda y: y, y)
    return y * 0.5


def power(x):
    return pick(x.min() > 0, lambda x: x**0.5 + x.pow(-1.5), lambda x: x, x + 1)


def nested_logarithm(x):
    def positive(x):
        return pick(x.max() > 2, lambda x: (x - 2).abs().log(), lambda x: x.sqrt(), x)

    return pick((x > 0).all(), positive, lambda x: x * 2, x)


CALLS = [
    lambda: (torch.tensor([1.0, 2.5, 3.0]),),
    lambda: (torch.tensor([0.5, 1.0, 1.5]),),
    lambda: (torch.tensor([0.0, 0.0, 0.0]),),
    lambda: (torch.tensor([-1.0, 0.0, 200.0]),),
    lambda: (torch.tensor([float("inf"), 1.0, 2.0]),),
    lambda: (torch.tensor([float("nan"), 1.0, -2.0]),),
]


@pytest.mark.parametrize(
    "program",
    [
        logarithm,
        square_root,
        division,
        norm_of_zero,
        exponential,
        infinite_product,
        infinite_softmax,
        clamp_infinite,
        power,
        nested_logarithm,
    ],
    ids=lambda program: program.__name__,
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_gradient_of_the_taken_side_only(program: Callable, backend: str) -> None:
    outcome = compare(lambda: program, CALLS, True, backend)
    assert outcome.graphs == 1, outcome.report


def test_bounded_derivatives_need_no_gate() -> None:
    outcome = compare(lambda: clamp_infinite, CALLS)
    assert outcome.backend.targets().count("where") == 1


class TwoWeights(torch.nn.Module):
    """Only one of two parameters is used."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def forward(self, x):
        return pick(x.sum() > 0, lambda x: self.first(x), lambda x: self.second(x), x)


class SharedWeight(TwoWeights):
    """Both sides use the same parameters, or they are used outside of the branch."""

    def forward(self, x):
        y = self.second(x)
        y = pick(x.sum() > 0, lambda y: self.first(y) * 2, lambda y: self.first(y) - 1, y)
        return pick(x.max() > 0, lambda y: self.second(y), lambda y: y.relu(), y)


SIGNS = [lambda: (torch.tensor([1.0, 2.5, 3.0]),), lambda: (torch.tensor([-1.0, -2.5, 3.0]),)]


def test_parameter_of_one_side_keeps_no_gradient() -> None:
    outcome = compare(TwoWeights, SIGNS)
    assert not outcome.mended("GM101")
    assert any("only one side gives a gradient" in reason for reason in outcome.refusals("GM101"))


def test_parameter_of_one_side_matters_only_with_gradients() -> None:
    outcome = compare(TwoWeights, SIGNS, grad=False)
    assert outcome.mended("GM101") and outcome.graphs == 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_parameter_of_both_sides(backend: str) -> None:
    outcome = compare(SharedWeight, SIGNS, True, backend)
    assert outcome.mended("GM101") and outcome.graphs == 1, outcome.report


def test_input_that_only_one_side_uses() -> None:
    def program(x, y):
        return pick(x.sum() > 0, lambda x, y: x * y, lambda x, y: x * 2, x, y)

    calls = [lambda: (torch.ones(3), torch.ones(3)), lambda: (-torch.ones(3), torch.ones(3))]
    outcome = compare(lambda: program, calls)
    assert not outcome.mended("GM101")


def test_input_that_the_rest_uses_too() -> None:
    def program(x, y):
        return pick(x.sum() > 0, lambda x, y: x * y, lambda x, y: x * 2, x, y) + y

    calls = [lambda: (torch.ones(3), torch.ones(3)), lambda: (-torch.ones(3), torch.ones(3))]
    outcome = compare(lambda: program, calls)
    assert outcome.mended("GM101") and outcome.graphs == 1


def test_result_that_needs_no_gradient_on_one_side() -> None:
    def program(x):
        return pick(x.sum() > 0, lambda x: x * 2, lambda x: torch.zeros_like(x), x)

    outcome = compare(lambda: program, SIGNS)
    assert not outcome.mended("GM101")


def test_training_steps() -> None:
    def train(compiled: bool) -> list:
        torch.manual_seed(3)
        model = SharedWeight()
        forward = torch.compile(model, backend="aot_eager") if compiled else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        losses = []
        for step in range(20):
            x = torch.randn(4, 3) + (0.5 if step % 2 else -0.5)
            loss = forward(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    assert train(True) == pytest.approx(train(False), rel=1e-4)
