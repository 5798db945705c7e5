"""Generators of `random.Random` from before the call draw what they draw in eager Python, in every call."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import random

import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rng = random.Random(3)

    def forward(self, x):
        {body}

def make():
    return Model()
"""
WHOLE = {
    "randint": "return x * self.rng.randint(1, 60)",
    "randrange": "return x * self.rng.randrange(5, 50)",
    "two": "return x * self.rng.randint(1, 60) + self.rng.randint(1, 60)",
    "mixed": "return x * self.rng.random() * self.rng.randint(1, 60)",
    "mixed_again": "return x * self.rng.randint(1, 60) * self.rng.random()",
    "loop": "rng = self.rng; return x + sum(rng.randint(0, 9) for _ in range(3))",
    "size": "return x[self.rng.randrange(x.shape[0]):] * self.rng.random()",
    "side": "return x * self.rng.randint(1, 60) if x.sum() > 0 else x + self.rng.random()",
}
LEFT = {
    "seed": "self.rng.seed(5); return x + self.rng.randint(0, 9)",
    "state": "s = self.rng.getstate(); self.rng.random(); self.rng.setstate(s); return x + self.rng.randint(0, 9)",
    "in_parts": "torch._dynamo.graph_break(); return x * self.rng.randint(1, 50)",
    "data": "return x * self.rng.randint(1, int(x.sum()) ** 2 + 50)",
}
CALLS = [lambda n=n: (torch.ones(3) * n,) for n in (1, -2, 3)]


@pytest.mark.parametrize("name", WHOLE)
def test_draws_that_the_graph_gets(tmp_path: Path, name: str) -> None:
    result = compare(load(tmp_path, MODULE.format(body=WHOLE[name])), CALLS)
    assert [known["mode"] for known in result.report["callables"]] == ["whole"]


@pytest.mark.parametrize("name", LEFT)
def test_what_python_does_itself(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, MODULE.format(body=LEFT[name])), CALLS)
