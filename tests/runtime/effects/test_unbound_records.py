"""Records of variables that a loop may leave unbound: Python's own exception."""

from __future__ import annotations

from pathlib import Path

import torch
from harness import compare, load

MODULE = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps, self.last = {}, 0

    def forward(self, x, count):
        for i in range(count):
            x = x / 2
            if x.abs().max() < 0.5:
                break
        self.steps[i] = self.steps.get(i, 0) + 1
        self.last = x.sum().item() + i
        return x

make = Model
"""


def test_no_step(tmp_path: Path) -> None:
    calls = [lambda k=k: (torch.ones(2) * 3, k) for k in (3, 0, 2, 3, 0, 5)]
    compare(load(tmp_path, MODULE), calls, grad=False, rounds=12)
