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
    "size": "\n        if x.sum() > 0:\n            y.squeeze_(0)\n        return y / y.shape[0], y.dim(), y.numel()",
    "stride": "\n        if x.sum() > 0:\n            y.t_()\n        return y.stride(), len(y), [row.sum() for row in y]",
    "other name": "z = y\n        if x.sum() > 0:\n            z.transpose_(0, 1)\n        return y[0], torch.zeros(y.shape)",
    "result": "\n        if x.sum() > 0:\n            w = y.unsqueeze_(0)\n            w.swapaxes_(0, 2)\n        return y.shape",
    "container": "d = {'a': [y]}\n        if x.sum() > 0:\n            d['a'][0].unsqueeze_(0)\n        return y.size(0), d['a'][0].ndim",
    "object": "b = Box()\n        b.tensor = y\n        if x.sum() > 0:\n            b.tensor.swapdims_(0, 1)\n        return y.shape",
    "frame": "\n        def turn(t):\n            t.t_()\n        if x.sum() > 0:\n            turn(y)\n        return y.shape, y * y.size(0)",
}
TWICE = "y = x.clone()\n        if x.sum() > 0:\n            y.unsqueeze_(0)\n            y.squeeze_(0)\n        return y.shape, y * y.size(-1)"
CALLS = [lambda n=n: (torch.ones(3) * n,) for n in (1.0, -1.0, 2.0)]


@pytest.mark.parametrize("name", BODIES)
def test_shape_behind_the_branch(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, MODULE.format(body=BODIES[name].strip())), CALLS, grad=False, rounds=3)


def test_open_sizes(tmp_path: Path) -> None:
    calls = [lambda size=size: (torch.ones(size),) for size in ((2, 3), (3, 2), (3, 4))]
    compare(load(tmp_path, MODULE.format(body=TWICE)), calls, grad=False, rounds=6)
