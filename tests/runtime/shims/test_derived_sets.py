"""Sets of classes of the program keep their items."""

from __future__ import annotations

from typing import Any

import pytest
import torch


class Names(set):
    """A set of a class of the program."""


def make(x: torch.Tensor, given: Any) -> Any:
    return Names(["a", "b"]), x + 1


def add(x: torch.Tensor, given: Any) -> Any:
    names = Names()
    names.add("a")
    return names, x + 1


def change(x: torch.Tensor, given: Any) -> Any:
    given.add("b")
    return given, x + 1


def drop(x: torch.Tensor, given: Any) -> Any:
    return len(Names(["a", "b"])), x + 1


@pytest.mark.parametrize("program", [make, add, change, drop])
def test_the_items_are_there(program: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(program, backend="eager")
    for _ in range(2):
        expected, computed = program(torch.ones(1), Names(["c"])), compiled(torch.ones(1), Names(["c"]))
        assert type(computed[0]) is type(expected[0])
        assert computed == expected
