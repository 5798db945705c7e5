"""Numbers of the program that a side of a branch reads first, read in front of the branch.

    if x.sum() > 0:
        x = x * self.scale     # Dynamo puts `item` of the input `scale` where the program reads it for the first time
    return x + self.scale      # ... and uses the number again, which is then no value of one side

Dynamo hands an open float to the graph as a tensor that nobody else holds, so its number is the same everywhere. Sums,
products and comparisons of such numbers are as good, because they cannot fail.
"""

from __future__ import annotations

import operator

import torch
from torch.fx import GraphModule, Node

from ..capture.early_predicates import comes_from_outside

SAFE = frozenset(
    (
        *(operator.add, operator.sub, operator.mul, operator.neg),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    )
)


def hoist_inputs(module: GraphModule) -> None:
    """Move the nodes that depend on numbers in inputs alone to the front of the graph."""
    inputs = module.graph.find_nodes(op="placeholder")
    if not inputs:
        return
    known, last = set(filter(is_number, inputs)), inputs[-1]
    for node in list(module.graph.nodes):
        sources = node.all_input_nodes
        if not sources or not known.issuperset(sources):
            continue
        if (node.op == "call_method" and node.target == "item") or node.target in SAFE:
            last.append(node)
            last = node
            if not isinstance(node.meta.get("example_value"), torch.Tensor):
                known.add(node)


def is_number(node: Node) -> bool:
    """Whether an input is a number of the program: a symbol, or a float that Dynamo passes as a tensor."""
    argument = node.meta.get("grapharg")
    if comes_from_outside(node) or (argument is not None and argument.pass_arg_as_tensor):
        return True
    return isinstance(node.meta.get("example_value"), (torch.SymInt, torch.SymFloat))
