"""Records that a trace follows and does not defer: calls of methods that may do anything, and new attributes."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pytest
import torch
from harness import CountingBackend, load

NEW_NAMES = """
import types
import torch

def f(space, x):
    space.loss = x.sum().item()
    {between}
    space.mean = x.mean().item()
    return x * 2

def make():
    return f
"""


@pytest.mark.parametrize("between, deferred", [("space.step = 5", False), ("pass", True)])
def test_new_attributes_keep_their_order(tmp_path: Path, between: str, deferred: bool) -> None:
    text = NEW_NAMES.format(between=between)
    names: dict[str, Any] = {}
    exec(text, names)
    torch._dynamo.reset()
    backend = CountingBackend()
    compiled = torch.compile(load(tmp_path, text)(), backend=backend)
    for number in range(4):
        plain, mended = types.SimpleNamespace(), types.SimpleNamespace()
        for _ in range(2):
            names["f"](plain, torch.ones(2) * number)
            compiled(mended, torch.ones(2) * number)
            assert list(vars(mended).items()) == list(vars(plain).items())
    assert not deferred or len(backend.graphs) <= 2


STEPS = """
import torch

class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        self.optimizer.step()

    def zero_grad(self):
        self.optimizer.zero_grad()

def make():
    net = torch.nn.Linear(3, 1)
    wrapper = Wrapper(torch.optim.SGD(net.parameters(), lr=0.1))

    def f(x):
        net.train()
        wrapper.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        if loss > 0.5:
            loss = loss * 2
        wrapper.step()
        net.eval()
        return loss.detach()

    return f
"""


def test_calls_of_unknown_methods_cost_no_trace(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(STEPS, names)
    torch.manual_seed(0)
    plain = names["make"]()
    torch.manual_seed(0)
    mended = load(tmp_path, STEPS)()
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(mended, backend="eager")
    for number in range(5):
        x = torch.ones(4, 3) * number
        assert compiled(x) == plain(x)
    frames = torch._dynamo.utils.counters["frames"]
    assert frames["total"] == frames["ok"]
