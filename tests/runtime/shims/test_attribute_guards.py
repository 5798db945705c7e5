"""Look-ups with code of a class: the code runs as often as in eager Python, and not in checks of guards."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend


class Counts:
    """An object that counts the names that it does not have."""

    def __init__(self) -> None:
        self.misses = 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.misses += 1
        return self.answer(name)

    def answer(self, name: str) -> Any:
        if name == "computed":
            return self.misses
        raise AttributeError(name)


class Property:
    """An object that counts the reads of a property."""

    def __init__(self) -> None:
        self.misses = 0

    @property
    def scale(self) -> float:
        self.misses += 1
        raise AttributeError("scale")


def ask(x: torch.Tensor, item: Any) -> Any:
    found = hasattr(item, "scale"), getattr(item, "scale", 5)
    return x * 2, found, item.misses


def read(x: torch.Tensor, item: Any) -> Any:
    if hasattr(item, "computed"):
        x = x + item.computed
    return x, item.misses


@pytest.mark.parametrize(("function", "kind"), [(ask, Counts), (ask, Property), (read, Counts)])
def test_code_runs_as_often(function: Callable[..., Any], kind: type) -> None:
    torch._dynamo.reset()
    counting = CountingBackend()
    compiled = torch.compile(function, backend=counting)
    x, plain, mended = torch.ones(2), kind(), kind()
    for _ in range(4):
        expected, result = function(x, plain), compiled(x, mended)
        assert torch.equal(expected[0], result[0]) and expected[1:] == result[1:]
        assert plain.misses == mended.misses
    assert counting.graphs


def test_a_name_that_appears() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(ask, backend="eager")
    x, plain, mended = torch.ones(2), Counts(), Counts()
    for number in range(4):
        assert ask(x, plain)[1:] == compiled(x, mended)[1:]
        if number == 1:
            plain.scale = mended.scale = 3


class Lazy(Counts):
    """An object that makes an attribute at the first read, and tells that read apart."""

    def answer(self, name: str) -> Any:
        self.made = 10 * self.misses
        return -1


def drop(x: torch.Tensor, item: Any) -> Any:
    made = item.made
    if x.sum() > 4:
        vars(item).pop("made", None)
    return x + 1, made, item.misses


def test_a_name_that_goes() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(drop, backend="eager")
    plain, mended = Lazy(), Lazy()
    for number in (1, 5, 6, 1, 5, 5, 1, 1, 5):
        x = torch.full((2,), float(number))
        assert drop(x, plain)[1:] == compiled(x, mended)[1:]
        assert vars(plain) == vars(mended)
