"""Gradients that no path leads to: None, where one backward graph for all results would give zeros.

A graph that takes the place of several has one backward graph. It takes the results that nobody differentiates for
results with a gradient of zero, and gives zeros to the inputs that only those depend on. Eager Python gives them
nothing, and an optimizer tells the difference.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import tensor_of

EMPTY: frozenset = frozenset()


class Reach:
    """Which inputs the differentiable outputs of a graph lead to, both by position."""

    def __init__(self, outputs: dict[int, frozenset]) -> None:
        self.outputs = outputs
        self.places: Optional[list[Optional[int]]] = None  # the input behind every edge of the backward graph

    def watch(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        """Leave out of the backward graph of these outputs what eager Python leaves out."""
        leads: dict[int, frozenset] = {}
        backward: Any = None
        for position, reached in self.outputs.items():
            value = outputs[position]
            if not isinstance(value, torch.Tensor) or value.grad_fn is None:
                continue
            if not type(value.grad_fn).__name__.startswith("CompiledFunction"):
                continue
            if backward not in (None, value.grad_fn):
                return
            backward = value.grad_fn
            leads[value.output_nr] = leads.get(value.output_nr, EMPTY) | reached
        if backward is None or len(set(leads.values())) < 2:
            return
        edges = backward.next_functions
        if self.places is None or len(self.places) != len(edges):
            self.places = places_of(edges, inputs)
        if not EMPTY.union(*leads.values()) <= set(self.places):
            return
        backward.register_hook(leaving_out(leads, self.places))


def places_of(edges: Sequence[tuple], inputs: Sequence[Any]) -> list[Optional[int]]:
    """For every edge of a backward graph the input that it leads to."""
    known: dict[Any, int] = {}
    for place, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.requires_grad:
            known[id(value) if value.grad_fn is None else (value.grad_fn, value.output_nr)] = place
    found = []
    for function, number in edges:
        leaf = getattr(function, "variable", None)
        found.append(known.get((function, number) if leaf is None else id(leaf)))
    return found


def leaving_out(leads: dict[int, frozenset], places: list[Optional[int]]) -> Callable[..., Any]:
    """A hook that takes back the gradients of inputs to which no differentiated result leads."""

    def hook(gradients: tuple, given: tuple) -> Optional[tuple]:
        differentiated = [number for number, gradient in enumerate(given) if gradient is not None]
        if any(number not in leads for number in differentiated):
            return None
        reached = EMPTY.union(*(leads[number] for number in differentiated))
        return tuple(
            gradient if place is None or place in reached else None for gradient, place in zip(gradients, places)
        )

    return hook


def reach_of(module: GraphModule) -> Optional[Reach]:
    """Which inputs the outputs of a marked graph lead to; None if all that are differentiable lead to the same."""
    table: dict[Any, frozenset] = {}

    def read(node: Node) -> frozenset:
        return table.get(node, EMPTY).union(*(table.get(storage, EMPTY) for storage in branch_proofs.storages_of(node)))

    place = -1
    for node in module.graph.nodes:
        place += node.op == "placeholder"
        if node.op == "placeholder":
            table[node] = frozenset([place]) if branch_proofs.requires_grad(node) else EMPTY
            continue
        behind = EMPTY.union(*map(read, node.all_input_nodes))
        for storage in node_facts.writes_of(node):
            table[storage] = table.get(storage, EMPTY) | behind
        value = tensor_of(node)
        values = value if isinstance(value, (tuple, list)) else (value,)
        if any(isinstance(item, torch.Tensor) and item.requires_grad for item in values):
            table[node] = behind
    outputs = {
        position: read(node)
        for position, node in enumerate(module.graph.output_node().args[0])
        if isinstance(node, Node) and branch_proofs.requires_grad(node)
    }
    return Reach(outputs) if len(set(outputs.values())) > 1 else None


def with_reach(compiled: Callable[..., Any], reach: Reach) -> Callable[..., Any]:
    """A compiled graph whose backward graph leaves out what eager Python leaves out."""

    def run(*inputs: Any) -> Any:
        outputs = compiled(*inputs)
        reach.watch(outputs, inputs)
        return outputs

    return run
