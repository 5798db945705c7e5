"""Backends that are functions of the user: some compile, some run the graph, and only a call shows which."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import graphmend.runtime as runtime


def average(x: torch.Tensor) -> torch.Tensor:
    scale = x.abs().max().item() / 127
    return (x / scale).round() * (0.9 * scale + 0.1 * x.detach().mean().item())


def compiling() -> Any:
    """A new function that compiles with AOTAutograd."""
    lookup = torch._dynamo.lookup_backend("aot_eager")
    return lambda module, inputs: lookup(module, inputs)


def running() -> Any:
    """A new function that runs the graph."""
    return lambda module, inputs: module


@pytest.mark.parametrize("make, graphs", [(compiling, 2), (running, 1)])
@pytest.mark.parametrize("grad", [True, False])
def test_one_graph_for_all_numbers(make: Any, graphs: int, grad: bool) -> None:
    """A backend that compiles is called twice: the first graph, with formulas of numbers, is refused."""
    calls: list[torch.fx.GraphModule] = []
    inner = make()

    def backend(module: torch.fx.GraphModule, inputs: Any) -> Any:
        calls.append(module)
        return inner(module, inputs)

    torch._dynamo.reset()
    compiled = torch.compile(average, backend=backend)
    for seed in range(6):
        x = torch.randn(5, generator=torch.Generator().manual_seed(seed))
        ours, plain = (x.clone().requires_grad_(grad) for _ in range(2))
        result, expected = compiled(ours), average(plain)
        assert torch.equal(result, expected)
        if grad:
            (found,), (wanted,) = (torch.autograd.grad(y.sum(), v) for y, v in ((result, ours), (expected, plain)))
            assert torch.equal(found, wanted)
    (record,) = runtime.report()["callables"][-1:]
    assert (record["mode"], len(calls)) == ("whole", graphs), record["reason"]
    torch._dynamo.reset()
    torch.compile(lambda x: x * (x.sum().item() / 3), backend=backend)(torch.ones(3))
    assert len(calls) == graphs + 1  # by now the backend is known
