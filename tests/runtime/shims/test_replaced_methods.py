"""Methods that a program replaces in a class between calls: each call runs its own."""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch
from harness import CountingBackend


class Block(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Scaler:
    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Derived(Scaler):
    pass


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(3))
        self.scaler = Derived()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.scaler.scale(x)


def quick(self: Any, x: torch.Tensor) -> torch.Tensor:
    return x * 10


def test_each_call_runs_its_own() -> None:
    torch._dynamo.reset()
    counting, net, x = CountingBackend(), Net(), torch.ones(2)
    compiled = torch.compile(net, backend=counting)

    def check() -> None:
        for _ in range(2):
            assert torch.equal(compiled(x), net(x))

    check()
    with mock.patch.object(Block, "forward", quick):
        check()
    check()
    with mock.patch.object(Scaler, "scale", lambda self, x: x - 1):
        check()
    check()
    with mock.patch.object(Derived, "scale", quick, create=True):
        check()
    check()
    assert len(counting.graphs) == 4
