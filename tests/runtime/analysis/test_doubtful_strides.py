"""Which results may lie in memory in another order than their fake tensors say, for layouts, operators and heirs."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from marked_graphs import Written
from torch.fx import Node

from graphmend.runtime.analysis.branch_proofs import operator_names
from graphmend.runtime.analysis.stride_facts import has_order, layout_of, nodes_with_doubtful_strides

PLAIN = torch.ones(2, 3, 4, 5)
LAYOUTS: dict[str, tuple[Any, str]] = {
    "contiguous": (PLAIN, "contiguous"),
    "turned": (PLAIN.transpose(1, 3), "other"),
    "every second": (PLAIN[:, :, ::2], "other"),
    "channels last": (PLAIN.to(memory_format=torch.channels_last), "channels last"),
    "a row": (torch.ones(6)[::2], "other"),
    "a number": (torch.ones(()), "contiguous"),
    "nothing in it": (torch.ones(0, 3).t(), "contiguous"),
    "spread": (torch.ones(1).expand(3, 3), "other"),
    "sparse": (torch.ones(3, 3).to_sparse(), "contiguous"),
    "no tensor": (3, "contiguous"),
    "a tuple": ((PLAIN.transpose(1, 3),), "contiguous"),
    "nothing": (None, "contiguous"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str) -> None:
    value, layout = LAYOUTS[name]
    assert layout_of(value) == layout


ORDERS: list[tuple[Any, bool]] = [
    *((torch.ones(2, 2), True), (torch.ones(2, 2).t(), True), (torch.ones(2), False), (torch.ones(()), False)),
    *((torch.ones(3, 3).to_sparse(), False), ((torch.ones(2),), True), ([], True), (None, True), (3, True)),
]


def test_what_has_several_orders() -> None:
    assert [has_order(value) for value, _ in ORDERS] == [expected for _, expected in ORDERS]


Graph = Callable[[Written, Node, Node, Node], Any]  # of what is contiguous, turned, and channels last
GRAPHS: dict[str, tuple[Graph, list[str]]] = {
    "contiguous": (lambda g, x, t, c: g.call(torch.xlogy, x, x), []),
    "turned": (lambda g, x, t, c: g.call(torch.xlogy, t, t), ["xlogy"]),
    "turned, in the second place": (lambda g, x, t, c: g.call(torch.xlogy, g.call(torch.ones_like, t), t), ["xlogy"]),
    "an operator that keeps the order": (lambda g, x, t, c: g.call(torch.add, t, 1), []),
    "channels last": (lambda g, x, t, c: g.call(torch.channel_shuffle, c, 2), ["channel_shuffle"]),
    "channels last, of the others": (lambda g, x, t, c: g.call(torch.xlogy, c, c), []),
    "turned, of channels": (lambda g, x, t, c: g.call(torch.channel_shuffle, g.call(torch.transpose, c, 2, 3), 2), []),
    "heirs": (
        lambda g, x, t, c: g.call(torch.add, x, g.call(torch.neg, g.call(torch.xlogy, t, t))),
        ["xlogy", "neg", "add"],
    ),
    "beside heirs": (lambda g, x, t, c: (g.call(torch.xlogy, t, t), g.call(torch.add, t, x)), ["xlogy"]),
    "a product ends it": (
        lambda g, x, t, c: g.call(torch.neg, g.call(torch.bmm, *(2 * [g.call(flat, g.call(torch.xlogy, t, t))]))),
        ["xlogy", "flat"],
    ),
    "a row ends it": (
        lambda g, x, t, c: g.call(torch.neg, g.call(rowed, g.call(torch.xlogy, t, t))),
        ["xlogy"],
    ),
    "a tuple goes on": (
        lambda g, x, t, c: g.call(first_of, g.method("max", g.call(torch.xlogy, t, t), 1)),
        ["xlogy", "max_1", "first_of"],
    ),
    "by one overload": (lambda g, x, t, c: g.call(torch.div, t, t, rounding_mode="floor"), ["div"]),
    "not by another": (lambda g, x, t, c: g.call(torch.div, t, t), []),
}


def flat(x: torch.Tensor) -> torch.Tensor:
    return x[0, :, :4, :2].transpose(1, 2)[:, :2, :2]


def rowed(x: torch.Tensor) -> torch.Tensor:
    return x[0, 0, 0]


def flat_row(x: torch.Tensor) -> torch.Tensor:
    return x[0]


def first_of(pair: Any) -> torch.Tensor:
    one: torch.Tensor = pair[0]
    return one


def names_of(node: Node) -> set[str]:
    """The functions of this file are views of what they get."""
    return set() if node.target in (flat, rowed, first_of) else operator_names(node)


def test_operators_are_asked_for_where_they_matter() -> None:
    """The operators behind a node take a second call: none is made where all arguments lie in order, or for a row."""
    graph, asked = Written(), []
    x = graph.input("x", 4, 4)
    graph.call(torch.xlogy, x, x)
    turned = graph.call(torch.transpose, x, 0, 1)
    row = graph.call(flat_row, turned)
    graph.call(torch.neg, row)
    sum_of_turned = graph.call(torch.add, turned, 1)
    nodes_with_doubtful_strides(graph.graph.nodes, lambda node: asked.append(node) or operator_names(node))
    assert asked == [sum_of_turned]


@pytest.mark.parametrize("name", GRAPHS)
def test_doubt(name: str) -> None:
    build, expected = GRAPHS[name]
    graph = Written()
    x = graph.input("x", 2, 4, 4, 4)
    turned = graph.call(torch.transpose, x, 1, 3)
    channels = graph.method("to", x, memory_format=torch.channels_last)
    build(graph, x, turned, channels)
    nodes = list(graph.graph.nodes)
    doubtful = nodes_with_doubtful_strides(nodes, names_of)
    assert [node.name for node in nodes if node in doubtful] == expected
