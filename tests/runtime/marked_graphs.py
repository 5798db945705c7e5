"""Graphs with marked branches, written node by node, for tests that ask a proof about a graph and nothing else."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.symbolic_shapes import ShapeEnv, compute_unbacked_bindings

from graphmend.runtime.analysis.branch_proofs import Order
from graphmend.runtime.analysis.marker_regions import Marks, Region, read_markers
from graphmend.runtime.base import marker_ops

Side = Callable[[], Any]


def value_of(node: Any) -> Any:
    return node.meta.get("example_value") if isinstance(node, Node) else node


class Written:
    """A graph whose nodes have the fake tensors that a trace would have given them, and symbols for numbers in data."""

    def __init__(self) -> None:
        self.shapes = ShapeEnv()
        self.graph, self.mode = Graph(), FakeTensorMode(shape_env=self.shapes)
        self.sites = 0

    def keep(self, node: Node, value: Any) -> Node:
        node.meta["example_value"] = value
        bindings = compute_unbacked_bindings(self.shapes, value)
        if bindings:
            node.meta["unbacked_bindings"] = bindings
        return node

    def input(self, name: str, *shape: int, grad: bool = False, dtype: torch.dtype = torch.float32) -> Node:
        real = torch.ones(*(shape or (3,)), dtype=dtype, requires_grad=grad)
        return self.keep(self.graph.placeholder(name), self.mode.from_tensor(real, static_shapes=True))

    def call(self, function: Any, *args: Any, **options: Any) -> Node:
        node = self.graph.call_function(function, args, options)
        given = torch.fx.map_arg((args, options), value_of)
        with self.mode:
            return self.keep(node, function(*given[0], **given[1]))

    def method(self, name: str, first: Node, *args: Any, **options: Any) -> Node:
        node = self.graph.call_method(name, (first, *args), options)
        given = torch.fx.map_arg((args, options), value_of)
        with self.mode:
            return self.keep(node, getattr(value_of(first), name)(*given[0], **given[1]))

    def branch(self, test: Node, first: Side, second: Side) -> list[Node]:
        """A branch that chooses between what both sides give."""
        self.sites += 1
        key = marker_ops.key_of(f"m.py:{self.sites}:0:GM101", 0)
        self.graph.call_function(marker_ops.enter, (key, test))
        given = [as_tuple(first())]
        self.graph.call_function(marker_ops.otherwise, (key,))
        given.append(as_tuple(second()))
        self.graph.call_function(marker_ops.leave, (key,))
        chosen = []
        for one, other in zip(*given):
            self.graph.call_function(marker_ops.pair, (key, one, other))
            chosen.append(self.call(torch.where, test, one, other))
        self.graph.call_function(marker_ops.done, (key,))
        return chosen

    def end(self, *results: Node) -> GraphModule:
        self.graph.output(tuple(results))
        return GraphModule(
            {str(node.target): torch.ones(3) for node in self.graph.find_nodes(op="get_attr")}, self.graph
        )

    def read(self, *results: Node) -> tuple[GraphModule, Marks, Order]:
        """The graph with these results, its marks, and its order with what its branches choose."""
        module = self.end(*results)
        marks, order = read_markers(module), Order(module)
        order.note_selects(marks.regions)
        return module, marks, order


def as_tuple(given: Any) -> tuple[Node, ...]:
    return given if isinstance(given, tuple) else (given,)


def nodes_of(regions: list[Region]) -> list[Node]:
    """The nodes of all sides."""
    return [node for region in regions for nodes in region.sides for node in nodes]
