"""What a watched call may have done in the graph: computed, and written to no memory that was there before it."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from marked_graphs import Written
from torch.fx import Node

from graphmend.runtime.effects.purity_watch import only_computes

Calls = Callable[[Written, Node], Any]

CALLS: dict[str, tuple[Calls, bool]] = {
    "nothing": (lambda g, x: None, True),
    "a sum": (lambda g, x: g.call(torch.add, x, 1), True),
    "a write to its own memory": (lambda g, x: g.method("add_", g.call(torch.add, x, 1), 1), True),
    "a write to what was there": (lambda g, x: g.method("add_", x, 1), False),
    "a write through a view": (lambda g, x: g.method("add_", g.method("view", x, 9), 1), False),
    "both": (lambda g, x: (g.method("add_", g.call(torch.add, x, 1), 1), g.method("add_", x, 1)), False),
    "a draw": (lambda g, x: g.call(torch.rand_like, x), False),
    "a draw, then a sum": (lambda g, x: (g.call(torch.rand_like, x), g.call(torch.add, x, 1)), False),
    "what nobody knows": (lambda g, x: g.graph.call_module("layer", (x,)), False),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_was_done(name: str) -> None:
    build, expected = CALLS[name]
    graph = Written()
    x = graph.input("x", 3, 3)
    before = [*graph.graph.nodes]
    build(graph, x)
    nodes = [node for node in graph.graph.nodes if node not in before]
    assert only_computes(before, nodes) is expected
