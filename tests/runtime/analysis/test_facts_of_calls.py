"""What a call draws and which of its tensors it writes to, for every kind of thing that a graph may call."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

from graphmend.runtime.analysis import node_facts
from graphmend.runtime.analysis.node_facts import Facts, derive_facts

UNKNOWN = Facts(True, frozenset([0, 1]))


@torch.library.custom_op("gm_facts::fills", mutates_args={"y"})
def fills(x: torch.Tensor, y: torch.Tensor) -> None:
    y.copy_(x)


def stand_ins(count: int) -> list[torch.Tensor]:
    mode = FakeTensorMode()
    return [mode.from_tensor(torch.ones(3)) for _ in range(count)]


def own(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


LIBRARY = torch.library.Library("gm_facts", "FRAGMENT")
LIBRARY.define("several(Tensor x, Tensor y) -> Tensor")
LIBRARY.define("several.out(Tensor x, Tensor(a!) y) -> Tensor(a!)")
LIBRARY.define("alike(Tensor x, Tensor y) -> Tensor")
LIBRARY.define("alike.too(Tensor x, Tensor y, int z) -> Tensor")


def operators() -> dict[str, tuple[Any, Facts]]:
    """Each with what is known of a call with two tensors."""
    own_ops = torch.ops.gm_facts
    return {
        "one overload": (own_ops.fills.default, Facts(True, frozenset([1]))),
        "a packet of one": (own_ops.fills, Facts(True, frozenset([1]))),
        "a packet of which one writes": (own_ops.several, UNKNOWN),
        "one of several": (own_ops.several.default, Facts(True, frozenset())),
        "the one that writes": (own_ops.several.out, Facts(True, frozenset([1]))),
        "a packet of which none writes": (own_ops.alike, Facts(True, frozenset())),
        "a function of the program": (own, UNKNOWN),
        "torch": (torch.add, Facts(False, frozenset())),
        "an operator": (torch.ops.aten.add.Tensor, Facts(False, frozenset())),
        "a write": (torch.ops.aten.add_.Tensor, Facts(False, frozenset([0]))),
        "a write by Python": (operator.iadd, Facts(False, frozenset([0]))),
        "a draw": (torch.normal, Facts(True, frozenset())),
        "what fails": (torch.mm, None),
        "derivatives": (torch.autograd.grad, node_facts.NOTHING),
        "a loss": (F.mse_loss, Facts(False, frozenset())),
    }


@pytest.mark.parametrize("name", operators())
def test_facts(name: str) -> None:
    target, expected = operators()[name]
    graph = torch.fx.Graph()
    tensors = stand_ins(2)
    node = graph.call_function(target, tuple(graph.placeholder(letter) for letter in "xy"))
    assert derive_facts(node, tuple(tensors), {}, tensors) == expected


def test_items_of_containers() -> None:
    """What takes an item out of a tuple or a list does nothing, whatever is in it."""
    for container in (tuple, list):
        graph, tensors = torch.fx.Graph(), stand_ins(2)
        node = graph.call_function(operator.getitem, (graph.placeholder("x"), 0))
        assert derive_facts(node, (container(tensors), 0), {}, tensors) == node_facts.NOTHING
    graph, tensors = torch.fx.Graph(), stand_ins(1)
    node = graph.call_function(operator.getitem, (graph.placeholder("x"), 0))
    assert derive_facts(node, (tensors[0], 0), {}, tensors) == node_facts.NOTHING


def test_the_cache_holds_so_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program with more kinds of calls than the cache holds is told the same facts, in bounded memory."""
    monkeypatch.setattr(node_facts, "MAX_CACHED", 3)
    monkeypatch.setattr(node_facts, "cache", {})
    graph = torch.fx.Graph()
    tensor = graph.placeholder("x")
    tensor.meta["example_value"] = stand_ins(1)[0]
    for _ in range(2):
        for number in range(5):
            added = graph.call_function(torch.add, (tensor, number))
            drawn = graph.call_function(torch.dropout, (tensor, 0.5, bool(number % 2)))
            assert node_facts.facts_of_call(added) == Facts(False, frozenset())
            assert node_facts.facts_of_call(drawn).draws is bool(number % 2)
            assert 0 < len(node_facts.cache) <= 3
