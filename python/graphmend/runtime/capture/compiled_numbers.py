"""Tensor operators with numbers from the data, in a graph of which a compiler makes code.

    scale = x.abs().max().item()
    y = torch.where(x > scale / 2, x, x * scale)    # elementwise: compiled code computes the same tensors
    z = torch.quantile(x, scale)                    # refused: the kernel checks the number, compiled code does not

Compiled code hands a number to its kernels in single precision, and checks less than PyTorch's kernels. The graph may
give a number to a tensor operator if the ATen calls behind the operator are elementwise and never fail. A number of
double precision may meet tensors of double precision only in arithmetic for which PyTorch makes a tensor of the number.
All further graphs get constants in place of numbers.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis.aten_facts import CHECKS_NUMBERS, may_fail, name_of
from ..analysis.node_facts import call_on_stand_ins, tensors_in, traced_arguments
from ..base import torch_names
from .data_scalars import NUMBERS

COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne", "sym_ite", "sym_not"])
SCALED = frozenset(["pow", "full", "full_like", "new_full", "where"])
SIZED = frozenset(["zeros", "ones", "empty", "full", "new_zeros", "new_ones", "new_full", "view", "reshape", "narrow"])
FILLS = frozenset(["copy", "fill", "masked_fill", "scalar_tensor"])  # elementwise without the tag
MADE_TENSORS = frozenset(["add", "sub", "mul", "div"])  # on all releases, where a number is an operand
DOUBLE = (torch.float64, torch.complex128)
SINGLE = (torch.float32, torch.float16, torch.bfloat16)


def computes_with_numbers(module: GraphModule) -> Optional[str]:
    """The reason why compiled code may compute another number than Python, or miss an exception; None if it cannot.

    Sizes that depend on data are small, and arithmetic on sizes is exact.
    """
    fetched: set[Node] = set()
    for node in module.graph.nodes:
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        if name == "item":
            fetched.add(node)
            continue
        operands = [source for source in node.all_input_nodes if source in fetched]
        if not operands or node.op == "output" or name.startswith("_assert_scalar"):
            continue
        if isinstance(node.meta.get("example_value"), NUMBERS):
            fetched.add(node)
            is_allowed = name in COMPARISONS
        else:
            is_allowed = takes_numbers(node, name, operands)
        if not is_allowed:
            return f"a number from a tensor goes through `{name}`"
    return None


def takes_numbers(node: Node, name: str, numbers: list[Node]) -> bool:
    """Whether compiled code computes the tensors of a node as PyTorch does; `numbers` come from the data."""
    floats = [number for number in numbers if isinstance(number.meta["example_value"], torch.SymFloat)]
    all_floats = len(floats) == len(numbers)
    if has_doubles(node) and not all(map(is_single, floats)):
        calls = calls_with_numbers(node)
        return bool(calls) and all(name_of(call[0]) in MADE_TENSORS for call in calls)
    return name in (SCALED if all_floats else SIZED) or are_elementwise(calls_with_numbers(node), all_floats)


def calls_with_numbers(node: Node) -> list[Any]:
    """The ATen calls behind a node that are given symbolic numbers; none where the node cannot be called again."""
    args, kwargs = traced_arguments(node)
    try:
        calls, _ = call_on_stand_ins(node, args, kwargs, tensors_in((args, kwargs)))
    except Exception:  # an operator that asks for the number
        return []
    return [
        call for call in calls if any(isinstance(leaf, NUMBERS) for leaf in torch_names.tree_leaves((call[1], call[2])))
    ]


def are_elementwise(calls: list[Any], all_floats: bool) -> bool:
    """Whether all calls compute each element by itself and never fail. Beside tensors of short integers, a call with
    an integer may.
    """
    for overload, args, kwargs, _ in calls:
        dtypes = {tensor.dtype for tensor in tensors_in((args, kwargs))}
        integral = not all_floats and not any(dtype.is_floating_point or dtype.is_complex for dtype in dtypes)
        if integral and not dtypes <= {torch.int64, torch.bool}:
            return False
        if name_of(overload) not in FILLS and torch.Tag.pointwise not in overload.tags:
            return False
        if may_fail(overload, integral, args) or name_of(overload) in CHECKS_NUMBERS:
            return False
    return bool(calls)


def has_doubles(node: Node) -> bool:
    """Whether a node computes in double precision."""
    tensors = tensors_in((*traced_arguments(node), node.meta.get("example_value")))
    return any(tensor.dtype in DOUBLE for tensor in tensors)


def is_single(number: Node) -> bool:
    """Whether a node fetches a number from a tensor of single or lower precision."""
    source = number.args[0] if number.target == "item" else None
    value = source.meta.get("example_value") if isinstance(source, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in SINGLE
