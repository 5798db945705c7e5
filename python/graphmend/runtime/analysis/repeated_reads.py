"""Reads that a compiler may repeat in the backward pass, after the forward pass has written to the same memory.

    self.mean.lerp_(x.detach().mean(0), 0.5)
    if self.steps == limit: raise ...           # a graph break: the second graph reads what the first has written
    return (x - self.mean) * self.w             # the gradient of `w` needs `x - self.mean`

Inductor computes cheap values anew in the backward pass instead of keeping them, `self.mean` among them. The buffer has
been written to by then, and the gradient is wrong, also without graphmend where one graph holds it all. A graph break
in between keeps the two apart.
"""

from __future__ import annotations

from torch.fx import GraphModule, Node

from . import node_facts

INPUTS = ("placeholder", "get_attr")


def has_repeated_reads(module: GraphModule) -> bool:
    """Whether a gradient may need a value from memory of an input that the graph writes to."""
    nodes = list(module.graph.nodes)
    inputs = node_facts.storages_in(node for node in nodes if node.op in INPUTS)
    writes = {node: found for node in nodes if (found := node_facts.writes_of(node) & inputs)}
    written: set[int] = set().union(*writes.values())
    if not written:
        return False
    read: dict[Node, set[int]] = {}  # the written memory that a value without a gradient comes from
    for node in nodes:
        own = node_facts.storages_of(node) & written
        sources = own.union(*(read.get(source, set()) for source in node.all_input_nodes))
        if node.op in INPUTS or not node_facts.records_gradient(node):
            read[node] = sources
        elif sources - writes.get(node, set()):
            return True
    return False
