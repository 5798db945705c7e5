"""The `__dict__` of objects that a call makes."""

from __future__ import annotations

import types
from typing import Any

import pytest
import torch
from harness import CountingBackend


class Point:
    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second


class Failure(ValueError):
    def __init__(self, first: Any, second: Any) -> None:
        super().__init__(first)
        self.second = second


def forgotten(kind: Any, x: torch.Tensor) -> Any:
    return vars(kind(1, x * 2))


def read_from(kind: Any, x: torch.Tensor) -> Any:
    return kind(x + 1, "text").__dict__


def changed_later(kind: Any, x: torch.Tensor) -> Any:
    made = kind(1, 2)
    table = vars(made)
    made.second = x * 3
    made.third = [x]
    return table


def kept(kind: Any, x: torch.Tensor) -> Any:
    made = kind(1, x)
    return {"made": made, "table": vars(made)}["table"], made


def copied(kind: Any, x: torch.Tensor) -> Any:
    return dict(vars(kind(1, x))), {**vars(kind(2, x + 1)), "more": 3}


def named(first: Any, second: Any) -> Any:
    return types.SimpleNamespace(first=first, second=second)


def plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return [(name, plain(item)) for name, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return plain(vars(value)) if hasattr(value, "__dict__") else value


@pytest.mark.parametrize("program", [forgotten, read_from, changed_later, kept, copied])
@pytest.mark.parametrize("kind", [Point, Failure, named])
def test_tables_are_those_of_python(kind: Any, program: Any) -> None:
    torch._dynamo.reset()
    compiled, x = torch.compile(program, backend=CountingBackend()), torch.ones(2)
    expected, got = program(kind, x), compiled(kind, x)
    assert plain(got) == plain(expected)
    if program is kept:
        assert got[0] is vars(got[1])
