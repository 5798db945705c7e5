"""Hooks on saved tensors: those of the program see the tensors that Python keeps, and no masks of selections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from harness import CountingBackend, load

PROGRAM = """
import torch

weight = torch.nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))

def step(x):
    y = weight * x
    if y.sum() > 1:
        y = y.exp()
    else:
        y = y.sin()
    return y

def make():
    return step
"""


def gradients(function: Any, weight: torch.Tensor, first: str) -> tuple[list[Any], list[Any]]:
    """The gradients of eight calls, half of them under hooks, and the tensors that the hooks saw."""
    seen: list[Any] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        seen.append((tensor.dtype, tensor.tolist()))
        return tensor.bfloat16()

    found = []
    for number in range(8):
        x = torch.ones(3) * (number // 2 % 2 + 1)
        if (number % 2 == 0) == (first == "hooks"):
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor.float()):
                result = function(x)
        else:
            result = function(x)
        weight.grad = None
        result.sum().backward()
        assert weight.grad is not None
        found.append(weight.grad.tolist())
    return found, seen


@pytest.mark.parametrize("first", ["hooks", "none"])
def test_hooks_of_the_program_see_what_python_keeps(tmp_path: Path, first: str) -> None:
    names: dict[str, Any] = {}
    exec(PROGRAM, names)
    torch._dynamo.reset()
    mended = load(tmp_path, PROGRAM)()
    compiled = torch.compile(mended, backend="eager")
    weight = mended.__globals__["weight"]
    assert gradients(compiled, weight, first) == gradients(names["step"], names["weight"], first)


def test_hooks_of_pytorch_take_selections(tmp_path: Path) -> None:
    torch._dynamo.reset()
    mended, backend = load(tmp_path, PROGRAM)(), CountingBackend()
    compiled = torch.compile(mended, backend=backend)
    weight, found = mended.__globals__["weight"], []
    for function in (mended, compiled):
        for number in range(4):
            with torch.autograd.graph.save_on_cpu():
                result = function(torch.ones(3) * (number % 2 + 1))
            weight.grad = None
            result.sum().backward()
            found.append(weight.grad.tolist())
    assert found[:4] == found[4:] and len(backend.graphs) == 1
