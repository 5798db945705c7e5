"""Decisions on values drawn in front of the graph: a call can pick its path before a graph runs.

    if random.random() < 0.5:   # the prologue draws the number before the graph runs
        x = self.dropout(x)

The predicates of these decisions are copied into a small function. The function computes the answers from the inputs of
the graph, and a call on another path never runs the wrong graph.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import torch
from torch.fx import Graph, GraphModule, Node

from ..analysis import node_facts
from ..analysis.marker_regions import Decision

DRAWN_INSIDE, DRAWN_AHEAD = 3, 1  # weights of decisions by chance


class Ahead:
    """Computes the first decisions of a graph from the inputs of the graph.

    `places` are the positions of the inputs for `compute`. `expected` has an answer for each decision, or None for
    decisions with further inputs.
    """

    def __init__(self, compute: Any, places: list[int], expected: list[Optional[bool]]) -> None:
        self.compute = compute
        self.places = places
        self.expected = expected

    def answers(self, inputs: Sequence[Any]) -> Optional[tuple[bool, ...]]:
        """None if all answers are as expected; otherwise the known beginning of the call's path, up to the first
        difference.
        """
        try:
            with torch.no_grad():
                answers = iter(self.compute(*[inputs[place] for place in self.places]))
        except Exception:  # the graph meets it as well, and its run knows what to do
            return None
        known: list[bool] = []
        complete = True
        for expected in self.expected:
            if expected is None:
                complete = False
                continue
            answer = bool(next(answers))
            if complete:
                known.append(answer)
            if answer is not expected:
                return tuple(known)
        return None


def comes_from_outside(node: Node) -> bool:
    """Whether a node is the input for a value drawn in front of the graph."""
    source = getattr(node.meta.get("grapharg"), "source", None)
    return node.op == "placeholder" and type(source).__name__ == "RandomValueSource"


def needed_for(predicate: Node) -> Optional[list[Node]]:
    """The nodes from the drawn values to a predicate, with the predicate; None if the predicate has further inputs."""
    nodes: dict[Node, None] = {}
    waiting = [predicate]
    while waiting:
        node = waiting.pop()
        if node in nodes or comes_from_outside(node):
            continue
        if node.op not in ("call_function", "call_method") or node_facts.draws(node) or node_facts.writes_of(node):
            return None
        nodes[node] = None
        waiting += node.all_input_nodes
    return list(nodes)


def chance(predicate: Node) -> int:
    """The weight of a decision by random numbers alone: DRAWN_INSIDE, or DRAWN_AHEAD where the call knows the answer
    before a graph runs; 0 for other decisions.
    """
    inside, ahead, seen, waiting = False, False, set(), [predicate]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if comes_from_outside(node):
            ahead = True
            continue
        inside = inside or node_facts.draws(node)
        if node.op in ("placeholder", "get_attr"):
            return 0
        waiting += node.all_input_nodes
    return DRAWN_INSIDE if inside else DRAWN_AHEAD if ahead else 0


def decided_ahead(module: GraphModule, decisions: list[Decision]) -> Optional[Ahead]:
    """The decisions computable before the graph runs; None if there are none."""
    needed = [needed_for(decision.predicate) for decision in decisions]
    if all(nodes is None for nodes in needed):
        return None
    wanted = {node for nodes in needed if nodes is not None for node in nodes}
    graph, copies, places, position = Graph(), {}, [], -1
    inputs = {source for node in wanted for source in node.all_input_nodes if source.op == "placeholder"}
    inputs |= {decision.predicate for decision in decisions if comes_from_outside(decision.predicate)}
    for node in module.graph.nodes:
        position += node.op == "placeholder"
        if node in inputs:
            places.append(position)
            copies[node] = graph.placeholder(node.name)
        elif node in wanted:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    predicates = [decision.predicate for decision, nodes in zip(decisions, needed) if nodes is not None]
    graph.output(tuple(copies[predicate] for predicate in predicates))
    compute = GraphModule(torch.nn.Module(), graph).forward
    return Ahead(compute, places, [d.answer if n is not None else None for d, n in zip(decisions, needed)])
