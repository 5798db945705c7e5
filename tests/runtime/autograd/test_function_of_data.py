"""Numbers and decisions of data inside of `torch.autograd.Function`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
import torch

class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        {}
        return x * y * factor

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient * y, gradient * x

def f(x, y):
    return Scaled.apply(x * 2, y).sin()
"""
BODIES = {
    "equal": "factor = 2 if torch.equal(x, y) else 3",
    "decision": "factor = 2 if x.sum() > 3 else 3",
    "number": "factor = x.sum().item()",
    "list": "factor = sum(x.tolist())",
}


@pytest.mark.parametrize("name", BODIES)
def test_what_a_function_finds_in_data_is_no_fault(tmp_path: Any, name: str) -> None:
    calls = [
        lambda: (torch.arange(3.0), torch.arange(3.0) * 2),
        lambda: (torch.arange(3.0), torch.ones(3)),
    ]
    outcome = compare(load(tmp_path, TEXT.format(BODIES[name])), calls)
    reason = outcome.report["callables"][0]["reason"]
    assert reason is None or not reason.startswith("KeyError")
