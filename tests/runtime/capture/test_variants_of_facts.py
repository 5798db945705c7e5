"""Calls of many sizes whose graphs rest on what data decide: each finds its own graph again."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend, differences, observe

import graphmend.runtime as runtime
from graphmend.runtime.driver import variants

INPUTS = {
    "counts": [[0, 1, 1, 1], [2, 2, 2, 2], [2, 1, 0, 2, 1]],
    "sizes": [[1, 1], [1, 2, 3], [4, 4, 4, 4, 4], [1, 1, 2, 2]],
}


def weights(n: torch.Tensor) -> Any:
    values, counts = torch.unique(n, return_counts=True)
    out = torch.zeros(5)
    for value, count in zip(values, counts):
        out[value] = len(n) / (len(values) * count)
    return out


def loops(n: torch.Tensor) -> Any:
    out = n * 1.0
    for _ in range(int(n.max())):
        out = out.sin()
    return out


def folds(n: torch.Tensor) -> Any:
    """A decision that a graph with numbers as constants does not ask."""
    where = torch.argwhere(n > 1)
    if where.shape[0] == 0:
        return n.sum() * 2.0
    first, last = where.min(0).values.tolist()[0], where.max(0).values.tolist()[0] + 1
    return (n[first:last] * 1.0).mean()


@pytest.mark.parametrize("program", [weights, loops, folds])
@pytest.mark.parametrize("kind", INPUTS)
def test_no_graph_is_made_twice(program: Callable[..., Any], kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "UNPROVED", variants.MAX_PATHS)  # all sets of numbers get graphs at once
    calls = [lambda row=row: (torch.tensor(row),) for row in INPUTS[kind]]
    torch._dynamo.reset()
    runtime.registry.reset()
    backend = CountingBackend()
    compiled = torch.compile(program, backend=backend)
    expected = observe(program, program, calls)
    assert not differences(expected, observe(program, compiled, calls))
    made = len(backend.graphs)
    for _ in range(2):
        assert not differences(expected, observe(program, compiled, calls))
    assert len(backend.graphs) == made <= len(calls)


def test_decisions_and_numbers_in_turns() -> None:
    def f(n: torch.Tensor) -> Any:
        where = torch.argwhere(n > 1)
        if where.shape[0] == 0:
            return n.sum() * 2.0
        low, high = where.min(0).values.tolist(), where.max(0).values.tolist()
        return (n[low[0] : high[0] + 1, low[1] : high[1] + 1] * 1.0).mean()

    calls = [lambda n=n: (n.clone(),) for n in (torch.eye(4) * 2, torch.zeros(4, 4), torch.ones(4, 4) * 2)]
    torch._dynamo.reset()
    backend = CountingBackend()
    compiled = torch.compile(f, backend=backend)
    expected = observe(f, f, calls * 2)
    assert not differences(expected, observe(f, compiled, calls * 2))
    assert len(backend.graphs) == 2
