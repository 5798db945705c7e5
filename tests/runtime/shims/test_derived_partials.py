"""Classes derived from `functools.partial`, made, called and returned by a call."""

from __future__ import annotations

import functools
from typing import Any

import torch
from harness import CountingBackend


class Wrapped(functools.partial):
    """A partial that says what it is."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self.func, instance)

    def described(self) -> str:
        return f"{len(self.args)} and {sorted(self.keywords)}"


class Own(functools.partial):
    """A partial that counts in its `__call__`."""

    calls = 0

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        Own.calls += 1
        return super().__call__(*args, **keywords)


def scaled(factor: float, x: torch.Tensor, shift: float = 0.0) -> torch.Tensor:
    return x * factor + shift


def use(x: torch.Tensor) -> Any:
    first = Wrapped(functools.partial(scaled, 3.0), shift=1.0)
    y = first(x)
    if y.sum() > 0:
        y = first(y, shift=2.0)
    facts = first.func is scaled, first.args, first.keywords, first.described(), hasattr(first, "other")
    return y, facts, isinstance(first, functools.partial), type(first) is Wrapped


def give(x: torch.Tensor) -> Any:
    return x + 1, Wrapped(scaled, 2.0), Wrapped(scaled, x.sum(), shift=4.0)


def test_use() -> None:
    torch._dynamo.reset()
    counting = CountingBackend()
    compiled = torch.compile(use, backend=counting)
    for x in (torch.ones(2), -torch.ones(2)):
        expected, result = use(x), compiled(x)
        assert torch.equal(expected[0], result[0]) and expected[1:] == result[1:]
    assert counting.graphs


def test_give() -> None:
    torch._dynamo.reset()
    x = torch.ones(2)
    expected, result = give(x), torch.compile(give, backend="eager")(x)
    for left, right in zip(expected[1:], result[1:]):
        assert type(left) is type(right) and left.func is right.func and left.keywords == right.keywords
        assert torch.equal(left(x), right(x))


def test_calls_of_its_own() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: Own(scaled, 2.0)(x), backend="eager")
    for _ in range(2):
        assert torch.equal(compiled(torch.ones(2)), torch.full((2,), 2.0))
    assert Own.calls == 2


def take(x: torch.Tensor, step: Any) -> Any:
    y = step(x)
    if y.sum() > 0:
        y = y + 1
    return y, step.described(), type(step) is Wrapped, step


def test_from_before_the_call() -> None:
    torch._dynamo.reset()
    counting = CountingBackend()
    compiled = torch.compile(take, backend=counting)
    for step in (Wrapped(scaled, 2.0), Wrapped(scaled, -3.0, shift=1.0)):
        expected, result = take(torch.ones(2), step), compiled(torch.ones(2), step)
        assert torch.equal(expected[0], result[0]) and expected[1:3] == result[1:3] and result[3] is step
    assert counting.graphs
