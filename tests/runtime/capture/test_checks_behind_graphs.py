"""What a graph returns so that its assumptions can be checked behind it, held against the numbers of real calls."""

from __future__ import annotations

from typing import Any, Callable, Optional

import pytest
import sympy
import torch
from live_traces import Begun, symbol_of, traced
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import CallMethodKey, compute_unbacked_bindings

from graphmend.runtime.base import trace_state
from graphmend.runtime.capture import assumption_checks
from graphmend.runtime.capture.assumption_checks import Facts, add_numbers
from graphmend.runtime.capture.assumptions import numbers_of

X, N = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([0, 2])
Build = Callable[[Begun, Node, Node], Any]


def rows(graph: Begun, x: Node) -> Node:
    return graph.call(torch.nonzero, graph.call(torch.gt, x, 0))


def size_of(node: Node, dim: int = 0) -> Any:
    return node.meta["example_value"].shape[dim].node.expr


def total(graph: Begun, n: Node) -> Any:
    return symbol_of(graph.item(graph.call(torch.sum, n)))


def distinct(graph: Begun, n: Node) -> Any:
    """The size of the first of two results."""
    node = graph.call(torch.unique, n, return_inverse=True)
    return node.meta["example_value"][0].shape[0].node.expr


def fetched(graph: Begun, n: Node) -> Any:
    """A number that an operator fetched from a tensor, without a node."""
    node = graph.call(torch.sum, n)
    with graph.mode:
        number = node.meta["example_value"].item()
    compute_unbacked_bindings(graph.shapes, number)
    return number.node.expr


def written_later(graph: Begun, n: Node) -> Any:
    node = graph.call(torch.sum, n)
    number = symbol_of(graph.item(node))
    graph.method("add_", node, 5)
    return number


# Assumptions about a tensor of numbers `x` and one of integers `n`; arguments of calls for which they hold, and not.
Assumed = Callable[[Begun, Node, Node], list[Any]]
FACTS: dict[str, tuple[Assumed, list[Any], list[Any]]] = {
    "a number": (lambda g, x, n: [sympy.Eq(total(g, n), 2)], [(X, N), (-X, N)], [(X, N + 1), (X, -N)]),
    "a bound": (lambda g, x, n: [sympy.Ge(total(g, n), 2)], [(X, N), (X, N + 1)], [(X, -N)]),
    "another number": (lambda g, x, n: [sympy.Ne(total(g, n), 2)], [(X, N + 1)], [(X, N)]),
    "two facts": (
        lambda g, x, n: [sympy.Eq(total(g, n), 2), sympy.Lt(size_of(rows(g, x)), 3)],
        [(X, N), (-X, N)],
        [(X * X, N), (X, N + 1), (X * X, N + 1)],
    ),
    "a sum": (
        lambda g, x, n: [sympy.Eq(total(g, n) + size_of(rows(g, x)), 4)],
        [(X, N), (-X, N + torch.tensor([0, 1]))],
        [(-X, N), (X, N + 1)],
    ),
    "a number of rows": (lambda g, x, n: [sympy.Eq(size_of(rows(g, x)), 2)], [(X, N)], [(-X, N)]),
    "a result of two": (lambda g, x, n: [sympy.Eq(distinct(g, n), 2)], [(X, N), (X, N + 1)], [(X, N * 0)]),
    "a number without a node": (lambda g, x, n: [sympy.Eq(fetched(g, n), 2)], [(X, N)], [(X, N + 1)]),
    "a number that is written over": (lambda g, x, n: [sympy.Eq(written_later(g, n), 2)], [(X, N)], [(X, N + 1)]),
    "a comparison": (lambda g, x, n: [sympy.Gt(total(g, x), 1.5)], [(X, N)], [(X - 1, N), (X * float("nan"), N)]),
    "the other side": (lambda g, x, n: [sympy.Gt(1.5, total(g, x), evaluate=False)], [(X - 1, N)], [(X, N)]),
    "equal floats": (lambda g, x, n: [sympy.Eq(total(g, x), 2.0)], [(X, N)], [(X - 1, N)]),
    "a truth and a number": (
        lambda g, x, n: [sympy.Le(total(g, x), 2.0), sympy.Eq(total(g, n), 2)],
        [(X, N)],
        [(X + 1, N), (X, N + 1)],
    ),
    "the same fact twice": (lambda g, x, n: [sympy.Eq(total(g, n), 2)] * 2, [(X, N)], [(X, N + 1)]),
}


def read(graph: Begun, facts: list[Any], result: Node, computed: list[Node]) -> tuple[GraphModule, Optional[Facts]]:
    module = graph.end(result)
    numbers_of(graph.trace).assumed += facts
    found = add_numbers(module, graph.trace, computed)
    module.graph.lint()
    module.recompile()
    return module, found


@pytest.mark.parametrize("name", FACTS)
@traced()
def test_facts(graph: Begun, name: str) -> None:
    build, good, bad = FACTS[name]
    x, n = graph.given("x", X), graph.given("n", N)
    facts = build(graph, x, n)
    module, found = read(graph, facts, graph.call(torch.add, x, 1), [])
    assert found is not None
    for expected, calls in ((True, good), (False, bad)):
        for values in calls:
            result, numbers = module(*(value.clone() for value in values))
            torch.testing.assert_close(result, values[0] + 1, equal_nan=True)
            assert found.hold(numbers, values) is expected, (values, numbers)


@traced()
def test_sizes_of_inputs(graph: Begun) -> None:
    """Numbers that are there before the graph are read from its inputs."""
    nodes = []
    for name, value in (("x", torch.ones(5, 2)), ("y", torch.ones(2, 7))):
        nodes.append(graph.graph.placeholder(name))
        graph.keep(nodes[-1], graph.mode.from_tensor(value))
    number = graph.keep(graph.graph.placeholder("number"), nodes[1].meta["example_value"].shape[1] + 0)
    alone = graph.shapes.create_unbacked_symint()
    place = graph.graph.placeholder("alone")
    place.meta["example_value"] = alone
    facts = [sympy.Eq(size_of(nodes[0]), 5), sympy.Eq(size_of(nodes[1], 1), 7), sympy.Eq(alone.node.expr, 4)]
    assert number.op == "placeholder"
    module, found = read(graph, facts, graph.graph.call_method("neg", (nodes[0],)), [])
    assert found is not None
    calls = {(5, 7, 4): True, (6, 7, 4): False, (5, 8, 4): False, (5, 7, 3): False}
    for (first, second, third), expected in calls.items():
        values = torch.ones(first, 2), torch.ones(2, second), second, third
        result, numbers = module(*values)
        assert numbers.shape == (0,) and found.hold(numbers, values) is expected


@traced()
def test_nothing_is_added_for_nothing(graph: Begun) -> None:
    module, found = read(graph, [], graph.call(torch.neg, graph.given("x", X)), [])
    assert found is None and len(module(X)) == 1


@traced()
def test_what_has_to_be_computed_is(graph: Begun) -> None:
    """Operators that compilers cannot look into read the tensor: it is no dead code."""
    x, n = graph.given("x", X), graph.given("n", N)
    chosen = graph.call(torch.index_select, x, 0, n)
    module, found = read(graph, [], graph.call(torch.neg, x), [chosen, x])
    assert found is not None
    module.graph.eliminate_dead_code()
    module.recompile()
    result, numbers = module(X, N)
    assert numbers.tolist() == [0, 0] and found.hold(numbers, (X, N))
    with pytest.raises(IndexError):
        module(X, N + 9)


REFUSED: dict[str, tuple[Assumed, str]] = {
    "a symbol of nothing": (lambda g, x, n: [sympy.Eq(sympy.Symbol("u77", integer=True), 1)], "what u77 is"),
    "a float of nothing": (lambda g, x, n: [sympy.Gt(sympy.Symbol("zuf77"), 1.0)], "what zuf77 is"),
}


@pytest.mark.parametrize("name", REFUSED)
@traced()
def test_what_cannot_be_found_out(graph: Begun, name: str) -> None:
    build, reason = REFUSED[name]
    x, n = graph.given("x", X), graph.given("n", N)
    with pytest.raises(trace_state.SiteRefused, match=f"^the graph cannot find out {reason}$"):
        read(graph, build(graph, x, n), graph.call(torch.neg, x), [])


@pytest.mark.parametrize("keys", [[], ["size"], ["stride", "size"], ["size"] * 3], ids=str)
@traced()
def test_a_number_at_another_place(graph: Begun, keys: list[str]) -> None:
    x = graph.given("x", X)
    node, symbol = graph.call(torch.neg, x), sympy.Symbol("u78", integer=True)
    node.meta["unbacked_bindings"] = {symbol: tuple(map(CallMethodKey, keys))}
    with pytest.raises(trace_state.SiteRefused, match="^the graph cannot find out what u78 is$"):
        read(graph, [sympy.Eq(symbol, 1)], node, [])


@traced()
def test_a_float_at_another_place(graph: Begun) -> None:
    x, symbol = graph.given("x", X), sympy.Symbol("zuf78", real=True)
    node = graph.call(torch.neg, x)
    node.meta["unbacked_bindings"] = {symbol: ()}
    with pytest.raises(trace_state.SiteRefused, match="^the graph cannot find out what zuf78 is$"):
        read(graph, [sympy.Gt(symbol, 1.0)], node, [])


@traced()
def test_a_fact_that_is_no_python(graph: Begun) -> None:
    x, symbol = graph.given("x", X), sympy.Symbol("u 79", integer=True)
    node = graph.item(graph.call(torch.sum, graph.given("n", N)))
    node.meta["unbacked_bindings"] = {symbol: ()}
    with pytest.raises(trace_state.SiteRefused, match="^what the graph assumes cannot be written in Python$"):
        read(graph, [sympy.Eq(symbol, 1)], graph.call(torch.neg, x), [])


def test_operators() -> None:
    value = torch.ones(3, 5)
    size = assumption_checks.SIZE_OF(value, 1)
    assert size.item() == 5 and size.dim() == 0
    made = torch.ops.graphmend_facts.made(value)
    assert made.item() == 0 and made.dtype == torch.int64
