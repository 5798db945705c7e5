"""First calls that fill in an attribute, and numbers that modules hold."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend, compare

import graphmend.runtime as _gm
from graphmend.runtime.shims import lazy_attributes


class Filled(torch.nn.Module):
    """A module that computes an attribute at its first call, in front of a long graph."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        self.norm = torch.nn.BatchNorm1d(2)
        self.table: Any = None
        self.prepared = 0

    def rows(self) -> torch.Tensor:
        if self.table is None:
            self.table = self.linear.weight.detach().sum(0) + 1
        return self.table

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.linear(x)) * self.rows()
        for _ in range(lazy_attributes.LONG):
            x = x * 1.01 - 0.01
        return torch.dropout(x, 0.5, True)

    def shown(self) -> Any:
        return None if self.table is None else self.table.tolist()


class Flagged(Filled):
    """A module that finds out at its first call whether it has been prepared."""

    def rows(self) -> torch.Tensor:
        if not hasattr(self, "ready"):
            self.ready = True
        return self.linear.bias

    def shown(self) -> Any:
        return self.ready


class Short(Filled):
    """The same before a graph of few operators."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.linear(x)) * self.rows()


class Borrowed(Filled):
    """A module that keeps something for the time of one call."""

    def rows(self) -> torch.Tensor:
        assert self.table is None
        self.table = self.linear.weight.sum(0)
        rows = self.table * 2
        self.table = None
        return rows


class Large(Filled):
    """A model whose code tells that it fills something in."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(*(torch.nn.ReLU() for _ in range(lazy_attributes.LARGE)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(self.layers(x))


class Elsewhere(torch.nn.Module):
    """A large model that fills something in where no call comes by."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(*(torch.nn.ReLU() for _ in range(lazy_attributes.LARGE)))
        self.linear = torch.nn.Linear(2, 2)
        self.table: Any = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.layers(x)) * (2 if self.table is None else self.table)

    def refresh(self) -> None:
        if self.table is None:
            self.table = self.linear.bias * 2


def calls() -> list:
    return [lambda: (torch.tensor([[1.0, 2.0], [3.0, -1.0]]),), lambda: (torch.tensor([[0.5, 2.0], [-3.0, 1.0]]),)]


def traced(make: Any) -> list[int]:
    """How many graphs there are after each of three calls."""
    torch._dynamo.reset()
    _gm.registry.reset()
    backend = CountingBackend()
    function = torch.compile(make(), backend=backend)
    return [function(calls()[0]()[0]) is None or len(backend.graphs) for _ in range(3)]


@pytest.mark.parametrize("make", [Filled, Flagged, Large])
@pytest.mark.parametrize("grad", [True, False])
def test_a_first_call_that_fills_something_in_has_no_graph(make: Any, grad: bool) -> None:
    outcome = compare(make, calls(), grad)
    assert outcome.graphs == 1
    record = outcome.report["callables"][0]
    assert record["mode"] == "whole" and record["reason"] is None and record["replays"] == 0
    assert traced(make) == [0, 1, 1]


@pytest.mark.parametrize("make, graphs", [(Short, [1, 2, 2]), (Borrowed, [1, 1, 1]), (Elsewhere, [1, 1, 1])])
def test_other_first_calls_have_one(make: Any, graphs: list) -> None:
    assert traced(make) == graphs
    assert compare(make, calls()).graphs == graphs[-1]


def test_what_is_filled_in_anew_in_every_call_is_put_off_once() -> None:
    class Toggled(Filled):
        def rows(self) -> torch.Tensor:
            self.table = self.linear.bias * 2 if self.table is None else None
            return self.linear.bias

    assert traced(Toggled) == [0, 1, 2]
    compare(Toggled, calls())


def test_a_report_after_the_first_call_names_what_is_filled_in() -> None:
    for make in (Filled, Large):
        torch._dynamo.reset()
        _gm.registry.reset()
        torch.compile(make(), backend=CountingBackend())(calls()[0]()[0])
        record = _gm.report()["callables"][0]
        assert record["mode"] == "waiting" and "`table`" in record["reason"]


class Padded(torch.nn.Module):
    """A module that pads by what a buffer and the length of its input tell."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("stride", torch.tensor(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        missing = (self.stride - x.shape[-1] % self.stride) % self.stride
        x = torch.nn.functional.pad(x, (self.stride, missing))
        return x.unfold(-1, 4, 4).sum(-1)

    def shown(self) -> Any:
        return self.stride.item()


class Changing(Padded):
    """The same with a buffer that the call changes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = super().forward(x)
        self.stride.add_(1)
        return result


def rows(length: int) -> Any:
    return lambda: (torch.arange(2.0 * length).reshape(2, length),)


def test_numbers_that_modules_hold_are_constants_of_the_graph() -> None:
    outcome = compare(Padded, [rows(6)], grad=False)
    assert outcome.graphs == 1
    shapes = [
        value.shape
        for node in outcome.backend.graphs[0].graph.nodes
        if isinstance(value := node.meta.get("example_value"), torch.Tensor)
    ]
    assert all(type(size) is int for shape in shapes for size in shape)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_numbers_that_modules_hold_may_change(backend: str) -> None:
    assert compare(Changing, [rows(6)], backend=backend).graphs == 1
    compare(Changing, [rows(6), rows(7), rows(9)], backend=backend)

    def widened() -> Any:
        model.stride.add_(1)
        return rows(6)()

    model = Padded()
    expected = [model(*widened()) for _ in range(6)]
    torch._dynamo.reset()
    model, counting = Padded(), CountingBackend(backend)
    function = torch.compile(model, backend=counting)
    assert all(torch.equal(function(*widened()), one) for one in expected)
    assert len(counting.graphs) <= 3
    compare(Padded, [rows(6), rows(7), rows(9)], backend=backend)
