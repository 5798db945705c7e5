"""Buffers that a call writes to and that one side of a branch may keep for gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from harness import load

PROGRAM = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        {before}
        h = x * self.weight
        if h.sum() > 100:
            h = h * self.mean
        else:
            h = h + self.mean
        {behind}
        return h

def make():
    return Model()
"""
WRITES = {
    "before": ("self.mean.lerp_(x.detach(), 0.1)", "pass"),
    "behind": ("pass", "self.mean.mul_(0.9)"),
    "without gradients": ("with torch.no_grad(): self.mean.mul_(0.9).add_(0.1)", "pass"),
}


def losses(model: Any, function: Any) -> list[Any]:
    """Training with two forward passes for each backward pass."""
    optimizer, found = torch.optim.SGD(model.parameters(), lr=0.1), []
    for number in range(4):
        loss = (function(torch.ones(3) * number) - function(torch.ones(3))).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append((loss.item(), model.weight.tolist(), model.mean.tolist()))
    return found


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", WRITES)
def test_two_forward_passes_may_share_a_backward_pass(tmp_path: Path, name: str, backend: str) -> None:
    before, behind = WRITES[name]
    text = PROGRAM.format(before=before, behind=behind)
    names: dict[str, Any] = {}
    exec(text, names)
    torch._dynamo.reset()
    plain, mended = names["make"](), load(tmp_path, text)()
    assert losses(mended, torch.compile(mended, backend=backend)) == losses(plain, plain)
