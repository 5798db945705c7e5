"""Numbers in dictionaries that calls compute from what stands there: `d[k] = d.get(k, 0) + 1`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import collections

import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.exits = {table}

    def forward(self, x):
        for depth in range(3):
            x = x * 2
            if x.max() > 4:
                self.exits[depth] = {value}
                return x, depth
        return x, 3

make = Model
"""
VALUES = {
    "count": "self.exits.get(depth, 0) + 1",
    "largest": "max(self.exits.get(depth, 0), depth + 1)",
    "number": "self.exits.get(depth, 0.5) * 0.9 + x.mean().item()",
    "none": "(self.exits.get(depth) or 0) + 1",
}
TABLES = ("{}", "{0: 4, 1: 2}", "collections.OrderedDict()", "collections.defaultdict(int)", "collections.Counter()")
CALLS = [lambda v=v: (torch.tensor([v]),) for v in (0.1, 0.9, 1.5, 9.0)]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", VALUES)
def test_counts(tmp_path: Path, name: str, table: str) -> None:
    compare(load(tmp_path, MODULE.format(table=table, value=VALUES[name])), CALLS, grad=False, rounds=12)


def test_no_graph_for_a_key(tmp_path: Path) -> None:
    module = MODULE.format(table="{}", value=VALUES["count"])
    assert compare(load(tmp_path, module), CALLS, grad=False, rounds=12).graphs == len(CALLS)
