"""`torch.compiler.is_compiling()`: a program gets eager Python's answer where the other one ends in an exception."""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional

import pytest
import torch
from harness import CountingBackend

import graphmend.runtime as runtime


def is_library_compiling() -> bool:
    try:
        return torch.compiler.is_compiling()
    except Exception:
        return False


def masked(x: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
    if mask is None and not is_library_compiling():
        mask = torch.ones(x.size(0))
    return x * mask.size(0)


def older_name(x: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
    if mask is None and not torch._utils.is_compiling():
        mask = torch.ones(x.size(0))
    return x * mask.size(0)


def checked(x: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
    if torch.compiler.is_dynamo_compiling():
        raise RuntimeError("not for compilers")
    if x.sum() > 100:
        x = x - 100
    return x if mask is None else x * mask


def kept(box: list, value: Any) -> list:
    """As libraries keep what a variable of the thread cannot keep for a compiler."""
    if is_library_compiling():
        return [*box, value]
    return threading.local().__dict__.setdefault("box", [*box, value])


def one_question_of_two(x: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
    box = kept([], 2)
    return masked(x, mask) * box[0]


PROGRAMS = [masked, older_name, checked, one_question_of_two]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_answer_of_eager_python(function: Callable[..., torch.Tensor]) -> None:
    counting = CountingBackend()
    compiled = torch.compile(function, backend=counting)
    for size, mask in [(3, None), (3, torch.arange(3.0)), (5, None), (3, None)]:
        for x in (torch.ones(size), torch.full((size,), 50.0)):
            assert torch.equal(compiled(x.clone(), mask), function(x, mask))
    assert runtime.report()["callables"][-1]["mode"] == "whole"
    assert 0 < len(counting.graphs) <= 6


def test_answer_of_the_compiler_stays_where_it_works() -> None:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if torch.compiler.is_compiling() else x * 3

    compiled = torch.compile(scaled, backend=CountingBackend())
    assert torch.equal(compiled(torch.ones(2)), torch.full((2,), 2.0))


def test_exception_of_the_program() -> None:
    def refusing(x: torch.Tensor, known: Any) -> torch.Tensor:
        if known is None:
            raise ValueError(f"nothing known, {torch.compiler.is_compiling()}")
        return x + known

    counting = CountingBackend()
    compiled = torch.compile(refusing, backend=counting)
    for _ in range(2):
        with pytest.raises(ValueError, match="nothing known, False"):
            compiled(torch.ones(2), None)
        assert torch.equal(compiled(torch.ones(2), 1), torch.full((2,), 2.0))
    assert len(counting.graphs) == 1
