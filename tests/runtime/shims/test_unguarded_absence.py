"""A key or an attribute that is absent in one call and present in the next: each call computes with its own."""

from __future__ import annotations

import collections
import types
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend


class Derived(dict):
    """A dictionary of a class of the program."""


class Plain:
    """An object with attributes."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Slots:
    """An object without a `__dict__`."""

    __slots__ = ("other", "scale")

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


def module(**attributes: Any) -> torch.nn.Module:
    made = torch.nn.Module()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def read_item(x: torch.Tensor, holder: Any) -> torch.Tensor:
    try:
        return x * holder["scale"]
    except KeyError:
        return x - 1


def read_attribute(x: torch.Tensor, holder: Any) -> torch.Tensor:
    try:
        return x * holder.scale
    except AttributeError:
        return x - 1


def chained(**items: Any) -> Any:
    return collections.ChainMap({}, items)


ORDERS = [[{}, {"scale": 3.0}, {"other": 2.0}, {"scale": 3.0}], [{"scale": 3.0}, {}, {"other": 2.0, "scale": 3.0}]]


@pytest.mark.parametrize("order", ORDERS, ids=["absent first", "present first"])
@pytest.mark.parametrize(
    ("read", "make"),
    [
        (read_item, dict),
        (read_item, Derived),
        (read_item, collections.OrderedDict),
        (read_item, chained),
        (read_attribute, Plain),
        (read_attribute, types.SimpleNamespace),
        (read_attribute, Slots),
        (read_attribute, module),
    ],
)
def test_each_call_reads_its_own(read: Callable[..., Any], make: Callable[..., Any], order: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(read, backend="eager")
    x = torch.ones(2)
    for items in order:
        assert torch.equal(compiled(x, make(**items)), read(x, make(**items)))


class Memo(torch.nn.Module):
    """A module with a memory by sizes, filled on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.masks: dict[int, torch.Tensor] = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            mask = self.masks[x.shape[0]]
        except KeyError:
            mask = self.masks[x.shape[0]] = torch.ones(x.shape[0])
            return x + mask * 2
        return x + mask


def test_a_memory_that_the_call_fills() -> None:
    torch._dynamo.reset()
    counting = CountingBackend()
    plain, mended = Memo(), Memo()
    compiled = torch.compile(mended, backend=counting, dynamic=False)
    for size in (2, 2, 3, 2, 3):
        x = torch.ones(size)
        assert torch.equal(compiled(x), plain(x))
    assert list(plain.masks) == list(mended.masks)
    graphs = len(counting.graphs)
    compiled(torch.ones(3))
    assert len(counting.graphs) == graphs
