"""Values that nobody uses and whose computation may raise: which nodes they are, and what becomes of the program."""

from __future__ import annotations

import operator
from typing import Any, Callable

import pytest
import torch
from harness import compare, load
from live_traces import Begun, traced
from marked_graphs import Written
from torch.fx import Node

from graphmend.runtime.base.marker_ops import check, event, key_of
from graphmend.runtime.base.trace_state import SiteRefused, Trace
from graphmend.runtime.passes import dead_code_that_raises as dead_code

Build = Callable[[Written, Node, Node], Any]


def number(graph: Written, x: Node) -> Node:
    """A symbol: the number in a tensor."""
    return graph.method("item", graph.call(torch.sum, x))


# A node of a graph with a tensor of floats `x` and one of integers `n`, and whether the number may fail to be computed.
NUMBERS: dict[str, tuple[Build, bool]] = {
    "a sum": (lambda g, x, n: g.call(operator.add, number(g, n), 1), False),
    "a product": (lambda g, x, n: g.call(operator.mul, number(g, x), 2.0), False),
    "the larger one": (lambda g, x, n: g.call(torch.sym_max, number(g, n), 3), False),
    "a float": (lambda g, x, n: g.call(torch.sym_float, number(g, n)), False),
    "a quotient by 2": (lambda g, x, n: g.call(operator.truediv, number(g, x), 2.0), False),
    "a floor by 2": (lambda g, x, n: g.call(operator.floordiv, number(g, n), 2), False),
    "a remainder by 2": (lambda g, x, n: g.call(operator.mod, number(g, n), 2), False),
    "a quotient by data": (lambda g, x, n: g.call(operator.truediv, number(g, x), number(g, x)), True),
    "a quotient of a number by data": (lambda g, x, n: g.call(operator.truediv, 1.0, number(g, x)), True),
    "a floor by data": (lambda g, x, n: g.call(operator.floordiv, number(g, n), number(g, n)), True),
    "a remainder by data": (lambda g, x, n: g.call(operator.mod, 7, number(g, n)), True),
    "a root": (lambda g, x, n: g.call(torch.sym_sqrt, number(g, x)), True),
    "an integer of a float": (lambda g, x, n: g.call(torch.sym_int, number(g, x)), True),
    "the number itself": (lambda g, x, n: number(g, n), False),
    "a tensor": (lambda g, x, n: g.call(torch.sqrt, x), False),
    "a quotient of tensors": (lambda g, x, n: g.call(operator.truediv, x, n), False),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_fail(name: str) -> None:
    build, expected = NUMBERS[name]
    graph = Written()
    node = build(graph, graph.input("x"), graph.input("n", dtype=torch.int64))
    assert dead_code.number_fails(node) is expected


def by_zero(graph: Written, n: Node, function: Any) -> Node:
    node = graph.graph.call_function(function, (number(graph, n), 0))
    node.meta["example_value"] = node.args[0].meta["example_value"]
    return node


@pytest.mark.parametrize("function", dead_code.QUOTIENTS, ids=lambda function: function.__name__)
def test_a_quotient_by_zero_fails(function: Any) -> None:
    graph = Written()
    assert dead_code.number_fails(by_zero(graph, graph.input("n", dtype=torch.int64), function))


# Whether the runtime takes what a node gives for a number that Python has asked for.
SINGLE: dict[str, tuple[Build, bool]] = {
    "a sum": (lambda g, x, n: g.call(torch.sum, x), True),
    "one row": (lambda g, x, n: g.method("view", g.call(torch.sum, x), 1, 1), True),
    "three numbers": (lambda g, x, n: g.call(torch.add, x, 1), False),
    "none": (lambda g, x, n: g.method("new_zeros", x, (0,)), False),
    "a complex number": (lambda g, x, n: g.method("to", g.call(torch.sum, x), torch.complex64), False),
    "a sparse one": (lambda g, x, n: g.method("to_sparse", g.method("view", g.call(torch.sum, x), 1)), False),
    "a number of Python": (lambda g, x, n: number(g, n), False),
    "an input": (lambda g, x, n: g.input("one", 1), False),
    "as many as data say": (lambda g, x, n: g.call(torch.nonzero, x), False),
}


@pytest.mark.parametrize("name", SINGLE)
def test_single_numbers(name: str) -> None:
    build, expected = SINGLE[name]
    graph = Written()
    assert dead_code.is_number(build(graph, graph.input("x"), graph.input("n", dtype=torch.int64))) is expected


def looked_up(graph: Written, x: Node, n: Node) -> Node:
    """Rows by their numbers, which raises for a number that is too large."""
    return graph.call(torch.index_select, x, 0, n)


def summed(graph: Written, node: Node) -> Node:
    return graph.call(torch.sum, node)


def written(build: Build) -> tuple[Written, Any]:
    """A graph with floats and integers for inputs, as far as `build` writes it, and the floats."""
    graph = Written()
    x = graph.input("x")
    build(graph, x, graph.input("n", dtype=torch.int64))
    return graph, x


UNUSED: dict[str, tuple[Build, bool]] = {
    "a look-up": (lambda g, x, n: summed(g, looked_up(g, x, n)), True),
    "a look-up behind a sum": (lambda g, x, n: summed(g, g.call(torch.add, looked_up(g, x, n), 1)), True),
    "a sum": (lambda g, x, n: summed(g, g.call(torch.add, x, 1)), False),
    "rows": (lambda g, x, n: looked_up(g, x, n), False),
    "used": (lambda g, x, n: g.method("add_", x, summed(g, looked_up(g, x, n))), False),
}


@pytest.mark.parametrize("name", UNUSED)
def test_unused_numbers(name: str) -> None:
    build, expected = UNUSED[name]
    graph, x = written(build)
    assert dead_code.unused_numbers_may_raise(graph.end(graph.call(torch.add, x, 1))) is expected


def marked(graph: Written, marker: Any, *args: Any) -> None:
    graph.graph.call_function(marker, (key_of("m.py:9:0:GM401", 0), *args))


# What a whole graph has to compute though no result needs it, as the names of the functions.
DEAD: dict[str, tuple[Build, list[str]]] = {
    "nothing": (lambda g, x, n: x, []),
    "what never fails": (lambda g, x, n: g.call(torch.add, x, 1), []),
    "a look-up": (lambda g, x, n: looked_up(g, x, n), ["index_select"]),
    "two": (lambda g, x, n: (looked_up(g, x, n), g.call(torch.take, x, n)), ["index_select", "take"]),
    "one of another": (lambda g, x, n: g.call(torch.take, looked_up(g, x, n), n), ["take"]),
    "one of a sum of another": (
        lambda g, x, n: g.call(torch.take, g.call(torch.add, looked_up(g, x, n), 1), n),
        ["take"],
    ),
    "behind a sum": (lambda g, x, n: g.call(torch.add, looked_up(g, x, n), 1), ["index_select"]),
    "written to memory": (lambda g, x, n: g.method("add_", x, looked_up(g, x, n)), []),
    "shown": (lambda g, x, n: marked(g, event, [looked_up(g, x, n)]), []),
    "checked": (lambda g, x, n: marked(g, check, summed(g, looked_up(g, x, n))), []),
    "numbers": (lambda g, x, n: g.call(operator.mod, 7, number(g, n)), []),
}


@pytest.mark.parametrize("name", DEAD)
def test_dead_nodes_of_a_whole_call(name: str) -> None:
    build, expected = DEAD[name]
    graph, x = written(build)
    module, marks, _ = graph.read(graph.call(torch.add, x, 1))
    trace = Trace(whole=True, off=frozenset())
    found = dead_code.dead_nodes_that_raise(module, marks, trace)
    assert [getattr(node.target, "__name__", "") for node in found] == expected and not trace.refusals


def test_a_result_needs_the_nodes_behind_it() -> None:
    graph = Written()
    x, n = graph.input("x"), graph.input("n", dtype=torch.int64)
    module, marks, _ = graph.read(graph.call(torch.add, looked_up(graph, x, n), 1))
    assert dead_code.dead_nodes_that_raise(module, marks, Trace(whole=True, off=frozenset())) == []


@pytest.mark.parametrize("name", ["what never fails", "a look-up", "a look-up that is needed", "another look-up"])
def test_tests_of_a_part_of_a_call(name: str) -> None:
    """Only a whole call has a place for what Python would compute at the break."""
    graph = Written()
    x, n = graph.input("x"), graph.input("n", dtype=torch.int64)
    rows = graph.call(torch.add, x, 1) if name == "what never fails" else looked_up(graph, x, n)
    test = graph.call(torch.gt, summed(graph, x if name == "another look-up" else rows), 0)
    graph.branch(test, lambda: (), lambda: ())
    needed = rows if name == "a look-up that is needed" else x
    module, marks, _ = graph.read(graph.call(torch.add, needed, 1))
    trace = Trace(whole=False, off=frozenset())
    assert dead_code.dead_nodes_that_raise(module, marks, trace) == []
    reason = "what is tested may fail, and nothing else needs it"
    assert trace.refusals == ({"m.py:1:0:GM101": reason} if name == "a look-up" else {})


KEEPABLE = (operator.getitem, operator.truediv)
# The look-ups and quotients that are left behind Dynamo's removal of unused nodes; "refused" for a number that fails.
KEPT: dict[str, tuple[Build, list[Any]]] = {
    "a look-up": (lambda g, x, n: g.call(operator.getitem, x, n), [operator.getitem]),
    "a look-up of a look-up": (
        lambda g, x, n: g.call(operator.getitem, g.call(operator.getitem, x, n), n),
        [operator.getitem] * 2,
    ),
    "a look-up that is used": (
        lambda g, x, n: g.graph.output(g.call(operator.getitem, x, n)),
        [operator.getitem],
    ),
    "an item that is there": (lambda g, x, n: g.call(operator.getitem, x, 0), []),
    "a sum of a look-up": (lambda g, x, n: g.call(torch.add, g.call(operator.getitem, x, n), 1), [operator.getitem]),
    "a quotient": (lambda g, x, n: g.call(operator.truediv, 1.0, number(g, x)), ["refused"]),
    "a quotient by 2": (lambda g, x, n: g.call(operator.truediv, number(g, x), 2.0), []),
    "a quotient and a sum": (
        lambda g, x, n: (g.call(operator.truediv, 1.0, number(g, x)), g.call(operator.add, number(g, x), 1.0)),
        ["refused"],
    ),
    "a quotient that is used": (
        lambda g, x, n: g.graph.output(g.call(operator.truediv, 1.0, number(g, x))),
        [operator.truediv],
    ),
}


@pytest.mark.parametrize("name", KEPT)
@traced()
def test_what_is_kept_through_the_removal_of_unused_nodes(graph: Begun, name: str) -> None:
    build, expected = KEPT[name]
    build(graph, graph.given("x", torch.ones(3)), graph.given("n", torch.tensor([0, 2])))
    graph.output.should_exit = True  # what a trace says at its end
    remove = type(graph.output).remove_unused_graphargs
    if expected == ["refused"]:
        with pytest.raises(SiteRefused, match="^a number that nobody uses may fail to be computed$"):
            dead_code.keep_lookups(remove, graph.trace, graph.output)
        return
    dead_code.keep_lookups(remove, graph.trace, graph.output)
    assert [node.target for node in graph.graph.nodes if node.target in (dead_code.look_up, *KEEPABLE)] == expected


def test_a_look_up_looks_up() -> None:
    assert dead_code.look_up(["a", "b"], 1) == "b"


PROGRAM = """
    import torch

    def f(x, n):
        y = x * 2
        if y.sum() > 0:
            y = y - 1
        {statement}
        return y + 1
"""
STATEMENTS = ["x[n]", "x[n[0]]", "x[n][0]", "1.0 / n.sum().item()", "n.sum().item() / 2", "7 % int(n.sum())"]
CALLS = [
    lambda: (torch.ones(3), torch.tensor([0, 2])),
    lambda: (torch.ones(3), torch.tensor([0, 9])),
    lambda: (torch.ones(3), torch.tensor([9, 0])),
    lambda: (torch.ones(3), torch.tensor([0, 0])),
]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_without_a_use(tmp_path: Any, statement: str, backend: str) -> None:
    compare(load(tmp_path, PROGRAM.format(statement=statement)), CALLS, False, backend, rounds=8)
