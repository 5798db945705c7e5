"""Objects that outlive a call are those that Python has made: views, and texts with attributes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import torch

class Unit(str):
    pass

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = {"a": 1}
        self.names = self.table.keys()
        self.unit = Unit("m")

    def keep_view(self, x):
        if x.sum() > 0:
            self.names = self.table.keys()
        self.table["k%d" % len(self.table)] = 1
        return x * 2, sorted(self.names)

    def return_view(self, x):
        self.table["k%d" % len(self.table)] = 1
        return x * 2, self.table.keys(), self.table.items()

    def read_view(self, x):
        return x * 2, len(self.names), "a" in self.names

    def set_attribute(self, x):
        if x.sum() > 0:
            self.unit = Unit(self.unit + "m")
            self.unit.factor = 1000
        return x * getattr(self.unit, "factor", 1), len(self.unit)

def make():
    model = Model()
    model.forward = model.NAME
    return model
"""
NAMES = ("keep_view", "return_view", "read_view", "set_attribute")
CALLS = [lambda n=n: (torch.ones(2) * n,) for n in (1, -1, 2)]


@pytest.mark.parametrize("name", NAMES)
def test_kept(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, MODULE.replace("NAME", name)), CALLS, rounds=6)
