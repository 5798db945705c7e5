"""Drawn numbers that tensors are multiplied by or added to, as tensors of their own.

`x * 0.3` and the product with a double tensor without dimensions give the same bits, as long as `x` has dimensions and
single or double precision. Numbers that come out of a tensor are lost by some compilers on the way to the backward
pass; tensors are not.
"""

from __future__ import annotations

import operator
from typing import Any, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis.marker_regions import tensor_of
from ..capture.early_predicates import comes_from_outside

FUNCTIONS = (operator.mul, operator.add, operator.sub, torch.mul, torch.add, torch.sub)
METHODS = ("mul", "add", "sub")


def is_drawn(node: Node) -> bool:
    """Whether a node fetches a real number that has been taken in front of the graph."""
    if node.op != "call_method" or node.target != "item" or not comes_from_outside(node.args[0]):  # type: ignore[arg-type]
        return False
    value = tensor_of(node.args[0])
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def is_arithmetic(node: Node) -> bool:
    """Whether a node adds or multiplies two values, and does nothing else."""
    known = (
        node.op == "call_function" and node.target in FUNCTIONS or node.op == "call_method" and node.target in METHODS
    )
    return known and len(node.args) == 2 and not node.kwargs


def takes_number(node: Node, numbers: set[Node]) -> bool:
    """Whether every operand that is no number is a tensor whose type and shape a number leaves alone."""
    tensors = [value for value in node.args if value not in numbers]
    value: Any = tensor_of(tensors[0]) if len(tensors) == 1 else None
    return (
        isinstance(value, torch.Tensor)
        and value.layout == torch.strided
        and value.dtype in (torch.float32, torch.float64)
        and value.dim() > 0
    )


def numbers_of(module: GraphModule) -> Optional[list[Node]]:
    """Drawn numbers and what is computed of them, in order; None if they are used for more than arithmetic."""
    found: list[Node] = []
    known: set[Node] = set()
    for node in module.graph.nodes:
        if is_drawn(node):
            found.append(node)
            known.add(node)
        elif known & set(node.all_input_nodes):
            if not is_arithmetic(node):
                return None
            if isinstance(node.meta.get("example_value"), torch.SymFloat):
                if not all(value in known or type(value) in (int, float) for value in node.args):
                    return None
                found.append(node)
                known.add(node)
            elif not takes_number(node, known):
                return None
    return found


def numbers_as_tensors(module: GraphModule) -> None:
    """Replace drawn numbers by the tensors that they come in, where that gives the same bits."""
    for node in numbers_of(module) or []:
        if node.target == "item":
            node.replace_all_uses_with(node.args[0])  # type: ignore[arg-type]
            module.graph.erase_node(node)
            continue
        values = torch.fx.map_arg(node.args, tensor_of)
        fake = next(value for value in values if isinstance(value, torch.Tensor))
        with fake.fake_mode:  # type: ignore[attr-defined]
            node.meta = {"example_value": node.target(*values)}  # type: ignore[operator]


def hand_out_tensors(module: GraphModule) -> None:
    """Let numbers that leave the graph do so in the tensors that they come from.

    Dynamo makes tensors of them again for that. On that way compilers may round them to single precision.
    """
    graph = module.graph
    for node in list(graph.nodes):
        if not is_number_of_tensor(node):
            continue
        number = node.args[0]
        source = number.args[0]
        with graph.inserting_before(number):
            detached = graph.call_method("detach", (source,))
            scalar = graph.call_method("reshape", (detached, ()))
            copy = graph.call_method("to", (scalar, torch.float64), {"copy": True})
        detached.meta["example_value"] = value = source.meta["example_value"].detach()
        scalar.meta["example_value"] = value.reshape(())
        copy.meta = dict(node.meta)
        copy.meta.pop("unbacked_bindings", None)
        node.replace_all_uses_with(copy)
        graph.erase_node(node)
        if not number.users:
            graph.erase_node(number)


def is_number_of_tensor(node: Node) -> bool:
    """Whether a node makes an output of the number in a tensor of single or double precision."""
    name = getattr(node.target, "__name__", "")
    if name != "scalar_tensor" or node.kwargs.get("dtype") is not torch.float64 or len(node.args) != 1:
        return False
    number = node.args[0]
    if not isinstance(number, Node) or number.target != "item" or any(user.op != "output" for user in node.users):
        return False
    value = number.args[0].meta.get("example_value")
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float64)
