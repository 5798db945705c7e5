"""Graphs into which the numbers of one call are written: what is left of the symbols, and what the graphs compute."""

from __future__ import annotations

import operator
from typing import Any, Callable

import pytest
import sympy
import torch
from live_traces import Begun, symbol_of, traced
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphmend.runtime.base import torch_names
from graphmend.runtime.capture import specialization
from graphmend.runtime.capture.assumption_checks import SIZE_OF
from graphmend.runtime.capture.assumptions import numbers_of
from graphmend.runtime.capture.specialization import SIZED, write_numbers

X, N = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([0, 2])
Build = Callable[[Begun, Node, Node], list[Node]]


def equals(graph: Begun, symbol: Any, number: float) -> None:
    """Assume the number of a symbol."""
    exact = sympy.Integer(number) if isinstance(number, int) else sympy.Float(number)
    numbers_of(graph.trace).assumed.append(sympy.Eq(symbol, exact, evaluate=False))


def total(graph: Begun, n: Node, number: float = 2) -> Node:
    """The number in a tensor, which is assumed."""
    node = graph.item(graph.call(torch.sum, n))
    equals(graph, symbol_of(node), number)
    return node


def rows(graph: Begun, x: Node, number: int = 2) -> Node:
    node = graph.call(torch.nonzero, graph.call(torch.gt, x, 0))
    equals(graph, node.meta["example_value"].shape[0].node.expr, number)
    return node


def distinct(graph: Begun, n: Node, number: int = 2) -> list[Node]:
    """A tensor of open size and another one, of one operator."""
    both = graph.call(torch.unique, n, return_inverse=True)
    equals(graph, both.meta["example_value"][0].shape[0].node.expr, number)
    return [graph.call(operator.getitem, both, place) for place in range(2)]


def scaled(graph: Begun, x: Node, number: Node) -> Node:
    return graph.call(torch.mul, x, number)


def checked(graph: Begun, number: Node) -> Node:
    """An assertion on a number, which is checked behind the graph in its place."""
    test = graph.call(operator.ge, number, 1)
    graph.graph.call_function(torch_names._assert_scalar, (test, "too small"))
    graph.graph.call_function(torch_names._check_is_size, (number,))
    return number


def measured(graph: Begun, node: Node) -> Node:
    size = graph.graph.call_function(SIZE_OF, (node, 0))
    return graph.graph.call_method("add", (size, 1))


def length(graph: Begun, node: Node) -> Node:
    return graph.method("size", node, 0)


def padded(graph: Begun, x: Node, n: Node) -> list[Node]:
    """An operator that fetches the number from its argument."""
    tensor = graph.call(torch.sum, n)
    number = graph.item(tensor)
    equals(graph, symbol_of(number), 2)
    node = graph.graph.call_function(torch.nn.functional.pad, (x, (0, tensor)))
    with graph.mode:
        graph.keep(node, torch.nn.functional.pad(x.meta["example_value"], (0, 2)))
    numbers_of(graph.trace).fetches.append((node, tensor.meta["example_value"], number.meta["example_value"]))
    return [node]


def padded_by_another(graph: Begun, x: Node, n: Node) -> list[Node]:
    """A number that nothing is assumed of."""
    found = padded(graph, x, n)
    numbers_of(graph.trace).assumed.clear()
    total(graph, n)
    return found


# The results of a graph of a tensor of numbers `x` and one of integers `n`; whether all of its numbers are known; and
# the targets that may not be in the graph afterwards, and have to be.
PROGRAMS: dict[str, tuple[Build, bool, list[Any], list[Any]]] = {
    "a factor": (lambda g, x, n: [scaled(g, x, total(g, n))], True, ["item"], ["mul"]),
    "a sum of numbers": (
        lambda g, x, n: [scaled(g, x, g.call(operator.add, total(g, n), 1))],
        True,
        ["item", operator.add],
        ["mul"],
    ),
    "a float": (lambda g, x, n: [scaled(g, x, total(g, x, 2.0))], True, ["item"], ["mul"]),
    "a truth": (
        lambda g, x, n: [scaled(g, x, g.call(torch.sym_ite, g.call(operator.gt, total(g, n), 1), 3, 4))],
        True,
        ["item", operator.gt],
        [],
    ),
    "a number that is checked": (
        lambda g, x, n: [scaled(g, x, checked(g, total(g, n)))],
        True,
        ["item", torch_names._assert_scalar, torch_names._check_is_size, operator.ge],
        ["mul"],
    ),
    "rows": (lambda g, x, n: [g.call(torch.add, rows(g, x), 1)], True, [], [SIZED]),
    "rows that are a result": (lambda g, x, n: [rows(g, x)], True, [], [SIZED]),
    "the number of rows": (
        lambda g, x, n: [scaled(g, x, g.method("size", rows(g, x), 0))],
        True,
        ["size"],
        ["mul"],
    ),
    "rows that are measured": (lambda g, x, n: [measured(g, rows(g, x))], True, [SIZED], [SIZE_OF]),
    "rows that are measured and used": (
        lambda g, x, n: [*(f(g, r) for r in [rows(g, x)] for f in (measured, lambda g, r: g.call(torch.add, r, 1)))],
        True,
        [],
        [SIZE_OF, SIZED],
    ),
    "one of two": (lambda g, x, n: [g.call(torch.add, part, 1) for part in distinct(g, n)], True, [], [SIZED]),
    "no numbers but sizes of both": (
        lambda g, x, n: [scaled(g, x, total(g, n)), g.call(torch.neg, rows(g, x))],
        True,
        ["item"],
        [SIZED, "mul"],
    ),
    "a number without an assumption": (
        lambda g, x, n: [scaled(g, x, total(g, n)), scaled(g, x, g.item(g.call(torch.sum, n)))],
        False,
        [],
        ["item"],
    ),
    "rows without an assumption": (
        lambda g, x, n: [scaled(g, x, total(g, n)), g.call(torch.neg, g.call(torch.nonzero, x))],
        False,
        ["item", SIZED],
        ["mul"],
    ),
    "rows without an assumption that are measured": (
        lambda g, x, n: [scaled(g, x, total(g, n)), measured(g, g.call(torch.nonzero, x))],
        True,
        ["item", SIZED],
        [SIZE_OF],
    ),
    "a sum without an assumption": (
        lambda g, x, n: [
            scaled(g, x, total(g, n)),
            scaled(g, x, g.call(operator.add, g.item(g.call(torch.sum, n)), 1)),
        ],
        False,
        [],
        ["item", operator.add],
    ),
    "rows without an assumption that are measured and used": (
        lambda g, x, n: [
            scaled(g, x, total(g, n)),
            *(f(g, r) for r in [g.call(torch.nonzero, x)] for f in (measured, lambda g, r: g.call(torch.neg, r))),
        ],
        False,
        ["item", SIZED],
        [SIZE_OF],
    ),
    "a fetched number": (padded, True, ["item"], [torch.nn.functional.pad]),
    "a fetched number without an assumption": (padded_by_another, True, ["item"], [torch.nn.functional.pad]),
    "an unused number": (lambda g, x, n: [(total(g, n), g.call(torch.neg, x))[1]], True, ["item"], ["neg"]),
    "a number made of nothing": (
        lambda g, x, n: [(total(g, n), scaled(g, x, g.call(torch.sym_int, 3.0)))[1]],
        True,
        ["item"],
        ["mul"],
    ),
}


def has(module: GraphModule, target: Any) -> bool:
    names = {getattr(node.target, "__name__", node.target) for node in module.graph.nodes}
    return target in names or any(node.target is target for node in module.graph.nodes)


@pytest.mark.parametrize("name", PROGRAMS)
@traced()
def test_programs(graph: Begun, name: str) -> None:
    build, known, gone, there = PROGRAMS[name]
    module = graph.end(*build(graph, graph.given("x", X), graph.given("n", N)))
    expected = module(X, N)
    assert write_numbers(module, graph.trace) is known
    module.graph.lint()
    assert [target for target in gone if has(module, target)] == []
    assert [target for target in there if not has(module, target)] == []
    module.recompile()
    found = module(X, N)
    assert len(found) == len(expected) and all(map(torch.equal, found, expected))
    if known:
        used = (node for node in module.graph.nodes if node.op != "output" and node.target not in (SIZED, SIZE_OF))
        numbers = [node.meta.get("example_value") for node in used]
        assert not any(free_unbacked_symbols(value) for value in numbers if isinstance(value, torch.SymInt))


@traced()
def test_nothing_assumed_is_nothing_written(graph: Begun) -> None:
    x, n = graph.given("x", X), graph.given("n", N)
    module = graph.end(scaled(graph, x, graph.item(graph.call(torch.sum, n))))
    before = [node.target for node in module.graph.nodes]
    assert write_numbers(module, graph.trace) is False
    assert [node.target for node in module.graph.nodes] == before


@pytest.mark.parametrize("build", [padded, padded_by_another])
@traced()
def test_an_operator_that_fetches_a_number_is_given_it(graph: Begun, build: Build) -> None:
    """A number that nothing is assumed of stays in its tensor."""
    (node,) = build(graph, graph.given("x", X), graph.given("n", N))
    tensor = node.args[1][1]  # type: ignore[index]
    write_numbers(graph.end(node), graph.trace)
    assert node.args[1] == (0, 2 if build is padded else tensor)


@traced()
def test_a_number_as_a_result_stays(graph: Begun) -> None:
    """Dynamo reads it behind the graph."""
    number = total(graph, graph.given("n", N))
    module = graph.end(number, graph.call(torch.neg, graph.given("x", X)))
    write_numbers(module, graph.trace)
    assert module.graph.output_node().args[0][0] is number


FACTS = {
    "an integer": (lambda u, v: sympy.Eq(u, sympy.Integer(3), evaluate=False), True),
    "a float": (lambda u, v: sympy.Eq(u, sympy.Float(3.5), evaluate=False), True),
    "a bound": (lambda u, v: sympy.Ge(u, 3), False),
    "another number": (lambda u, v: sympy.Ne(u, 3), False),
    "a sum": (lambda u, v: sympy.Eq(u + 1, sympy.Integer(3), evaluate=False), False),
    "another symbol": (lambda u, v: sympy.Eq(u, v, evaluate=False), False),
}


@pytest.mark.parametrize("name", FACTS)
@traced()
def test_values_of_facts(graph: Begun, name: str) -> None:
    build, expected = FACTS[name]
    u, v = sympy.symbols("u0 u1")
    numbers_of(graph.trace).assumed.append(build(u, v))
    found = specialization.values_of(graph.trace)
    assert list(found) == ([u] if expected else [])
    assert not found or found[u] == numbers_of(graph.trace).assumed[0].args[1]


@traced()
def test_numbers_behind_nodes(graph: Begun) -> None:
    item = graph.item(graph.call(torch.sum, graph.given("n", N)))
    float_item = graph.item(graph.call(torch.sum, graph.given("x", X)))
    truth = graph.call(operator.gt, item, 1)
    u, v = symbol_of(item), symbol_of(float_item)

    def number(node: Node, **known: int) -> Any:
        values = {symbol: sympy.Integer(value) for symbol, value in zip((u, v), known.values())}
        return specialization.number_of(node, node.meta["example_value"], values)

    assert number(truth) is None and number(item) is None and number(float_item) is None
    assert number(truth, u=2) is True and number(truth, u=0) is False
    assert number(item, u=2) == 2 and type(number(item, u=2)) is int
    assert number(float_item, u=2, v=3) == 3.0 and type(number(float_item, u=2, v=3)) is float
    assert number(graph.call(torch.sym_int, 3.0)) == 3


@traced()
def test_sizes(graph: Begun) -> None:
    size = graph.call(torch.nonzero, graph.given("x", X)).meta["example_value"].shape[0]
    symbol = size.node.expr
    assert specialization.whole(7, {}) == 7
    assert specialization.whole(size, {}) is None
    assert specialization.whole(size, {symbol: sympy.Integer(2)}) == 2
    assert specialization.whole(size + 1, {symbol: sympy.Integer(2)}) == 3


@pytest.mark.parametrize("sizes", [[2, 3], [3, 2], [6]], ids=str)
def test_the_operator_that_gives_sizes(sizes: list[int]) -> None:
    value = torch.arange(6.0).reshape(2, 3).requires_grad_()
    if sizes != [2, 3]:
        with pytest.raises(RuntimeError, match="^the graph is made for other sizes$"):
            SIZED(value, sizes, [1] * len(sizes))
        return
    made = SIZED(value, sizes, [1, 2])
    assert torch.equal(made, value) and made.stride() == (1, 2) and made is not value
    assert made.data_ptr() != value.data_ptr() and made.dtype == value.dtype
    (made * 3).sum().backward()
    assert value.grad is not None and torch.equal(value.grad, torch.full((2, 3), 3.0))
    fake = specialization.like_sized(torch.ones(2, 3, dtype=torch.int64), [2, 3], [1, 2])
    assert fake.shape == (2, 3) and fake.stride() == (1, 2) and fake.dtype == torch.int64
