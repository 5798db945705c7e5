"""Powers of negative numbers with an exponent that data decide: `(-1) ** n`."""

from __future__ import annotations

from pathlib import Path

import torch
from harness import compare, load

MODULE = """
import torch

def make():
    def f(x):
        n = int((x > 0).sum())
        s = (-1) ** n
        return x * s, s, (-2) ** (n % 4), (-1.5) ** n, -1 ** n, 2 ** n
    return f
"""


def test_powers(tmp_path: Path) -> None:
    calls = [lambda k=k: (torch.arange(4.0) - 3 + k,) for k in (2, 3, 0, 1, 4, 2)]
    compare(load(tmp_path, MODULE), calls, grad=False, rounds=6)
