"""Tests of data-dependent numbers, rewritten as tests of the tensors behind the numbers.

    if x.mean().item() > 0.5:            # a number: fetched from the graph, and lost to compilers in the backward pass
    x.mean().detach().double() > 0.5     # the same truth value as a tensor

The comparison of tensors uses a dtype that holds the number exactly, so both tests agree for every value.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional

import torch
from torch.fx import Graph, GraphModule, Node

from ..analysis.marker_regions import tensor_of
from ..base.marker_ops import kind_of
from .dialect import EXACT, LARGE

COMPARISONS = frozenset([operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
LOGICAL = {operator.and_: "logical_and", operator.or_: "logical_or", torch.sym_not: "logical_not"}
FLOATING = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
INTEGRAL = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def decide_on_tensors(module: GraphModule) -> None:
    """Replace tests of numbers by tests of tensors where the tensor is known."""
    graph = module.graph
    for node in list(graph.nodes):
        if kind_of(node) != "test":
            continue
        number = node.args[1]
        with graph.inserting_before(node):
            test = as_tensor(graph, number)
            if test is not None and test.meta["example_value"].dtype != torch.bool:
                test = add_node(graph, operator.ne, test, 0)
            if test is None:
                test = graph.call_function(torch.scalar_tensor, (number,), {"dtype": torch.bool})
                test.meta = dict(node.meta)
        node.replace_all_uses_with(test)
        graph.erase_node(node)
        forget(graph, number)


def add_node(graph: Graph, function: Any, *args: Any) -> Node:
    """A new node on tensors, with the example value that a trace would note."""
    node = graph.call_method(function, args) if isinstance(function, str) else graph.call_function(function, args)
    fake_of: Callable[[Node], Any] = tensor_of
    first, *rest = torch.fx.map_arg(args, fake_of)
    with first.fake_mode:
        value = getattr(first, function)(*rest) if isinstance(function, str) else function(first, *rest)
    node.meta = {"example_value": value}
    return node


def as_tensor(graph: Graph, number: Any) -> Optional[Node]:
    """The 0-d tensor with the exact value of a number (double, 64-bit integer or bool); None if there is no such
    tensor.
    """
    if not isinstance(number, Node):
        return None
    if number.op == "call_method" and number.target == "item":
        return item_tensor(graph, number.args[0])
    if number.target in COMPARISONS:
        return comparison(graph, number)
    if number.target in LOGICAL:
        sides = [as_tensor(graph, side) for side in number.args]
        if all(side is not None and side.meta["example_value"].dtype == torch.bool for side in sides):
            return add_node(graph, LOGICAL[number.target], *sides)
    return None


def item_tensor(graph: Graph, source: Any) -> Optional[Node]:
    """The tensor behind `source.item()`."""
    value: Any = tensor_of(source)
    if not hasattr(value, "fake_mode") or value.layout != torch.strided or value.dtype not in FLOATING + INTEGRAL:
        return None
    flat = add_node(graph, "reshape", add_node(graph, "detach", source), ())
    if value.dtype == torch.bool:
        return flat
    return add_node(graph, "double" if value.dtype in FLOATING else "long", flat)


def comparison(graph: Graph, node: Node) -> Optional[Node]:
    """A comparison with at least one number of the graph, as a comparison of tensors; None if the comparison is
    inexact.
    """
    target: Any = node.target
    sides: list[Any]
    sides = [side if isinstance(side, (bool, int, float)) else as_tensor(graph, side) for side in node.args]
    if any(side is None for side in sides):
        return None
    dtypes = [side.meta["example_value"].dtype if isinstance(side, Node) else type(side) for side in sides]
    is_float = [dtype in (torch.float64, float) for dtype in dtypes]
    for place in (0, 1):
        other = sides[1 - place]
        if not isinstance(sides[place], Node):
            if isinstance(other, Node) and not abs(sides[place]) < (EXACT if any(is_float) else LARGE):
                return None
        elif dtypes[place] == torch.bool:
            sides[place] = add_node(graph, "long", sides[place])
    if all(isinstance(side, Node) for side in sides) and is_float[0] != is_float[1]:
        return None
    if any(is_float):
        sides = [add_node(graph, "double", side) if isinstance(side, Node) else float(side) for side in sides]
    if not isinstance(sides[0], Node):
        sides, target = sides[::-1], SWAPPED[target]
    return add_node(graph, target, *sides)


SWAPPED = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
    operator.eq: operator.eq,
    operator.ne: operator.ne,
}


def forget(graph: Graph, number: Any) -> None:
    """Erase an unused number, and the numbers used by it alone.

    Assertions that a truth value is 0 or 1 are erased with the truth value.
    """
    if not isinstance(number, Node) or number.op == "placeholder":
        return
    if number.op == "call_method" and number.target == "item":
        source: Any = tensor_of(number.args[0])
        assertions = bounds_of(number) if source is not None and source.dtype == torch.bool else None
        for node in reversed(assertions or []):
            graph.erase_node(node)
    if number.users:
        return
    inputs = number.all_input_nodes if number.target != "item" else []
    graph.erase_node(number)
    for node in inputs:
        forget(graph, node)


def bounds_of(item: Node) -> Optional[list[Node]]:
    """The nodes that only assert that a truth value is 0 or 1, in order; None if the truth value has another use."""
    assertions: list[Node] = []
    level = [item]
    while level:
        users = list(dict.fromkeys(user for node in level for user in node.users))
        for user in users:
            is_assertion = user.target in (
                torch.sym_ite,
                operator.ge,
                operator.le,
                torch.ops.aten._assert_scalar.default,
            )
            if not is_assertion or any(
                isinstance(arg, Node) and arg not in assertions and arg is not item for arg in user.args
            ):
                return None
        assertions += users
        level = users
    return assertions
