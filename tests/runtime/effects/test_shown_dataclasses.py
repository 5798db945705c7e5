"""Prints of dataclass instances, which may change before the call ends."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

START = """
import dataclasses
import torch
from dataclasses import dataclass

@dataclass
class Metrics:
    loss: float
    hits: int = 0
    hidden: object = dataclasses.field(default=None, repr=False)
    name: str = "train"

@dataclass(frozen=True)
class Fixed:
    loss: float
    peak: torch.Tensor = None

@dataclass
class Named(Metrics):
    def __repr__(self):
        return f"{self.name} {self.loss:.2f}"

@dataclass
class Computed:
    loss: float
    def __getattribute__(self, name):
        return "?" if name == "loss" else object.__getattribute__(self, name)
"""

WHOLE = {
    "numbers from the data": """
def f(x):
    metrics = Metrics(round(x.mean().item(), 3), int((x > 0).sum()), x)
    print(metrics)
    print("again", [metrics], (1, metrics), sep="|")
    return x * 2
""",
    "one that changes": """
def f(x):
    metrics = Metrics(x.mean().item())
    print(metrics)
    metrics.loss = metrics.loss * 2
    metrics.hits += 1
    print(metrics)
    return x * 2
""",
    "a tensor that changes": """
def f(x):
    y = x * 2
    fixed = Fixed(1.5, y.detach().max())
    print(fixed)
    fixed.peak.zero_()
    print(fixed)
    return y
""",
    "one from before the call": """
KEPT = Metrics(0.5)
def f(x):
    print(KEPT)
    KEPT.hits = 3
    print(KEPT)
    KEPT.hits = 0
    return x * 2
""",
}

LEFT = {
    "attributes that are computed": """
def f(x):
    print(Computed(x.mean().item()))
    return x * 2
""",
    "an instance within": """
def f(x):
    inner = Metrics(x.mean().item())
    print(Metrics(1.0, 2, None, inner))
    return x * 2
""",
}

CALLS = [lambda: (torch.rand(3),), lambda: (-torch.rand(3),)]


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + WHOLE[name]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


@pytest.mark.parametrize("name", LEFT)
def test_left(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + LEFT[name]), CALLS)
    assert not outcome.mended("GM301")
