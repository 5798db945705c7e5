"""Writes in one side of a branch: gradients that only this side brings, and memory to which no operator can write."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

GRADIENT = """
import torch

W = torch.ones(3, requires_grad=True)

def make():
    def f(x):
        y = {made}
        if x.sum() > 0:
            {then}
        else:
            {orelse}
        if y.requires_grad:
            return y.detach() * 100, y * 2
        return y.detach(), y * 2
    return f
"""
BODIES = {
    "multiplied": ("x.clone()", "y.mul_(W)", "pass"),
    "item": ("x.clone()", "y[0] = W[0]", "y.add_(1)"),
    "other side": ("x.clone()", "y.mul_(2)", "y.add_(W)"),
    "both sides": ("x.clone()", "y.mul_(W)", "y.add_(W)"),
    "before": ("x * W", "y.mul_(W)", "pass"),
}
OVERLAP = """
import torch

def make():
    def f(buffer, x):
        if x.sum() > 0:
            {write}
        return x * 2
    return f
"""
CALLS = [lambda n=n: (torch.ones(3) * n,) for n in (1.0, -1.0, 2.0)]


@pytest.mark.parametrize("name", BODIES)
def test_gradient_of_one_side(tmp_path: Path, name: str) -> None:
    made, then, orelse = BODIES[name]
    compare(load(tmp_path, GRADIENT.format(made=made, then=then, orelse=orelse)), CALLS, grad=False, rounds=3)


@pytest.mark.parametrize("write", ["buffer.add_(1)", "buffer[0] = 5", "torch.add(x, 1, out=buffer)"])
def test_overlapping_input(tmp_path: Path, write: str) -> None:
    calls = [lambda n=n: (torch.ones(1).expand(3), torch.ones(3) * n) for n in (1.0, -1.0, 1.0, -1.0)]
    compare(load(tmp_path, OVERLAP.format(write=write)), calls, grad=False, rounds=4)
