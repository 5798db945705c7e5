"""The names that a custom operator in Python may use: each in a function of its own, with what decides about it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from graphmend.runtime.analysis.custom_op_purity import reaches_out

GLOBALS: dict[str, Any] = {"torch": torch, "SCALE": 2, "KIND": torch.float32, "TABLE": torch.ones(3), "SEEN": []}

# The body of a function of a tensor `x` and an argument `ctx`, and whether it may touch more than these.
BODIES = {
    "return x.shape, x.dtype, x.device": False,
    "return x.relu() + x.sum()": False,
    "return x.unknown_to_torch": True,
    "return x.tolist()": False,
    "return x.data_ptr()": True,
    "return torch.relu(x)": False,
    "return x.to(torch.float32)": False,
    "return torch.channels_last, torch.strided": False,
    "return torch.save": True,
    "return torch.unknown": True,
    "return torch": True,
    "return torch.nn": True,
    "return _gm.on('m.py:1:0:GM401')": False,
    "return _gm.taken('m.py:1:0:GM105', x)": False,
    "return _gm.check('m.py:1:0:GM401', x)": True,
    "return _gm.defer('m.py:1:0:GM301', x, ())": True,
    "return _gm": True,
    "return x * SCALE": False,
    "return x.to(KIND)": False,
    "return x + TABLE": True,
    "return SEEN": True,
    "return len(x), range(3), max(1, 2)": False,
    "raise ValueError('empty')": False,
    "return print(x)": True,
    "return open('a')": True,
    "return unknown": True,
    "x.attribute = 1": True,
    "ctx.attribute = 1": False,
    "return ctx.save_for_backward(x)": False,
    "return x.save_for_backward(x)": True,
    "import os": True,
    "global SCALE\nSCALE = 1": True,
    "return lambda: x": True,
}


def code_of(body: str) -> Any:
    space: dict[str, Any] = {}
    exec("def f(x, ctx):\n" + "".join(f"    {line}\n" for line in body.splitlines()), space)
    return space["f"].__code__


@pytest.mark.parametrize("body", BODIES)
def test_names(body: str) -> None:
    assert reaches_out(code_of(body), GLOBALS, "ctx") is BODIES[body]


@pytest.mark.parametrize("body", ["ctx.attribute = 1", "return ctx.save_for_backward(x)"])
def test_without_a_context(body: str) -> None:
    assert reaches_out(code_of(body), GLOBALS, None)
