"""Members of integer enumerations as indices of lists, tensors and modules."""

from __future__ import annotations

import enum
from typing import Any

import torch
from harness import CountingBackend


class Split(enum.IntEnum):
    TRAIN = 0
    TEST = 1


class Norms(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norms = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.LayerNorm(3)])
        self.names = ["a", "b"]

    def forward(self, x: torch.Tensor, split: Split) -> Any:
        return self.norms[split](x) * x[0, split], self.names[split]


def test_a_graph_for_each_member() -> None:
    torch._dynamo.reset()
    counting, net, x = CountingBackend(), Norms(), torch.randn(2, 3)
    compiled = torch.compile(net, backend=counting)
    for split in (Split.TRAIN, Split.TEST, Split.TRAIN, Split.TEST):
        expected, computed = net(x, split), compiled(x, split)
        assert torch.equal(computed[0], expected[0])
        assert computed[1] == expected[1]
    assert len(counting.graphs) == 2
