"""Training steps in which masks choose elements: the backward pass counts the chosen elements again."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from harness import CountingBackend


class Masked(torch.nn.Module):
    """A layer whose output is overwritten under a mask, with a loss on the other rows."""

    def __init__(self) -> None:
        super().__init__()
        self.filler = torch.nn.Parameter(torch.ones(4))
        self.layer = torch.nn.Linear(4, 4)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.1)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        hidden = self.layer(x)
        hidden[mask] = self.filler
        loss = hidden.sin()[~mask].pow(2).sum() + hidden.sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_steps_are_those_of_eager(backend: str) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    plain = Masked()
    mended, counting = copy.deepcopy(plain), CountingBackend(backend)
    compiled = torch.compile(mended, backend=counting)
    for number in range(5):
        x, mask = torch.randn(5, 4), torch.arange(5) < number
        assert torch.allclose(plain(x, mask), compiled(x, mask))
        for left, right in zip(plain.parameters(), mended.parameters()):
            assert torch.allclose(left, right, atol=1e-6)
    assert 1 <= len(counting.graphs) <= 3
