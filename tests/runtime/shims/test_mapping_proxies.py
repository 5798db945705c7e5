"""Read-only views of dictionaries, beside dictionaries that the program writes to."""

from __future__ import annotations

import collections
import inspect
import types
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend

SIGNATURE = inspect.signature(lambda x, factor=2: x)


class Holder:
    """An object whose attributes are looked at through a proxy."""


class Owned(dict):
    """A dictionary of a class of the program's own."""


def look(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    return x * proxy["k"] * len(proxy) + table["k"]


def give(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    return [(x * proxy["k"]), list(proxy.items())]


def bind(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    return x * SIGNATURE.bind(x, factor=3).arguments["factor"] * proxy["k"]


def write(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    table["k"] = 7.0
    return x * proxy["k"]


def update(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    table["k"] = 5.0
    table["z"] = 2.0
    return x * sum(proxy.values()) if type(table) is dict else x * proxy["k"] * proxy["z"]


def merge(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    table |= {"z": 3.0}
    return x * proxy["z"] if "z" in proxy else x


def remove(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    table["q"] = 2.0
    y = x * proxy["q"]
    table.pop("q")
    return y * proxy["k"] + len(proxy)


def read_first(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    y = x * proxy["k"]
    table["k"] = 4.0
    return y


OWNER = Holder()


def attribute(x: torch.Tensor, table: dict, proxy: Any, notes: dict) -> Any:
    notes["calls"] += 1
    OWNER.a = notes["calls"] * 5.0
    return x * types.MappingProxyType(OWNER.__dict__)["a"] * proxy["k"]


def observe(function: Callable[..., Any], kind: Callable[[], dict]) -> list:
    """What four calls give and leave behind."""
    table, notes = kind(), {"calls": 0}
    table["k"] = 1.0
    proxy, found = types.MappingProxyType(table), []
    for _ in range(4):
        try:
            found.append(str(function(torch.ones(2), table, proxy, notes)))
        except Exception as error:
            found.append(type(error).__name__)
        found.append(str((dict(table), dict(proxy), notes)))
    return found


KINDS = [dict, collections.OrderedDict, collections.Counter, lambda: collections.defaultdict(float), Owned]


@pytest.mark.parametrize("function", [look, give, bind, write, update, merge, remove, read_first, attribute])
@pytest.mark.parametrize("kind", KINDS)
def test_a_proxy_shows_what_eager_python_finds(function: Any, kind: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=CountingBackend())
    assert observe(compiled, kind) == observe(function, kind)


@pytest.mark.parametrize("function", [look, give, bind])
def test_writing_to_another_dictionary_leaves_one_graph(function: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=CountingBackend(), fullgraph=True)
    assert observe(compiled, dict) == observe(function, dict)


@pytest.mark.parametrize("function", [write, update, remove])
def test_writing_to_the_dictionary_behind_is_an_error_where_one_graph_is_asked_for(function: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=CountingBackend(), fullgraph=True)
    assert "Unsupported" in observe(compiled, dict)
