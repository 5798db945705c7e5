"""Objects behind sources: a trace reads each of them once, and a later trace reads them anew."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import pytest
import torch
from harness import load
from torch._dynamo.output_graph import OutputGraph

SOURCE = """
import torch

class Scale:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        return x * self.factor

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = Scale(2.0)

    def forward(self, x):
        for _ in range(3):
            x = self.scale.apply(x)
        if x.sum() > 100:
            print("large")
        return x

def make():
    return Model()
"""


def test_each_object_is_read_once_in_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: collections.Counter[Any] = collections.Counter()
    resolve = OutputGraph.resolve_source_value

    def counting(self: Any, source: Any) -> Any:
        reads[id(self), source] += 1
        return resolve(self, source)

    torch._dynamo.reset()
    monkeypatch.setattr(OutputGraph, "resolve_source_value", counting)
    model = load(tmp_path, SOURCE)()
    compiled = torch.compile(model, backend="eager")
    assert compiled(torch.ones(2)).tolist() == [8.0, 8.0]
    assert reads and set(reads.values()) == {1}
    model.scale = type(model.scale)(3.0)
    assert compiled(torch.ones(2)).tolist() == [27.0, 27.0]
