"""Tests inside an autograd function or a checkpoint, computed once more in front of it.

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if x.min() < 0:  # Dynamo traces this into a graph of its own, whose values nobody outside sees
                ...

A decision has to become an output of the graph around the function. The nodes from which the test is computed are
therefore copied in front of the call of the function, if each of them only computes, and if nothing in the inner graphs
writes to their memory. A test in `backward` is copied where it is computed from saved tensors: they are the same later,
or the backward pass raises an exception.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterable, Iterator, Optional

import torch
from torch.fx import Graph, Node

from ..analysis import node_facts
from ..base import torch_names
from ..base.marker_ops import kind_of

FUNCTION = "autograd.Function"
CHECKPOINTS = (torch.ops.higher_order.tag_activation_checkpoint,)  # by which Dynamo calls `checkpoint`
MAX_COPIED = 256  # nodes
# A value that is computed inside such a block has another dtype outside of it.
BLOCKS = (torch_names._enter_autocast, torch_names._exit_autocast)

Level = tuple[list[Node], dict[Node, Node]]  # nodes of a graph, and the outer nodes behind its inputs


def is_inside(tracer: Any) -> bool:
    """Whether Dynamo is tracing an autograd function or a checkpoint, in which nothing else has a graph of its own."""
    if tracer.parent is None:
        return False
    while tracer.parent is not None and getattr(tracer, "source_target", None) in (FUNCTION, *CHECKPOINTS):
        tracer = tracer.parent
    return tracer.parent is None


def hoisted(tx: Any, test: Node) -> Optional[Node]:
    """The node of the outermost graph that gives what a node of the inner graph gives; None where there is none."""
    tracer, wanted = tx.output.current_tracer, [test]
    levels: list[Level] = []
    while tracer.parent is not None:
        found = level(tx, tracer, wanted)
        if found is None:
            return None
        levels.append(found)
        wanted = list(found[1].values())
        tracer = tracer.parent
    copies = {given: entry(tracer.graph, given) for given in wanted}
    for needed, outer in reversed(levels):
        for node in needed:
            if node in outer:
                copies[node] = copies[outer[node]]
            else:
                copies[node] = tracer.graph.node_copy(node, copies.__getitem__)
                copies[node].meta = dict(node.meta)
    return copies[test]


def level(tx: Any, tracer: Any, wanted: list[Node]) -> Optional[Level]:
    """The nodes of an inner graph from which some of them are computed; None if they cannot be copied."""
    needed = computed_from(tracer.graph, wanted)
    if needed is None or not is_free(tracer.graph, needed):
        return None
    lifted = {inner.node: known_to(tracer.parent, proxy) for proxy, inner in tracer.lifted_freevars.items()}
    inputs = [node for node in needed if node.op == "placeholder"]
    if not all(node in lifted for node in inputs):
        return None
    if tracer.parent.parent is not None and not {lifted[node] for node in inputs} <= saved(tx, tracer.parent):
        return None
    return needed, {node: lifted[node].node for node in inputs}


def saved(tx: Any, tracer: Any) -> set[Any]:
    """What the innermost autograd function has saved for its backward pass, as the graph of its `forward` knows it."""
    from ..base.torch_names import AutogradFunctionContextVariable

    while tx is not None:
        for variable in tx.symbolic_locals.values():
            if isinstance(variable, AutogradFunctionContextVariable):
                tensors = variable.saved_tensors.tensors if variable.saved_tensors is not None else []
                proxies = [tensor.as_proxy() for tensor in tensors if tensor.is_tensor()]
                return {known_to(tracer, proxy) for proxy in proxies}
        tx = tx.parent
    return set()


def known_to(tracer: Any, proxy: Any) -> Any:
    """The proxy that stands in a graph for one of that graph or of a graph around it."""
    return tracer.lifted_freevars.get(proxy, proxy)


def entry(graph: Graph, given: Node) -> Node:
    """What the function is given, without its history: an autograd function records none."""
    value = given.meta.get("example_value")
    if not isinstance(value, torch.Tensor):
        return given
    node = graph.call_method("detach", (given,))
    with torch.no_grad():
        node.meta = {"example_value": value.data}
    return node


def computed_from(graph: Graph, wanted: Iterable[Node]) -> Optional[list[Node]]:
    """The nodes from which some nodes are computed, themselves among them, in order; None if they are too many."""
    found: set[Node] = set()
    waiting = list(wanted)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes
    return [node for node in graph.nodes if node in found] if len(found) <= MAX_COPIED else None


def is_free(graph: Graph, needed: list[Node]) -> bool:
    """Whether nodes of a graph give the same outside of it: they only compute, and nothing writes to their memory."""
    if not all(node.op == "placeholder" or only_computes(node) for node in needed):
        return False
    memory = node_facts.storages_in(needed)
    return not any(node.target in BLOCKS or node_facts.writes_of(node) & memory for node in graph.nodes)


def only_computes(node: Node) -> bool:
    """Whether a node computes from tensors alone: it draws nothing, writes nothing, and makes no number."""
    if node.op not in ("call_function", "call_method") or kind_of(node) is not None:
        return False
    if node.meta.get("unbacked_bindings") or "example_value" not in node.meta:
        return False
    facts = node_facts.facts_of(node)
    return not facts.draws and not facts.writes


@contextlib.contextmanager
def at_top(output: Any) -> Iterator[None]:
    """Put nodes into the outermost graph inside the block."""
    inner = output.tracers[1:]
    del output.tracers[1:]
    try:
        yield
    finally:
        output.tracers += inner
