"""Unused gradients: None in eager Python, zeros from one backward graph for all results.

    a, b = compiled(x, y)                 # `a` depends on `x`, `b` on `y`
    a.sum().backward()                    # y.grad is None in eager Python
    optimizer.step()                      # with zeros in y.grad, momentum and weight decay would move `y`

A graph that replaces several graphs has one backward graph. A result that is not differentiated counts there as a
result with a gradient of zero, and inputs behind such results alone get zeros. `Reach` knows the inputs behind each
output, and a hook on the backward graph removes the zeros.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import outputs_of

EMPTY: frozenset[int] = frozenset()
Gradients = tuple[Optional[torch.Tensor], ...]


class Reach:
    """The inputs behind each differentiable output of a graph, both by position."""

    def __init__(self, outputs: dict[int, frozenset[int]]) -> None:
        self.outputs = outputs
        self.places: Optional[list[Optional[int]]] = None  # the input behind every edge of the backward graph

    def watch(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        """Put a hook on the backward graph of the outputs, for removing the gradients that eager Python would not
        give.
        """
        leads: dict[int, frozenset[int]] = {}
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
        backward.register_hook(gradient_filter(leads, self.places))


def places_of(edges: Sequence[tuple[Any, int]], inputs: Sequence[Any]) -> list[Optional[int]]:
    """The input behind every edge of a backward graph; None for an edge to no input."""
    place_by_source: dict[Any, int] = {}
    for place, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.requires_grad:
            place_by_source[id(value) if value.grad_fn is None else (value.grad_fn, value.output_nr)] = place
    places = []
    for function, number in edges:
        leaf = getattr(function, "variable", None)
        places.append(place_by_source.get((function, number) if leaf is None else id(leaf)))
    return places


def gradient_filter(leads: dict[int, frozenset[int]], places: list[Optional[int]]) -> Callable[..., Any]:
    """A hook that removes the gradients of inputs behind no differentiated result."""

    def hook(gradients: Gradients, output_gradients: Gradients) -> Optional[Gradients]:
        differentiated = [number for number, gradient in enumerate(output_gradients) if gradient is not None]
        if any(number not in leads for number in differentiated):
            return None
        reached = EMPTY.union(*(leads[number] for number in differentiated))
        return tuple(
            gradient if place is None or place in reached else None for gradient, place in zip(gradients, places)
        )

    return hook


def reach_of(module: GraphModule) -> Optional[Reach]:
    """The inputs behind each output of a marked graph; None if all differentiable outputs have the same inputs."""
    table: dict[Union[Node, int], frozenset[int]] = {}  # by node, and by storage

    def inputs_behind(node: Node) -> frozenset[int]:
        """The inputs that a node depends on, as an operand and through writes to memory."""
        return table.get(node, EMPTY).union(*(table.get(storage, EMPTY) for storage in node_facts.storages_of(node)))

    place = -1
    for node in module.graph.nodes:
        place += node.op == "placeholder"
        if node.op == "placeholder":
            table[node] = frozenset([place]) if branch_proofs.requires_grad(node) else EMPTY
            continue
        behind = EMPTY.union(*map(inputs_behind, node.all_input_nodes))
        for storage in node_facts.writes_of(node):
            table[storage] = table.get(storage, EMPTY) | behind
        if node_facts.records_gradient(node):
            table[node] = behind
    outputs = {
        position: inputs_behind(node)
        for position, node in enumerate(outputs_of(module))
        if isinstance(node, Node) and branch_proofs.requires_grad(node)
    }
    return Reach(outputs) if len(set(outputs.values())) > 1 else None


def with_reach(compiled: Callable[..., Any], reach: Reach) -> Callable[..., Any]:
    """A compiled graph whose backward graph leaves out unused gradients."""

    def run(*inputs: Any) -> Any:
        outputs = compiled(*inputs)
        reach.watch(outputs, inputs)
        return outputs

    return run
