"""Writes to attributes on both sides of a call that Dynamo traces on trial."""

from __future__ import annotations

import gc
import weakref
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


LOG: list[str] = []


class Resource:
    def __init__(self, x: torch.Tensor) -> None:
        self.x = x

    def __del__(self) -> None:
        if "x" in vars(self):  # Dynamo makes objects without attributes as examples
            LOG.append("dead")


def test_an_object_of_a_call_dies_with_the_call() -> None:
    """A part of the call is traced with the object among its arguments."""
    named: weakref.WeakValueDictionary[int, Resource] = weakref.WeakValueDictionary()
    kept: list[Resource] = []

    def f(x: torch.Tensor) -> torch.Tensor:
        resource = named[len(LOG)] = Resource(x * 2)
        if resource.x.sum() < 0:
            kept.append(Resource(x))
        print(sorted(named))
        resource.x.zero_()
        return x * resource.x

    compiled = torch.compile(f, backend="eager")
    LOG.clear()
    gc.disable()
    try:
        compiled(torch.ones(3))
        compiled(-torch.ones(3))
        assert LOG.count("dead") == 2
    finally:
        gc.enable()
