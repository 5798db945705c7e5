"""Selections replaced by cheaper code with the same bits.

    y = torch.where(m.any(), x.masked_fill(m, v), x)     # y = x.masked_fill(m, v)
    y = torch.where(p, x * 2.0, x * 3.0)                 # y = x * torch.where(p, 2.0, 3.0)

A select computes both sides and reads all elements. A fill under an empty mask changes no element, so the test of the
mask is superfluous. Two sides with the same operation and different numbers need a choice of the number alone.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import node_facts
from ..analysis.marker_regions import Marks, node_at, tensor_of
from ..base.torch_names import FakeTensor

# Not division: some devices divide by a number as they multiply by its reciprocal, but divide by a tensor exactly.
WITH_NUMBER = (operator.mul, operator.add, operator.sub)
# Not half precision: a number takes part in single precision, a tensor in half precision.
DTYPES = (torch.float32, torch.float64)
DEVICES = ("cpu", "cuda")


class Choice(NamedTuple):
    """A node that selects, with the test and both sides."""

    node: Node
    test: Node
    first: Node
    second: Node


def simplify(module: GraphModule, marks: Marks) -> None:
    """Rewrite selections between tensors without writes and without gradients."""
    written_storages: set[int] = set()
    for node in module.graph.nodes:
        written_storages |= node_facts.writes_of(node)
    for region in marks.regions:
        for select in region.selects:
            node = select.result
            if node.op != "call_function" or node.target is not torch.where or len(node.args) != 3:
                continue
            if not all(is_constant_tensor(value, written_storages) for value in (*node.args, node)):
                continue
            choice = Choice(node, node_at(node, 0), node_at(node, 1), node_at(node, 2))
            better = unconditional_fill(choice, written_storages) or chosen_number(module, choice, written_storages)
            if better is not None:
                node.replace_all_uses_with(better)
                module.graph.erase_node(node)
                for side in dict.fromkeys(node_of(side) for side in select.sides):
                    if side is not None and not side.users and side.target in WITH_NUMBER:
                        module.graph.erase_node(side)


def node_of(value: Any) -> Optional[Node]:
    """The value if a node that calls a function, None for all further values."""
    return value if isinstance(value, Node) and value.op == "call_function" else None


def is_constant_tensor(node: Any, written_storages: set[int]) -> bool:
    """Whether a value is an ordinary tensor without gradient and without writes in the graph."""
    value = tensor_of(node)
    if not isinstance(value, FakeTensor) or value.requires_grad or node_facts.storage_of(value) is None:
        return False
    return not node_facts.storages_of(node) & written_storages


def same_form(first: Node, second: Node) -> bool:
    """Whether two tensors agree in dtype, device, shape and strides."""
    facts = [
        (value.dtype, value.device, tuple(value.shape), value.stride())
        for value in (tensor_of(first), tensor_of(second))
        if isinstance(value, torch.Tensor)
    ]
    return len(facts) == 2 and facts[0] == facts[1]


def method(node: Any, name: str) -> Optional[tuple[Any, ...]]:
    """The arguments if a node calls the method or function `name` of torch, None for all further nodes."""
    if not isinstance(node, Node) or node.kwargs:
        return None
    function = getattr(torch, name, None)
    if (node.op, node.target) == ("call_method", name):
        return node.args
    return node.args if node.op == "call_function" and function is not None and node.target is function else None


def tensor_before_reduction(node: Any) -> Any:
    """The test before its reduction to a tensor without dimensions."""
    while True:
        arguments = method(node, "detach") or method(node, "reshape")
        if arguments is None or len(arguments) == 2 and arguments[1] != ():
            return node
        node = arguments[0]


def unconditional_fill(choice: Choice, written_storages: set[int]) -> Optional[Node]:
    """`x.masked_fill(m, v)` for `x.masked_fill(m, v) if m.any() else x`."""
    node, test, filled, plain = choice
    tested, arguments = method(tensor_before_reduction(test), "any"), method(filled, "masked_fill")
    if tested is None or arguments is None or len(tested) != 1 or len(arguments) != 3:
        return None
    mask: Any = tensor_of(arguments[1])
    if (
        arguments[0] is not plain
        or arguments[1] is not tested[0]
        or not is_constant_tensor(arguments[1], written_storages)
    ):
        return None
    if mask.dtype != torch.bool or not isinstance(arguments[2], (int, float)) or not same_form(filled, node):
        return None
    return (
        filled if list(filled.users) == [node] else None
    )  # a second user of `filled` would share memory with the result


def chosen_number(module: GraphModule, choice: Choice, written_storages: set[int]) -> Optional[Node]:
    """`x * (a if p else b)` for `x * a if p else x * b`."""
    node, test, first, second = choice
    sides = (first, second)
    if not all(side.op == "call_function" and len(side.args) == 2 and not side.kwargs for side in sides):
        return None
    if first.target is not second.target or first.target not in WITH_NUMBER or first.args[0] is not second.args[0]:
        return None
    source, numbers = first.args[0], [side.args[1] for side in sides]
    if (
        not isinstance(source, Node)
        or not is_constant_tensor(source, written_storages)
        or not same_form(source, node)
        or not all(map(rounds_alike, numbers))
    ):
        return None
    value: Any = tensor_of(source)
    if value.dtype not in DTYPES or value.dim() == 0 or value.device.type not in DEVICES:
        return None
    kind = {"dtype": value.dtype, "device": value.device}
    with module.graph.inserting_before(node):
        choices = [module.graph.call_function(torch.scalar_tensor, (number,), kind) for number in numbers]
        number = module.graph.call_function(torch.where, (test, *choices))
        better = module.graph.call_function(first.target, (source, number))
    better.meta = dict(node.meta)
    return better


def rounds_alike(number: Any) -> bool:
    """Whether single precision holds a number without overflow or underflow, so that all devices round alike."""
    limits = torch.finfo(torch.float32)
    return type(number) is float and (number == 0.0 or limits.tiny <= abs(number) <= limits.max)
