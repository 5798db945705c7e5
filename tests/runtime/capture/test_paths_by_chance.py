"""Paths that random numbers lead to: where there are many, one gets a graph when it is met for the sixth time."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend


class Dropped(torch.nn.Module):
    """Layers of which each is left out at random."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            if torch.rand([]) < 0.5:
                continue
            x = layer(x).tanh()
        return x


def path_of(seed: int, count: int) -> tuple[bool, ...]:
    """Which layers are left out."""
    torch.manual_seed(seed)
    return tuple(bool(torch.rand([]) < 0.5) for _ in range(count))


def seeds_of(count: int) -> tuple[int, int]:
    """Two seeds that leave other layers out, not all of them."""
    seeds = [seed for seed in range(50) if not all(path_of(seed, count))]
    return seeds[0], next(seed for seed in seeds if path_of(seed, count) != path_of(seeds[0], count))


def outcome(function: Any, module: torch.nn.Module, seed: int) -> list[Any]:
    """The result of a call, the gradients, and the next random number."""
    module.zero_grad(set_to_none=True)
    torch.manual_seed(seed)
    result = function(torch.ones(2, 3))
    result.sum().backward()
    gradients = [parameter.grad for parameter in module.parameters()]
    return [result, torch.rand(1), *gradients]


@pytest.mark.parametrize("count", [4, 2])
def test_a_path_met_often_gets_a_graph(count: int) -> None:
    torch.manual_seed(7)
    module, backend = Dropped(count), CountingBackend()
    compiled = torch.compile(module, backend=backend)
    first, other = seeds_of(count)
    graphs = []
    for seed in (first, *[other] * 6, first, other):
        eager, found = outcome(module, module, seed), outcome(compiled, module, seed)
        for a, b in zip(eager, found):
            assert (a is None and b is None) or torch.equal(a, b)
        graphs.append(len(backend.graphs))
    assert graphs == [1, 1, 1, 1, 1, 1, 2, 2, 2]


def test_a_lone_decision_by_chance_has_both_graphs_at_once() -> None:
    @torch.compile(backend=(backend := CountingBackend()))
    def f(x: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.dropout(x, 0.5) if torch.rand([]) < 0.5 else x * 2
        return y + 1

    first, other = (next(seed for seed in range(50) if path_of(seed, 1) == (side,)) for side in (False, True))
    graphs = []
    for seed in (first, other, first, other):
        torch.manual_seed(seed)
        f(torch.ones(4))
        graphs.append(len(backend.graphs))
    assert graphs == [1, 2, 2, 2]


@pytest.mark.parametrize("seed", [seed for seed in range(20) if len(set(path_of(seed, 5))) == 2][:4])
def test_each_draw_of_the_first_call_is_foretold(seed: int) -> None:
    """The shadow run draws what the graph will draw: the first graph is that of the call, and none is thrown away."""
    torch._dynamo.reset()
    torch.manual_seed(7)
    module, backend = Dropped(5), CountingBackend()
    eager, found = outcome(module, module, seed), outcome(torch.compile(module, backend=backend), module, seed)
    for a, b in zip(eager, found):
        assert (a is None and b is None) or torch.equal(a, b)
    drawn = 5 - sum(path_of(seed, 5))
    assert len(backend.graphs) == 1 and backend.targets().count("linear") == drawn
