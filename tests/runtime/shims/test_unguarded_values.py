"""Values that Dynamo reads without a guard, such as descriptors of C classes: each call computes with its own."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import torch
from harness import CountingBackend

from graphmend.runtime.base import torch_names


class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = super().__torch_function__(function, types, args, kwargs or {})
        torch._dynamo.graph_break()
        return result


def apply(function: Any, x: torch.Tensor) -> Any:
    return function(x)


def from_a_list(functions: list, x: torch.Tensor) -> Any:
    if x.sum() > 0:
        x = x + 1
    return functions[0](x)


def mean(x: torch.Tensor) -> torch.Tensor:
    return torch.mean(x.float())


PAIRS = [
    (torch.Tensor.sin, torch.Tensor.cos),
    (torch.Tensor.numel, torch.Tensor.dim),
    (torch.Tensor.float, torch.mean),
    (torch.Tensor.T.__get__, torch.Tensor.real.__get__),
    (torch.Tensor.__neg__, torch.Tensor.__abs__),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_another_descriptor_is_another_operation(pair: Any, backend: str) -> None:
    torch._dynamo.reset()
    x, compiled = torch.tensor([[0.5, -2.0]]), torch.compile(apply, backend=backend)
    for function in [*pair, *pair]:
        torch.testing.assert_close(compiled(function, x), function(x))


@pytest.mark.parametrize("pair", PAIRS)
def test_a_descriptor_in_a_list_is_asked_for(pair: Any) -> None:
    torch._dynamo.reset()
    x, compiled = torch.tensor([[0.5, -2.0]]), torch.compile(from_a_list, backend="eager")
    for function in [*pair, *pair]:
        torch.testing.assert_close(compiled([function], x), from_a_list([function], x))


def test_a_torch_function_that_breaks_gives_results_of_its_operation() -> None:
    torch._dynamo.reset()
    x = torch.tensor([[0.5, -2.0]]).as_subclass(Named)
    assert torch.equal(torch.compile(mean, backend="eager")(x), mean(x))


def test_the_same_descriptors_are_one_graph() -> None:
    torch._dynamo.reset()
    backend = CountingBackend()
    compiled = torch.compile(apply, backend=backend)
    for function in (torch.Tensor.sin, torch.Tensor.sin, torch.Tensor.T.__get__, torch.Tensor.T.__get__):
        compiled(function, torch.ones(1, 2))
    assert len(backend.graphs) == 2


class Silent(tuple):  # noqa: SLOT001
    def __len__(self) -> int:
        raise NotImplementedError


class Short(list):
    def __len__(self) -> int:
        return 1


class Items(torch.nn.Module):
    def __init__(self, items: Any) -> None:
        super().__init__()
        self.items = items

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.isnan().any():
            raise ValueError("NaN")
        for item in self.items:
            x = x * 3 + item
        return x


@pytest.mark.skipif(torch_names.release().version < (2, 10), reason="the guard of torch 2.9 asks the class alone")
@pytest.mark.parametrize("kind", [Silent, Short])
def test_items_are_counted_where_the_class_tells_another_length(kind: Any) -> None:
    torch._dynamo.reset()
    counting = CountingBackend()
    x, net = torch.ones(2), Items(kind((1, 2)))
    compiled = torch.compile(net, backend=counting)
    for items in [(1, 2), (1, 2), (1, 2, 3), (4,)]:
        net.items = kind(items)
        torch.testing.assert_close(compiled(x), net(x))
    assert len(counting.graphs) == 3


def first_value(x: torch.Tensor, table: Any) -> torch.Tensor:
    return x * next(iter(table.values())) + len(table)


@pytest.mark.parametrize("kind", [collections.OrderedDict, type("Derived", (collections.OrderedDict,), {})])
def test_the_order_of_an_ordered_dictionary(kind: Any) -> None:
    torch._dynamo.reset()
    counting, x, table = CountingBackend(), torch.ones(2), kind(a=2.0, b=3.0)
    compiled = torch.compile(first_value, backend=counting)
    for _ in range(4):
        assert torch.equal(compiled(x, table), first_value(x, table))
        table.move_to_end(next(iter(table)))
    assert len(counting.graphs) == 2
