"""Functions with a derivative of their own that are given a tensor more than once."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

SCALED = """
    import torch

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, left, right, x):
            ctx.save_for_backward(left, right)
            return x * left * right.flip(0)

        @staticmethod
        def backward(ctx, gradient):
            left, right = ctx.saved_tensors
            return GRADIENTS

    def f(x, mask):
        y = x.tanh()
        return Scaled.apply(ARGUMENTS) + y
    """
ONE_OF_THREE = "None, None, gradient * left * right.flip(0)"
EVERY = "gradient * right.flip(0), (gradient * left).flip(0), gradient * left * right.flip(0)"


def inputs() -> tuple:
    """Arguments of a call."""
    return torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 0.5, 0.0])


def program(arguments: str, gradients: str) -> str:
    """The text of a program."""
    return SCALED.replace("ARGUMENTS", arguments).replace("GRADIENTS", gradients)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("arguments", ["mask, mask, x", "y, y, x", "y, mask, y", "mask, y, y", "y, y, y"])
def test_one_place_has_a_gradient(tmp_path: Any, arguments: str, grad: bool, backend: str) -> None:
    make = load(tmp_path, program(arguments, ONE_OF_THREE))
    assert compare(make, [inputs], grad, backend).graphs == 1


def test_nobody_asks_for_the_gradients(tmp_path: Any) -> None:
    make = load(tmp_path, program("y, y, y", EVERY))
    with torch.no_grad():
        assert compare(make, [inputs], False, "aot_eager").graphs == 1
    detached = load(
        tmp_path, program("mask.detach(), x.detach(), y", EVERY).replace("mask.detach(), x", "y.detach(), y")
    )
    assert compare(detached, [inputs], True, "aot_eager").graphs == 1


def test_gradients_that_would_have_to_be_added_up_are_left_to_torch(tmp_path: Any) -> None:
    make = load(tmp_path, program("y, y, x", EVERY))
    assert compare(make, [inputs]).graphs > 1
