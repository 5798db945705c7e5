"""Drawn numbers as 0-d double tensors, where a tensor gives the same bits.

    scale = random.uniform(0.5, 1.5)     # the prologue draws, and the graph gets a 0-d double tensor
    return x * scale                     # `x * tensor` instead of `x * tensor.item()`

The product of `x` with a number and with a 0-d double tensor are bit-equal where `x` has dimensions, and single or
double precision. Compilers take tensors where they take no numbers fetched from tensors.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis.marker_regions import tensor_of
from ..capture.early_predicates import comes_from_outside

FUNCTIONS = (operator.mul, operator.add, operator.sub, torch.mul, torch.add, torch.sub)
METHODS = ("mul", "add", "sub")


def is_drawn(node: Node) -> bool:
    """Whether a node fetches a floating-point number drawn in front of the graph."""
    if node.op != "call_method" or node.target != "item" or not comes_from_outside(node.args[0]):  # type: ignore[arg-type]
        return False
    value = tensor_of(node.args[0])
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def is_arithmetic(node: Node) -> bool:
    """Whether a node adds, subtracts or multiplies two operands, without further options."""
    is_operator = (
        node.op == "call_function" and node.target in FUNCTIONS or node.op == "call_method" and node.target in METHODS
    )
    return is_operator and len(node.args) == 2 and not node.kwargs


def takes_number(node: Node, numbers: set[Node]) -> bool:
    """Whether the other operand is a tensor whose dtype and shape are the same after arithmetic with a number."""
    tensors = [value for value in node.args if value not in numbers]
    value: Any = tensor_of(tensors[0]) if len(tensors) == 1 else None
    return (
        isinstance(value, torch.Tensor)
        and value.layout == torch.strided
        and value.dtype in (torch.float32, torch.float64)
        and value.dim() > 0
    )


def numbers_of(module: GraphModule) -> Optional[list[Node]]:
    """Drawn numbers and arithmetic on drawn numbers, in order; None if a drawn number has another use."""
    nodes: list[Node] = []
    numbers: set[Node] = set()
    for node in module.graph.nodes:
        if is_drawn(node):
            nodes.append(node)
            numbers.add(node)
        elif numbers & set(node.all_input_nodes):
            if not is_arithmetic(node):
                return None
            if isinstance(node.meta.get("example_value"), torch.SymFloat):
                if not all(value in numbers or type(value) in (int, float) for value in node.args):
                    return None
                nodes.append(node)
                numbers.add(node)
            elif not takes_number(node, numbers):
                return None
    return nodes


def numbers_as_tensors(module: GraphModule) -> None:
    """Replace drawn numbers by their tensors, where the result has the same bits."""
    for node in numbers_of(module) or []:
        if node.target == "item":
            node.replace_all_uses_with(node.args[0])  # type: ignore[arg-type]
            module.graph.erase_node(node)
            continue
        fake_of: Callable[[Node], Any] = tensor_of
        values: Any = torch.fx.map_arg(node.args, fake_of)
        fake = next(value for value in values if isinstance(value, torch.Tensor))
        with fake.fake_mode:  # type: ignore[attr-defined]
            node.meta = {"example_value": node.target(*values)}  # type: ignore[operator]


def hand_out_tensors(module: GraphModule, everywhere: bool = False) -> None:
    """Return numbers from the graph as copies of the tensors behind the numbers.

    Dynamo converts a returned number to a tensor again, and compilers may round the number to single precision on the
    way. `everywhere`: tensors of numbers that stay in the graph are replaced as well.
    """
    for node in list(module.graph.nodes):
        if is_number_of_tensor(node) and (everywhere or all(user.op == "output" for user in node.users)):
            copy_tensor(node)


def copy_tensor(node: Node) -> None:
    """Replace a tensor made of a fetched number by a copy of the tensor that the number came from."""
    graph, number = node.graph, node.args[0]
    assert isinstance(number, Node)
    source: Any = number.args[0]
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
    """Whether a node only makes a tensor of the number in a tensor of single or double precision."""
    if node.target is not torch.scalar_tensor or dict(node.kwargs) != {"dtype": torch.float64} or len(node.args) != 1:
        return False
    number = node.args[0]
    if not isinstance(number, Node) or number.target != "item":
        return False
    value: Any = tensor_of(number.args[0])
    if not isinstance(value, torch.Tensor) or value.dtype not in (torch.float32, torch.float64):
        return False
    return all(type(size) is int for size in value.shape)
