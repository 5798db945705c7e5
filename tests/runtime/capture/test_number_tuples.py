"""Tuples of numbers that calls replace: one graph serves all numbers; other tuples stay constants."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import heapq

import torch

class State:
    def __init__(self):
        self.pair = (0.0, 0)

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.range = (0.0, 0.0)
        self.table = {{"a": (0.0, 1)}}
        self.state = State()
        self.heap = []
        self.sizes = (2, 70)

    def forward(self, x):
        {body}
        return x + 1

make = Model
"""
OPEN = {
    "attribute": "low, high = self.range; self.range = (min(low, x.min().item()), max(high, x.max().item()))",
    "item": "v, n = self.table['a']; self.table['a'] = (v + x.mean().item(), n + 1)",
    "object": "v, n = self.state.pair; self.state.pair = (v + x.mean().item(), n + 1)",
    "counted": "a, b = self.sizes; self.sizes = (a + 1, b)",
}
CALLS = [lambda: (torch.randn(3, 4),), lambda: (torch.randn(3, 4) * 2,), lambda: (torch.randn(3, 4) * 3,)]


@pytest.mark.parametrize("name", OPEN)
def test_replaced_tuples(tmp_path: Path, name: str) -> None:
    result = compare(load(tmp_path, MODULE.format(body=OPEN[name])), CALLS, grad=False)
    assert result.graphs <= 3


def test_heaps_of_tuples(tmp_path: Path) -> None:
    body = "heapq.heappush(self.heap, (x.mean().item(), len(self.heap)))"
    compare(load(tmp_path, MODULE.format(body=body)), CALLS, grad=False, rounds=6)
