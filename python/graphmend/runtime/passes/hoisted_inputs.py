"""Numbers of the program that a side of a branch reads first, read in front of the branch.

    if x.sum() > 0:
        x = x * self.scale     # Dynamo puts `item` of the input `scale` where the program reads it for the first time
    return x + self.scale      # ... and uses the number again, which is then no value of one side

Dynamo hands an open float to the graph as a tensor that nobody else holds, so its number is the same everywhere.
"""

from __future__ import annotations

from torch.fx import GraphModule, Node


def hoist_inputs(module: GraphModule) -> None:
    """Move the nodes that read numbers out of inputs to the front of the graph."""
    inputs = module.graph.find_nodes(op="placeholder")
    last = inputs[-1] if inputs else None
    for node in module.graph.find_nodes(op="call_method", target="item"):
        (source,) = node.all_input_nodes
        if source.op == "placeholder" and is_number(source) and last is not None:
            last.append(node)
            last = node


def is_number(node: Node) -> bool:
    """Whether an input is a number of the program that Dynamo passes as a tensor."""
    argument = node.meta.get("grapharg")
    return argument is not None and bool(argument.pass_arg_as_tensor)
