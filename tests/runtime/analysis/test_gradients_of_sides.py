"""Whether both sides of a branch give gradients to the same tensors, told for graphs of each shape."""

from __future__ import annotations

import types
from typing import Any, Callable

import pytest
import torch
from marked_graphs import Written, nodes_of
from torch.fx import Node

from graphmend.runtime.analysis.branch_proofs import describe, entries, requires_grad, scaling_behind, unequal_gradients
from graphmend.runtime.base.dynamo_values import source_name

Graph = Callable[[Written, Node, Node, Node], Any]  # of a test, two inputs that require gradients; gives the results


def only(name: str) -> str:
    return f"only one side gives a gradient to `{name}`"


def made(name: str) -> str:
    return f"only one side gives a gradient to what `{name}` has made"


def inside(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    """A branch in a branch, that leaves `y` out on one of four sides."""

    def inner() -> Node:
        return graph.branch(test, lambda: graph.call(torch.add, x, y), lambda: graph.call(torch.sub, x, 1))[0]

    return graph.branch(test, inner, lambda: graph.call(torch.mul, x, y))


def written_to(graph: Written, test: Node, x: Node, y: Node, other: Node) -> list[Node]:
    """A tensor without a gradient that is written to with what a branch has chosen."""
    (chosen,) = graph.branch(test, lambda: graph.call(torch.add, x, 1), lambda: graph.call(torch.add, other, x))
    base = graph.call(torch.zeros, 3)
    view = graph.method("view", base, 3)
    graph.method("add_", view, chosen)
    return [base]


def taken_apart(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    both = graph.call(torch.stack, (x, y))
    rows = graph.method("unbind", both)
    first = graph.call(lambda pair: pair[0], rows)
    return graph.branch(test, lambda: graph.call(torch.neg, first), lambda: graph.call(torch.add, first, 1))


def scaled(graph: Written, test: Node, x: Node, y: Node, function: Any) -> list[Node]:
    """A value in front of the branch that one side alone uses, behind a sum with what both use."""
    first = graph.call(function, x)
    return graph.branch(test, lambda: graph.call(torch.add, first, x), lambda: graph.call(torch.add, x, 1))


def scaled_before(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    first = graph.call(torch.add, graph.call(torch.sqrt, x), 1)
    return graph.branch(test, lambda: graph.call(torch.add, first, x), lambda: graph.call(torch.add, x, 1))


def of_both_sides(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    first = graph.call(torch.sqrt, x)
    return graph.branch(test, lambda: graph.call(torch.add, first, 1), lambda: graph.call(torch.neg, first))


def handed_on(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    """A side that gives what was made in front of the branch itself."""
    first = graph.call(torch.sqrt, x)
    return graph.branch(test, lambda: first, lambda: graph.call(torch.add, x, 1))


def several(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    return graph.branch(
        test,
        lambda: (graph.call(torch.add, x, 1), graph.call(torch.neg, x)),
        lambda: (graph.call(torch.sub, x, 1), graph.call(torch.add, x, y)),
    )


def first_of_several(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    return several(graph, test, x, y)[:1]


def without(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    plain = graph.input("plain", 3)
    return graph.branch(test, lambda: graph.call(torch.add, x, plain), lambda: graph.call(torch.add, x, 1))


def detached(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    stopped = graph.method("detach", y)
    return graph.branch(test, lambda: graph.call(torch.add, x, stopped), lambda: graph.call(torch.add, x, 1))


def neither(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    plain = graph.input("plain", 3)
    return graph.branch(test, lambda: graph.call(torch.add, plain, 2), lambda: graph.call(torch.neg, plain))


def behind(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    """What one side leaves out comes in behind the branch."""
    (chosen,) = graph.branch(test, lambda: graph.call(torch.add, x, y), lambda: graph.call(torch.neg, x))
    return [graph.call(torch.add, chosen, y)]


def two_tests(graph: Written, test: Node, x: Node, y: Node) -> list[Node]:
    first = graph.branch(test, lambda: graph.call(torch.add, x, y), lambda: graph.call(torch.mul, y, x))
    return graph.branch(test, lambda: graph.call(torch.neg, first[0]), lambda: graph.call(torch.mul, first[0], 3))


GRAPHS: dict[str, tuple[Graph, str | None]] = {
    "both sides of both": (
        lambda g, t, x, y: g.branch(t, lambda: g.call(torch.add, x, y), lambda: g.call(torch.mul, x, y)),
        None,
    ),
    "the first alone": (
        lambda g, t, x, y: g.branch(t, lambda: g.call(torch.add, x, y), lambda: g.call(torch.neg, x)),
        only("y"),
    ),
    "the second alone": (
        lambda g, t, x, y: g.branch(t, lambda: g.call(torch.neg, y), lambda: g.call(torch.add, x, y)),
        only("x"),
    ),
    "no branch": (lambda g, t, x, y: [g.call(torch.add, x, 1), y], None),
    "a branch in a branch": (inside, only("y")),
    "through memory": (lambda g, t, x, y: written_to(g, t, x, y, y), only("y")),
    "through memory, alike": (lambda g, t, x, y: written_to(g, t, x, y, x), None),
    "out of a tuple": (taken_apart, None),
    "a root in front of one side": (lambda g, t, x, y: scaled(g, t, x, y, torch.sqrt), made("sqrt")),
    "a sum in front of one side": (lambda g, t, x, y: scaled(g, t, x, y, torch.neg), None),
    "a root, then a sum": (scaled_before, made("sqrt")),
    "a root in front of both": (of_both_sides, None),
    "a root that a side gives": (handed_on, made("sqrt")),
    "the second of two results": (several, only("y")),
    "the first of two results": (first_of_several, None),
    "an input without gradients": (without, None),
    "a gradient that is stopped": (detached, None),
    "no gradients at all": (neither, None),
    "behind the branch": (behind, None),
    "two branches": (two_tests, None),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_gradients(name: str) -> None:
    build, expected = GRAPHS[name]
    graph = Written()
    x, y = graph.input("x", 3, grad=True), graph.input("y", 3, grad=True)
    test = graph.call(torch.gt, graph.method("sum", graph.input("c", 3)), 0)
    module, marks, _ = graph.read(*build(graph, test, x, y))
    assert unequal_gradients(module, marks) == expected


def test_what_comes_into_a_side() -> None:
    graph = Written()
    x, plain = graph.input("x", 3, grad=True), graph.input("plain", 3)
    root, stopped = graph.call(torch.sqrt, x), graph.method("detach", x)
    given, other = graph.call(torch.neg, x), graph.call(torch.exp, x)
    test = graph.call(torch.gt, graph.method("sum", plain), 0)

    def first() -> Node:
        return graph.call(torch.add, graph.call(torch.add, root, plain), stopped)

    module, marks, _ = graph.read(*graph.branch(test, first, lambda: given), other)
    (region,) = marks.regions
    assert entries(region) == {root, given}
    assert [node for node in module.graph.nodes if requires_grad(node)] == [
        *(x, root, given, other),
        *(nodes_of(marks.regions)),
        region.selects[0].result,
    ]
    assert not requires_grad(plain) and not requires_grad(stopped)


BEHIND: dict[str, tuple[Callable[[Written, Node], Node], str | None]] = {
    "an input": (lambda g, x: x, None),
    "a sum": (lambda g, x: g.call(torch.add, x, 1), None),
    "a root": (lambda g, x: g.call(torch.sqrt, x), "sqrt"),
    "a sum behind a root": (lambda g, x: g.call(torch.add, g.call(torch.sqrt, x), 1), "sqrt"),
    "a root far away": (lambda g, x: g.call(torch.neg, g.call(torch.add, x, g.call(torch.log, x))), "log"),
    "a size": (lambda g, x: g.method("size", x), None),
    "a product with itself": (lambda g, x: g.call(torch.mul, x, x), "mul"),
    "a product with a number": (lambda g, x: g.call(torch.mul, x, 2.0), None),
    "what fails": (lambda g, x: g.graph.call_function(torch.mm, (x, x)), "mm"),
    "a marker": (
        lambda g, x: g.graph.call_function(torch.ops.graphmend.check.default, ("k#0", g.call(torch.sqrt, x))),
        None,
    ),
    "a module": (lambda g, x: g.graph.call_module("layer", (x,)), "layer"),
}


@pytest.mark.parametrize("name", BEHIND)
def test_what_may_scale_a_gradient(name: str) -> None:
    build, expected = BEHIND[name]
    graph = Written()
    node = build(graph, graph.input("x", 3, grad=True))
    found = scaling_behind(node)
    assert (found and str(getattr(found.target, "__name__", found.target))) == expected


def test_names_of_inputs() -> None:
    graph = Written()
    x = graph.input("L_x_", 3)
    assert describe(x) == "L_x_"
    local = torch._dynamo.source.LocalSource("x")
    x._dynamo_source = torch._dynamo.source.AttrSource(local, "weight")  # type: ignore[attr-defined]
    assert describe(x) == source_name(x._dynamo_source) != "L_x_"  # type: ignore[attr-defined]
    x.meta["grapharg"] = types.SimpleNamespace(source=local)
    assert describe(x) == source_name(local) != "L_x_"
