"""Specialisation: a graph with data-dependent numbers written in as constants, made for one set of numbers.

    boxes = x[mask]                 # u0 rows, and the trace assumed u0 == 3
    return boxes.reshape(3, 4)      # the graph has a tensor of three rows, not of u0 rows

`assumption_checks.py` checks the numbers behind the graph. A compiler would still make a symbol of each number and
assert known facts about the symbol: slow for many symbols, and wrong for some. Numbers are therefore written into the
graph, and the operator `sized` gives tensors the sizes of this call.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Iterable, Optional

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from ..analysis.marker_regions import tensor_of
from ..base import define_op, torch_names, trace_state
from ..base.graph_code import finish
from . import assumption_checks
from .assumptions import numbers_of
from .data_scalars import NUMBERS

ASSERTIONS = frozenset(
    [
        torch_names._assert_scalar,
        torch_names._check_is_size,
        torch.ops.aten._assert_scalar.default,
        torch.ops.aten.sym_constrain_range.default,
        torch.ops.aten.sym_constrain_range_for_size.default,
    ]
)


def sized(tensor: torch.Tensor, sizes: list[int], strides: list[int]) -> torch.Tensor:
    """A copy of a tensor with known sizes and strides."""
    if list(tensor.shape) != sizes:
        raise RuntimeError("the graph is made for other sizes")
    return torch.empty_strided(sizes, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def like_sized(tensor: torch.Tensor, sizes: list[int], strides: list[int]) -> torch.Tensor:
    """The fake result of `sized`, without data."""
    return tensor.new_empty_strided(sizes, strides)


def sized_back(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    """The gradients of the arguments of `sized`."""
    return gradient, None, None


def keep_nothing(ctx: Any, inputs: Any, output: Any) -> None:
    """Save nothing for the backward pass of `sized`."""


SIZED = define_op.define("sized(Tensor tensor, int[] sizes, int[] strides) -> Tensor", sized, like_sized)
define_op.derive(SIZED, sized_back, keep_nothing)


def write_numbers(module: GraphModule, trace: trace_state.Trace) -> bool:
    """Write the assumed numbers into the graph; returns whether no open data-dependent number is left.

    Afterwards the only assertions on numbers are the checks of `assumption_checks.py`.
    """
    known = values_of(trace)
    if not known:
        return False
    give_numbers(module, trace, known)
    for node in list(module.graph.nodes):
        value = node.meta.get("example_value")
        if isinstance(value, NUMBERS):
            number = number_of(node, value, known)
            if number is not None:
                replace(node, node.users, number)
        elif node.meta.get("unbacked_bindings"):
            give_sizes(module, node, known)
    for node in reversed(list(module.graph.nodes)):
        is_unused = (
            isinstance(node.meta.get("example_value"), NUMBERS) and node.op.startswith("call") and not node.users
        )
        if is_unused or (node.target in ASSERTIONS and not node.all_input_nodes):
            module.graph.erase_node(node)
    finish(module)
    return not any(map(is_open, module.graph.nodes))


def is_open(node: Node) -> bool:
    """Whether a node is an unknown number, or a tensor of unknown sizes with users besides copies and size checks."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    value = node.meta.get("example_value")
    if isinstance(value, NUMBERS):
        return bool(free_unbacked_symbols(value))
    if not node.meta.get("unbacked_bindings"):
        return False
    users = [part for user in node.users for part in (user.users if user.target is operator.getitem else [user])]
    return any(user.target not in (SIZED, assumption_checks.SIZE_OF) for user in users)


def give_numbers(module: GraphModule, trace: trace_state.Trace, known: dict[Any, Any]) -> None:
    """Pass numbers to operators that fetch the numbers from tensor arguments."""
    nodes = {id(node.meta.get("example_value")): node for node in reversed(module.graph.nodes)}
    for user, tensor, number in numbers_of(trace).fetches:
        fetched = whole(number, known) if isinstance(number, torch.SymInt) else None
        node = nodes.get(id(tensor))
        if fetched is not None and node is not None and user.target != "item":
            replace(node, [user], fetched)


def values_of(trace: trace_state.Trace) -> dict[Any, Any]:
    """The values of symbols assumed by the graph."""
    import sympy

    pairs = (fact.args for fact in numbers_of(trace).assumed if isinstance(fact, sympy.Eq))
    return {symbol: number for symbol, number in pairs if symbol.is_Symbol and (number.is_Integer or number.is_Float)}


def number_of(node: Node, value: Any, known: dict[Any, Any]) -> Optional[Any]:
    """The number behind a node; None if the number is unknown."""
    if node.target != "item" and node.op == "call_function" and not node.all_input_nodes:
        return node.target(*node.args, **node.kwargs)  # type: ignore[operator]
    if isinstance(value, torch.SymFloat):
        number = known.get(value.node.expr, value.node.expr)
        return float(number) if number.is_number else None
    result = value.node.expr.xreplace(known)
    if isinstance(value, torch.SymBool):
        return bool(result) if result.is_Boolean and not result.free_symbols else None
    return int(result) if result.is_Integer else None


def replace(node: Any, users: Iterable[Node], number: Any) -> None:
    """Replace a node by a number in the arguments of these users, except in the output."""

    def put(source: Node) -> Any:
        return number if source is node else source

    for user in list(users):
        if user.op != "output":
            user.args, user.kwargs = map_arg(user.args, put), map_arg(user.kwargs, put)


def give_sizes(module: GraphModule, node: Node, known: dict[Any, Any]) -> None:
    """Give the tensors of a node with data-dependent sizes the sizes of this call."""
    values = [node] if isinstance(tensor_of(node), torch.Tensor) else list(node.users)
    for part in values:
        value = tensor_of(part)
        if part is not node and part.target is not operator.getitem:
            continue
        if all(user.target is assumption_checks.SIZE_OF for user in part.users):
            continue
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value._is_view():
            continue
        sizes, strides = ([whole(size, known) for size in sides] for sides in (value.shape, value.stride()))
        if None in sizes or None in strides:
            continue
        with module.graph.inserting_after(part):
            copy = module.graph.call_function(SIZED, (part, sizes, strides))
        copy.meta["example_value"] = value
        part.replace_all_uses_with(copy, delete_user_cb=asks_contents(copy))


def asks_contents(copy: Node) -> Callable[[Node], bool]:
    """A filter for users of a tensor: users that read the contents get the copy, and size checks keep the original."""
    return lambda user: user is not copy and user.target is not assumption_checks.SIZE_OF


def whole(size: Any, known: dict[Any, Any]) -> Optional[int]:
    """A size as an integer; None if the size is unknown."""
    if isinstance(size, int):
        return size
    result = size.node.expr.xreplace(known)
    return int(result) if result.is_Integer else None
