"""Numbers that a trace has to know: 0.0 and -0.0 are two numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import torch

def make():
    def f(x):
        v = x[1].item()
        {body}
    return f
"""
BODIES = (
    "return x + 1, str({v: 1})",
    "return x + 1, v.hex(), str({v: 2})",
    "return (x, 1) if v == 0 else (x + v, 2)",
)
CALLS = [lambda v=v: (torch.tensor([1.0, v]),) for v in (0.0, -0.0, 1.0, -0.0, 0.0)]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("first", [0, 1])
def test_sign_of_zero(tmp_path: Path, body: str, first: int) -> None:
    compare(load(tmp_path, MODULE.format(body=body)), CALLS[first:], grad=False, rounds=8)
