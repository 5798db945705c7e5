"""Tensors whose shape an operator changes in place, on one side of a branch."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

MODULE = """
import torch

class Box:
    tensor = None

def make():
    def f(x):
        y = x.clone()[None]
{body}
    return f
"""
BODIES = {
    "size": """
        if x.sum() > 0:
            y.squeeze_(0)
        return y / y.shape[0], y.dim(), y.numel()""",
    "stride": """
        if x.sum() > 0:
            y.t_()
        return y.stride(), len(y), [row.sum() for row in y]""",
    "other name": """
        z = y
        if x.sum() > 0:
            z.transpose_(0, 1)
        return y[0], torch.zeros(y.shape)""",
    "result": """
        if x.sum() > 0:
            w = y.unsqueeze_(0)
            w.swapaxes_(0, 2)
        return y.shape""",
    "container": """
        d = {"a": [y]}
        if x.sum() > 0:
            d["a"][0].unsqueeze_(0)
        return y.size(0), d["a"][0].ndim""",
    "object": """
        b = Box()
        b.tensor = y
        if x.sum() > 0:
            b.tensor.swapdims_(0, 1)
        return y.shape""",
    "frame": """
        def turn(t):
            t.t_()
        if x.sum() > 0:
            turn(y)
        return y.shape, y * y.size(0)""",
}
TWICE = """
        y = x.clone()
        if x.sum() > 0:
            y.unsqueeze_(0)
            y.squeeze_(0)
        return y.shape, y * y.size(-1)"""
CALLS = [lambda n=n: (torch.ones(3) * n,) for n in (1.0, -1.0, 2.0)]


@pytest.mark.parametrize("name", BODIES)
def test_shape_behind_the_branch(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, MODULE.replace("{body}", BODIES[name])), CALLS, grad=False, rounds=3)


def test_open_sizes(tmp_path: Path) -> None:
    calls = [lambda size=size: (torch.ones(size),) for size in ((2, 3), (3, 2), (3, 4))]
    compare(load(tmp_path, MODULE.replace("{body}", TWICE)), calls, grad=False, rounds=6)
