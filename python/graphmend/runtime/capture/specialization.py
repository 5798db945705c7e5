"""Numbers that data decide as constants of a graph that is made for one set of them.

What such a graph assumes is found out behind it (assumption_checks.py). A compiler that reads the graph would still
make symbols of all these numbers and sizes, and assert what is known of them; many of them take it long, and some it
cannot handle.
So numbers are written into the graph, and an operator gives tensors the sizes that they have in this call.
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
    """A copy of a tensor of these sizes, which lies in memory with these strides."""
    if list(tensor.shape) != sizes:
        raise RuntimeError("the graph is made for other sizes")
    return torch.empty_strided(sizes, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def like_sized(tensor: torch.Tensor, sizes: list[int], strides: list[int]) -> torch.Tensor:
    """What the copy looks like."""
    return tensor.new_empty_strided(sizes, strides)


def sized_back(ctx: Any, gradient: torch.Tensor) -> tuple:
    """The gradients of its arguments."""
    return gradient, None, None


def keep_nothing(ctx: Any, inputs: Any, output: Any) -> None:
    """What its backward pass needs of the forward pass."""


SIZED = define_op.define("sized(Tensor tensor, int[] sizes, int[] strides) -> Tensor", sized, like_sized)
define_op.derive(SIZED, sized_back, keep_nothing)


def write_numbers(module: GraphModule, trace: trace_state.Trace) -> bool:
    """Write the numbers for which a graph is made into it; whether none is left that only data know.

    Behind this its assertions are those of assumption_checks.py alone.
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
        idle = isinstance(node.meta.get("example_value"), NUMBERS) and node.op.startswith("call") and not node.users
        if idle or (node.target in ASSERTIONS and not node.all_input_nodes):
            module.graph.erase_node(node)
    finish(module)
    return not any(map(is_open, module.graph.nodes))


def is_open(node: Node) -> bool:
    """Whether a node gives a number that only data know, or tensors with such sizes for more than a copy."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    value = node.meta.get("example_value")
    if isinstance(value, NUMBERS):
        return bool(free_unbacked_symbols(value))
    if not node.meta.get("unbacked_bindings"):
        return False
    users = [part for user in node.users for part in (user.users if user.target is operator.getitem else [user])]
    return any(user.target not in (SIZED, assumption_checks.SIZE_OF) for user in users)


def give_numbers(module: GraphModule, trace: trace_state.Trace, known: dict[Any, Any]) -> None:
    """Give operators that take a number from a tensor the number itself."""
    nodes = {id(node.meta.get("example_value")): node for node in reversed(module.graph.nodes)}
    for user, tensor, number in numbers_of(trace).fetches:
        found = whole(number, known) if isinstance(number, torch.SymInt) else None
        node = nodes.get(id(tensor))
        if found is not None and node is not None and user.target != "item":
            replace(node, [user], found)


def values_of(trace: trace_state.Trace) -> dict[Any, Any]:
    """The values of the symbols that the graph takes for granted."""
    import sympy

    pairs = (fact.args for fact in numbers_of(trace).assumed if isinstance(fact, sympy.Eq))
    return {symbol: number for symbol, number in pairs if symbol.is_Symbol and number.is_Integer}


def number_of(node: Node, value: Any, known: dict[Any, Any]) -> Optional[Any]:
    """The number that a node gives; None if it is not known."""
    if node.target != "item" and node.op == "call_function" and not node.all_input_nodes:
        return node.target(*node.args, **node.kwargs)  # type: ignore[operator]
    if isinstance(value, torch.SymFloat):
        return None
    found = value.node.expr.xreplace(known)
    if isinstance(value, torch.SymBool):
        return bool(found) if found.is_Boolean and not found.free_symbols else None
    return int(found) if found.is_Integer else None


def replace(node: Any, users: Iterable[Node], number: Any) -> None:
    """Put a number in the place of a node where these nodes use it, but for what leaves the graph."""

    def put(source: Node) -> Any:
        return number if source is node else source

    for user in list(users):
        if user.op != "output":
            user.args, user.kwargs = map_arg(user.args, put), map_arg(user.kwargs, put)


def give_sizes(module: GraphModule, node: Node, known: dict[Any, Any]) -> None:
    """Give the tensors of a node that has data decide their sizes those of this call."""
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
    """Tells of the users of a tensor whether they are to get its copy: those that only ask how large it is are not."""
    return lambda user: user is not copy and user.target is not assumption_checks.SIZE_OF


def whole(size: Any, known: dict[Any, Any]) -> Optional[int]:
    """A size as a number; None if it is not known."""
    if isinstance(size, int):
        return size
    found = size.node.expr.xreplace(known)
    return int(found) if found.is_Integer else None
