"""Checkpoints with dropout: the backward pass drops what the forward pass has dropped."""

from __future__ import annotations

import functools
from typing import Any, Callable

import pytest
import torch
from torch.utils.checkpoint import checkpoint


def block(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.dropout((x * weight).sin(), 0.5, True)


def once(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, weight, use_reentrant=False).sum()


def nested(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    inner = functools.partial(checkpoint, block, use_reentrant=False)
    return checkpoint(lambda x, w: inner(x, w) + block(x, w), x, weight, use_reentrant=False).sum()


def drawn_anew(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, weight, use_reentrant=False, preserve_rng_state=False).sum()


def behind_data(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    y = checkpoint(block, x, weight, use_reentrant=False)
    if y.sum() > 0:
        y = y * 2
    return y.sum()


def gradient(function: Callable[..., torch.Tensor]) -> Any:
    """The result of a function, its gradient, and the next draw."""
    torch.manual_seed(3)
    weight = torch.ones(16, requires_grad=True)
    result = function(torch.arange(16.0), weight)
    torch.manual_seed(7)
    result.backward()
    return result.detach(), weight.grad, torch.rand(2)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("function", [once, nested, behind_data])
def test_gradients_are_those_of_eager(function: Callable[..., torch.Tensor], backend: str) -> None:
    torch._dynamo.reset()
    for expected, result in zip(gradient(function), gradient(torch.compile(function, backend=backend))):
        assert torch.allclose(expected, result)


def test_without_states() -> None:
    """The program has chosen to draw anew."""
    torch._dynamo.reset()
    for expected, result in zip(gradient(drawn_anew), gradient(torch.compile(drawn_anew, backend="eager"))):
        assert torch.allclose(expected, result)
