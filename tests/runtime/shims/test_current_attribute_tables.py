"""Writes to attributes on both sides of a call that Dynamo traces on trial."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch


def halve(gradient: torch.Tensor) -> torch.Tensor:
    return gradient / 2


def look(gradient: torch.Tensor) -> None:
    return None


def hooked(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.register_hook(halve)
    return y


def watched(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.register_hook(look)
    return y


def chosen(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, (x,))


class Counter(torch.nn.Module):
    def __init__(self, between: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.steps, self.between = 0.0, between

    def forward(self, x: torch.Tensor, rounds: int) -> Any:
        for number in range(rounds):
            self.steps = self.steps + 1
            x = self.between(x)
            self.steps = 10 * self.steps + number
        return self.steps, x


@pytest.mark.parametrize("between", [hooked, watched, chosen])
def test_no_write_is_lost(between: Callable[[torch.Tensor], torch.Tensor]) -> None:
    torch._dynamo.reset()
    plain, mended = Counter(between), Counter(between)
    compiled = torch.compile(mended, backend="eager")
    for rounds in (1, 3, 3):
        inputs = [torch.ones(3, requires_grad=True) for _ in range(2)]
        expected, result = plain(inputs[0], rounds), compiled(inputs[1], rounds)
        assert expected[0] == result[0] == mended.steps and torch.equal(expected[1], result[1])
        for item in (expected, result):
            item[1].sum().backward()
        assert torch.equal(inputs[0].grad, inputs[1].grad)
