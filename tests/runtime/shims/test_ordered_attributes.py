"""Attributes of an `OrderedDict` that the call makes: `state_dict`, and functions of the program."""

from __future__ import annotations

import collections
from typing import Any

import torch
from harness import CountingBackend


class Averaged(torch.nn.Module):
    """A module with a copy that follows."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.copy = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> Any:
        weights = self.layer.state_dict()
        with torch.no_grad():
            for name, value in self.copy.state_dict().items():
                value.mul_(0.5).add_(weights[name], alpha=0.5)
        return self.copy(x), list(weights), weights


def marked(x: torch.Tensor) -> Any:
    table = collections.OrderedDict(a=x)
    table.mark = 3
    return table, table.mark, hasattr(table, "mark"), hasattr(table, "other"), x + 1


def test_the_state_of_a_module() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    plain, mended = Averaged(), Averaged()
    mended.load_state_dict(plain.state_dict())
    counting = CountingBackend()
    compiled = torch.compile(mended, backend=counting)
    for _ in range(3):
        x = torch.randn(2, 4)
        expected, computed = plain(x), compiled(x)
        torch.testing.assert_close(computed[0], expected[0])
        assert computed[1] == expected[1]
        assert type(computed[2]) is collections.OrderedDict
        assert computed[2]._metadata == expected[2]._metadata
    torch.testing.assert_close(mended.copy.weight, plain.copy.weight)
    assert len(counting.graphs) == 1


def test_an_attribute_that_the_program_sets() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(marked, backend="eager")
    table, *others, result = compiled(torch.ones(2))
    assert type(table) is collections.OrderedDict and list(table) == ["a"] and table.mark == 3
    assert others == [3, True, False]
    assert torch.equal(result, torch.full((2,), 2.0))
