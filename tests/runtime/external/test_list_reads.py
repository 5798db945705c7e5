"""Numbers in lists that calls append to: one graph reads the last items, the greatest, the least and the sum."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []
        self.count = 0

    def forward(self, x):
        v, r = x.mean().item(), 0
        {body}
        return x * r, r

make = Model
"""
ONE_GRAPH = {
    "last": """
        if self.losses and v > self.losses[-1] + 0.1:
            print("worse", v, self.losses[-1])
        self.losses.append(v)""",
    "extremes": "self.losses.append(v); r = max(self.losses) - min(self.losses)",
    "mean": "self.losses.append(v); r = sum(self.losses) / len(self.losses)",
    "default": "r = max(self.losses, default=0.0); self.losses.append(v)",
    "window": "self.losses.append(v); r = sum(self.losses[-3:]) / len(self.losses[-3:])",
    "three": """
        self.losses.append(v)
        if len(self.losses) > 2 and self.losses[-1] > self.losses[-2] > self.losses[-3]:
            print("up")""",
    "integers": "self.losses.append(int(x.sum())); r = sum(self.losses) + max(self.losses)",
    "two": "self.losses += [v, v * 2]; r = self.losses[-1] + self.losses[-2]",
}
ANY = {
    "other kinds": """
        self.losses.append((v, len(self.losses)))
        r = self.losses[-1][0]
        if len(self.losses) > 1:
            r += self.losses[-2][0]""",
    "tensors": """
        self.losses.append(x.detach().mean())
        r = self.losses[-1] if len(self.losses) < 2 else self.losses[-2]""",
    "truth values": "self.losses.append(v > 0); r = sum(self.losses) + self.losses.count(True)",
    "mixed": "self.losses.append(v if len(self.losses) % 2 else 1); r = sum(self.losses) + max(self.losses)",
    "product": "self.losses.append(v); r = len(self.losses * 2) + len(2 * self.losses) + next(reversed(self.losses))",
    "sorted": "self.losses.append(v); r = sorted(self.losses)[len(self.losses) // 2]",
    "removed": """
        r = sum(self.losses[-2:])
        self.losses.append(v)
        if len(self.losses) > 4:
            self.losses.pop(0)""",
    "patience": """
        self.losses.append(v)
        if len(self.losses) >= 3 and min(self.losses[-2:]) >= min(self.losses[:-2]):
            self.count += 1
        r = self.count""",
    "cleared": """
        if len(self.losses) > 3 and self.losses[-1] > self.losses[-3]:
            self.losses.clear()
        self.losses.append(v)
        r = self.losses[-1] + max(self.losses)""",
    "replaced": """
        self.losses.append(v)
        r = self.losses[-1] + max(self.losses)
        if len(self.losses) > 2:
            self.losses = [r]""",
    "in a side": """
        self.losses.append(v)
        if v > 0:
            x = x * self.losses[-1] + max(self.losses)
        r = 1""",
}
CALLS = [lambda n=n: (torch.full((3, 4), n) + torch.arange(4) / 10,) for n in (0.5, -1.0, 0.1, -0.2, -0.4, 0.7, 0.3)]


@pytest.mark.parametrize("name", ONE_GRAPH)
def test_every_length(tmp_path: Path, name: str) -> None:
    outcome = compare(load(tmp_path, MODULE.format(body=ONE_GRAPH[name].strip())), CALLS, grad=False, rounds=14)
    assert outcome.graphs <= 4  # the first calls have fewer items than the program asks for


@pytest.mark.parametrize("name", ANY)
def test_equal(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, MODULE.format(body=ANY[name].strip())), CALLS, grad=False, rounds=14)


@pytest.mark.parametrize("name", ["last", "mean", "window"])
def test_compiled(tmp_path: Path, name: str) -> None:
    module = MODULE.format(body=ONE_GRAPH[name].strip())
    compare(load(tmp_path, module), CALLS, grad=False, rounds=10, backend="aot_eager")
