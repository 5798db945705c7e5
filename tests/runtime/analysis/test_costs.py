"""What a call is taken to cost is what torch's own counter of operations says, and else one for each element."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from graphmend.runtime.analysis import aten_facts
from graphmend.runtime.analysis.node_facts import Recorder

Call = Callable[..., Any]


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(*shape)


Shapes = list[tuple[int, ...]]
PRODUCTS: dict[str, tuple[Call, Shapes]] = {
    "mm": (torch.mm, [(2, 3), (3, 5)]),
    "mm, thin": (torch.mm, [(1, 1), (1, 1)]),
    "bmm": (torch.bmm, [(2, 3, 4), (2, 4, 5)]),
    "addmm": (torch.addmm, [(5,), (2, 3), (3, 5)]),
    "baddbmm": (torch.baddbmm, [(2, 3, 5), (2, 3, 4), (2, 4, 5)]),
    "convolution": (F.conv2d, [(2, 3, 5, 5), (4, 3, 3, 3)]),
    "convolution with a bias": (F.conv1d, [(2, 3, 7), (4, 3, 3), (4,)]),
    "convolution in groups": (lambda x, w: F.conv1d(x, w, groups=2), [(2, 4, 7), (4, 2, 3)]),
    "convolution by one": (F.conv1d, [(1, 1, 3), (1, 1, 1)]),
    "convolution of one channel": (F.conv1d, [(1, 1, 5), (1, 1, 3)]),
}
ELEMENTS: dict[str, tuple[Call, Shapes, int]] = {
    "relu": (torch.relu, [(2, 3)], 6),
    "no elements": (torch.relu, [(0, 3)], 0),
    "a scalar": (torch.sum, [(2, 3)], 1),
    "the largest of several": (lambda x: x.max(dim=1), [(2, 3)], 2),
    "of several sizes": (lambda x: torch.ops.aten.split_with_sizes(x, [5, 2]), [(7,)], 5),
    "by rows": (lambda x, y: torch.cat([x, y]), [(2, 2), (3, 2)], 10),
    "mv": (torch.mv, [(2, 3), (3,)], 12),
    "dot": (torch.dot, [(4,), (4,)], 8),
}


def cost(call: Call, shapes: Shapes) -> int:
    tensors = [ones(*shape) for shape in shapes]
    with Recorder() as recorder:
        call(*tensors)
    return sum(aten_facts.cost_of(overload, args, result) for overload, args, _, result in recorder.calls)


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str) -> None:
    call, shapes = PRODUCTS[name]
    with FlopCounterMode(display=False) as counter:
        call(*(ones(*shape) for shape in shapes))
    assert cost(call, shapes) == counter.get_total_flops()


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements(name: str) -> None:
    call, shapes, expected = ELEMENTS[name]
    assert cost(call, shapes) == expected


def test_attention() -> None:
    """Two products: of queries with keys, and of what comes out with the values, whose width the result has."""
    query, key = ones(1, 2, 5, 8), ones(1, 2, 7, 8)
    result = F.scaled_dot_product_attention(query, key, key)
    overload = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
    assert aten_facts.cost_of(overload, (query, key, key), (result, ones(1))) == 4 * result.numel() * 7


def test_symbolic_sizes() -> None:
    """A size counts as in the traced call."""
    costs: list[int] = []

    def count(module: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        for node in module.graph.nodes:
            if node.op == "call_function":
                costs.append(aten_facts.size_of(node.meta["example_value"]))
        return module.forward

    torch.compile(lambda x: x * 2, backend=count, dynamic=True)(ones(6, 5))
    assert costs == [30]
