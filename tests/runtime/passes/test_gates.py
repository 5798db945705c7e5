"""Gates in front of sides: a tensor whose memory has gaps stays as it is, for other kernels may round otherwise."""

from __future__ import annotations

from pathlib import Path

import torch
from harness import compare, load

MODULE = """
import torch

def make():
    def f(x):
        if x.sum() < 0.5:
            return x.log()
        return torch.nn.functional.gelu(x)
    return f
"""


def test_memory_with_gaps(tmp_path: Path) -> None:
    calls = [lambda n=n: ((torch.randn(4, 6) + n)[:2, 1:4],) for n in (1.0, -1.0, 0.0)]
    outcome = compare(load(tmp_path, MODULE), calls, rounds=12)
    assert any("gaps" in reason for reason in outcome.refusals("GM102"))


def test_memory_in_another_order(tmp_path: Path) -> None:
    calls = [lambda n=n: ((torch.randn(3, 2) + n).t(),) for n in (1.0, -1.0, 0.0)]
    assert compare(load(tmp_path, MODULE), calls, rounds=12).mended("GM102")
